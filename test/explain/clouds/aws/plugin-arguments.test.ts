import { expect, it } from "vitest";
import { pluginArguments } from "../../../../lib/explain/clouds/aws/plugin-arguments";

const PRIVATE = { host: "111122223333.dkr.ecr.eu-west-1.amazonaws.com" };
const FLAG = ["get-credentials", "--v=2"];

// The plugins of 1.33.0, 1.34.1, 1.35.1 and 1.36.0 are one command without flags; words are passed over.
it.each<[string, readonly string[], string | undefined, "pass" | "fail" | "unknown"]>([
  ["none", [], undefined, "pass"],
  ["the word that kOps writes", ["get-credentials"], undefined, "pass"],
  ["a flag", FLAG, "1.34.1", "fail"],
  ["a flag of its own word", ["--v", "2"], "1.36", "fail"],
  ["a flag, of an unknown version", FLAG, undefined, "unknown"],
  ["a flag, of a version that is newer than all known", FLAG, "1.37.0", "unknown"],
  ["a flag that prints something else", ["--version"], "1.35.2", "unknown"],
  ["a word that nobody writes", ["completion"], "1.35.2", "unknown"],
])("arguments of the ecr plugin: %s", (_, args, version, status) => {
  const entry = {
    name: "ecr-credential-provider",
    matchImages: [],
    args,
    env: new Map<string, string>(),
    tokenAttributes: undefined,
    source: { file: "nodes.yaml", path: "" },
  };
  const plugins = { ecr: version === undefined ? {} : { version } };
  expect(pluginArguments(entry, PRIVATE, { plugins })).toMatchObject({ status });
});
