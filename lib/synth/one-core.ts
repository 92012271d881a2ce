import { createRequire } from "node:module";
import type { IConstruct } from "constructs";
import { fail } from "../errors";

const CORE = "cdktf";
const VERSION = /^\d+\.\d+\./;

/**
 * Refuses an app that was made with another core than this library loads: with two cores in one tree, the synth fails
 * with errors such as `_resetResolveDiscoveredProviderFeatureUsage is not a function`. Two copies of the same version,
 * which npm installs for an alias, work together.
 *
 * @param loaded - Version of the core that the library loads.
 */
export function assertOneCore({ node }: IConstruct, loaded: string = ownVersion()): void {
  // Both cores set this context to their version; `Testing.app()` sets it to another text.
  const version: unknown = node.tryGetContext("cdktfVersion");
  if (typeof version !== "string" || !VERSION.test(version) || minor(version) === minor(loaded)) return;
  fail("package-mismatch", {
    problem: "the app uses another core than this library",
    value: version,
    allowed: `${CORE} ${loaded}`,
    remedy:
      "install the package of this library that is made for the app's core, see docs/cdk-terrain.md; `npm ls` shows which dependency installs the second core",
  });
}

function minor(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

function ownVersion(): string {
  return (createRequire(__filename)(`${CORE}/package.json`) as { readonly version: string }).version;
}
