import { fail } from "./errors";

const NOT_FOUND = /^Cannot find module '([^']+)'/;

/**
 * What the compiled entries export in place of what could not be loaded: every use of it throws `package-missing`, with
 * the package that is not installed. Rethrows any other error.
 *
 * Loading itself cannot throw it: an `import` in an ES module takes every name of an entry, used or not, and ignores
 * what a getter throws.
 *
 * @param peers - Packages that users install beside this one, with the versions that fit.
 */
export function missingPackage(error: unknown, peers: Readonly<Record<string, string>>): unknown {
  const module = missingModule(error);
  const peer = Object.entries(peers).find(([name]) => module === name || module?.startsWith(`${name}/`));
  if (module === undefined || peer === undefined) throw error;
  const refuse = (): never =>
    fail("package-missing", {
      problem: `package ${peer[0]} is not installed, or the installed version lacks a module`,
      value: module,
      allowed: peer.join(" "),
      remedy: `install it: npm install "${peer.join("@")}"`,
    });
  return new Proxy(class {}, { apply: refuse, construct: refuse, get: refuse });
}

function missingModule(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "MODULE_NOT_FOUND") return undefined;
  return NOT_FOUND.exec(error.message)?.[1];
}
