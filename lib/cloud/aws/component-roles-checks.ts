import { fail } from "../../errors";
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
  if (strange !== undefined) fail("aws-override-unknown", strange, known);
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
  if (strange !== undefined) fail("aws-adopt-unknown", strange, known);
  if (adopt === true && naming === "derived") fail("aws-adopt-naming", naming);
  const any = isNames(adopt) || adopt;
  const tagged = any || naming === "ccoctl";
  if (ccoctlName !== undefined && !tagged) fail("aws-ccoctl-name-unused", ccoctlName);
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
