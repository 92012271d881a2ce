import { fail } from "../../errors";
import { SWITCH, oneOf } from "../../model/choice";
import type { CredentialsRequest } from "../../model/credentials-request";
import { isRecord } from "../../model/record";
import { ccoctlNameOf } from "../../rules/aws/ccoctl-name";
import type { ComponentNaming } from "../../rules/aws/component-role";
import type { ComponentOverride, ComponentRolesProps } from "./component-role-props";

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

const FIELDS: Readonly<Record<keyof ComponentOverride, true>> = {
  narrow: true,
  kmsKeys: true,
  statements: true,
  wideReason: true,
  roleName: true,
};

/** Throws `aws-override-unknown` or `aws-override-invalid`. */
export function checkOverrides(
  requests: readonly CredentialsRequest[],
  { overrides = {} }: ComponentRolesProps,
): void {
  if (!isRecord(overrides)) fail("aws-override-invalid", "overrides", "are no object", overrides);
  const known = requests.map(({ name }) => name);
  for (const [name, override] of Object.entries<unknown>(overrides)) {
    if (!known.includes(name)) fail("aws-override-unknown", name, known);
    if (!isRecord(override)) return fail("aws-override-invalid", name, "is no object", override);
    const stray = Object.keys(override).find((field) => !Object.hasOwn(FIELDS, field));
    if (stray !== undefined) fail("aws-override-invalid", name, "has a field that it cannot have", stray);
  }
}

/**
 * Throws `aws-adopt-unknown`, `aws-adopt-naming`, `aws-ccoctl-name-invalid`, `aws-ccoctl-name-unused`, `choice-unknown`
 * or `late-value`.
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
  if (!isNames(adopt)) oneOf("adopt", adopt, SWITCH);
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
