/** Clean, so that what is mounted there and what is written into a Secret are the same text. */
const ABSOLUTE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/;

/** What `spec.cloudTokenPath` may be, in words. */
export const TOKEN_PATH_FORM = "an absolute path without `.`, `..` and empty parts";

/** True for a path that `spec.cloudTokenPath` of a CredentialsRequest can have. */
export function isTokenPath(path: unknown): path is string {
  return typeof path === "string" && ABSOLUTE_PATH.test(path);
}
