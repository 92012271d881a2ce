import { fail, type Problem } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ccoctlNameOf } from "../../rules/aws/names";
import type { ComponentNaming } from "../../rules/aws/component";
import type { ComponentRolesProps } from "./component-role-props";

/** What `componentRoles()` takes over, checked. */
export interface CheckedAdoption {
  /** True where anything is. */
  readonly any: boolean;
  /** The names of the requests whose roles exist. */
  readonly requests: ReadonlySet<string>;
  /** True where ccoctl's tags are kept. */
  readonly tagged: boolean;
  /** The `--name` that ccoctl was given. */
  readonly ccoctlName: string;
}

/** Throws `aws-override-unknown`. */
export function checkOverrides(
  requests: readonly CredentialsRequest[],
  { overrides = {} }: ComponentRolesProps,
): void {
  const known = requests.map(({ name }) => name);
  const strange = Object.keys(overrides).find((name) => !known.includes(name));
  if (strange !== undefined)
    fail("aws-unknown", {
      problem: "override is for a CredentialsRequest that is not among the requests",
      value: strange,
      allowed: known.join(", "),
      remedy: "use the `metadata.name` of a request that was not filtered out, or remove the override",
    });
}

/**
 * Throws `aws-adopt-unknown`, `aws-adopt-naming`, `aws-ccoctl-name-invalid` or `aws-ccoctl-name-unused`.
 */
export function checkedAdoption(
  clusterName: string,
  requests: readonly CredentialsRequest[],
  props: ComponentRolesProps,
): CheckedAdoption {
  const { adopt = false, naming, ccoctlName } = props;
  const known = requests.map(({ name }) => name);
  const strange = isNames(adopt) ? adopt.find((name) => !known.includes(name)) : undefined;
  if (strange !== undefined)
    fail("aws-unknown", {
      problem: "adopt names a CredentialsRequest that is not among the requests",
      value: strange,
      allowed: known.join(", "),
      remedy: "use the `metadata.name` of a request whose role exists",
    });
  if (adopt === true && naming === "derived") fail("aws-mismatch", namedByCcoctl(naming));
  const any = isNames(adopt) || adopt;
  const tagged = any || naming === "ccoctl";
  if (ccoctlName !== undefined && !tagged)
    fail("aws-unused", {
      problem: "name that ccoctl was given is stated, but nothing is adopted or named as ccoctl does",
      value: ccoctlName,
      allowed: '`ccoctlName` with `adopt`, or with naming: "ccoctl"',
      remedy: "leave it out, or state what is adopted",
    });
  return {
    any,
    requests: new Set(isNames(adopt) ? adopt : adopt ? known : []),
    tagged,
    ccoctlName: tagged ? ccoctlNameOf(ccoctlName ?? clusterName) : clusterName,
  };
}

/** A role that exists has ccoctl's name; the others are named as stated, beside adopted ones as these are. */
export function namingOf(props: ComponentRolesProps, adopted: boolean): ComponentNaming {
  const { adopt = false, naming } = props;
  return adopted ? "ccoctl" : (naming ?? (isNames(adopt) ? "ccoctl" : "derived"));
}

function isNames(adopt: boolean | readonly string[]): adopt is readonly string[] {
  return Array.isArray(adopt);
}

/** What is wrong with … */
export function namedByCcoctl(value: string): Problem {
  return {
    problem: "role that exists has ccoctl's name and is adopted under it",
    value,
    allowed: '"ccoctl"; or `adopt` with the names of some requests, the others being named as `naming` says',
    remedy: "leave `naming` out, or take the request off `adopt` to have a new role made",
  };
}
