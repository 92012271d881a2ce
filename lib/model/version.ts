import { fail } from "../errors";
import { literal } from "./late";

const VERSION = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+].*)?$/;

export interface Version {
  /** Major version. */
  readonly major: number;
  /** Minor version. */
  readonly minor: number;
  /** Patch level; `undefined` if it was not given. */
  readonly patch: number | undefined;
}

/** Parses `1.35`, `v1.35.2` or `36.2.5`. */
export function parseVersion(what: string, version: string): Version {
  const match = typeof literal(version, what) === "string" ? VERSION.exec(version) : null;
  if (!match)
    return fail("version-invalid", {
      problem: `${what} is not a version`,
      value: version,
      allowed: 'major.minor, for example "1.35"; a patch level is accepted where it changes a rule',
      remedy: "write the version as text, not as a number: the number 1.30 is 1.3",
    });
  const patch = match[3];
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: patch === undefined ? undefined : Number(patch),
  };
}

/** Returns major and minor version: `1.35` for `v1.35.2`. */
export function minorOf(what: string, version: string): string {
  const { major, minor } = parseVersion(what, version);
  return `${major}.${minor}`;
}

/** Compares versions for sorting: negative, zero or positive; a missing patch level is 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion("version", a), parseVersion("version", b)];
  return left.major - right.major || left.minor - right.minor || (left.patch ?? 0) - (right.patch ?? 0);
}
