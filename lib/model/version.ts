import { fail } from "../errors";
import { literal } from "./late";
import { versionInvalid } from "./problems";

const VERSION = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+].*)?$/;

/** A version as numbers: major, minor, patch; the patch level is `undefined` when it was not given. */
export interface Version {
  /** The first number. */
  readonly major: number;
  /** The second number. */
  readonly minor: number;
  /** The third number, `undefined` when it was not given. */
  readonly patch: number | undefined;
}

/** Reads `1.35`, `v1.35.2` or `36.2.5`. */
export function parseVersion(what: string, version: string): Version {
  const match = typeof literal(version, what) === "string" ? VERSION.exec(version) : null;
  if (!match) return fail("version-invalid", versionInvalid(what, version));
  const patch = match[3];
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: patch === undefined ? undefined : Number(patch),
  };
}

/** `1.35` of `v1.35.2`. */
export function minorOf(what: string, version: string): string {
  const { major, minor } = parseVersion(what, version);
  return `${major}.${minor}`;
}

/** Negative, zero or positive like a sort function; a missing patch level counts as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion("version", a), parseVersion("version", b)];
  return left.major - right.major || left.minor - right.minor || (left.patch ?? 0) - (right.patch ?? 0);
}
