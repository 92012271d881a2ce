/*
 * Kubernetes' rule for label and annotation keys, with its error texts (apimachinery: `IsQualifiedName` in
 * pkg/util/validation up to 1.34, `IsLabelKey` in pkg/api/validate/content from 1.35 on).
 */

import { isAtLeast } from "./feature-gates";
import { toBytes } from "./go-text";

const NAME_MAX = 63;
const PREFIX_MAX = 253;
const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const PREFIX_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** The complaints of a known Kubernetes minor about a key; empty if it accepts the key. Takes linear time. */
export function qualifiedNameProblems(key: string, minor: string): readonly string[] {
  const parts = toBytes(key).split("/");
  if (parts.length > 2) {
    const what = isAtLeast(minor, "1.35") ? "a valid label key" : "a qualified name";
    return [`${what} ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const [name = "", prefix] = parts.toReversed();
  return [
    ...(prefix === undefined ? [] : prefixProblems(prefix, minor).map((problem) => `prefix part ${problem}`)),
    ...nameProblems(name, minor).map((problem) => `name part ${problem}`),
  ];
}

function tooLong(max: number, minor: string): string {
  return `must be no more than ${max} ${isAtLeast(minor, "1.35") ? "bytes" : "characters"}`;
}

function prefixProblems(prefix: string, minor: string): readonly string[] {
  if (prefix === "") return ["must be non-empty"];
  const valid = !/[^a-z0-9.-]|^[.-]|[.-]$|\.[.-]|-\./.test(prefix);
  return [
    ...(prefix.length > PREFIX_MAX ? [tooLong(PREFIX_MAX, minor)] : []),
    ...(valid ? [] : [PREFIX_RULE]),
  ];
}

function nameProblems(name: string, minor: string): readonly string[] {
  const valid = name !== "" && !/[^-A-Za-z0-9_.]|^[-_.]|[-_.]$/.test(name);
  return [
    ...(name === "" ? ["must be non-empty"] : []),
    ...(name.length > NAME_MAX ? [tooLong(NAME_MAX, minor)] : []),
    ...(valid ? [] : [NAME_RULE]),
  ];
}
