import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { clusterName } from "../../model/kubernetes-name";
import { Subject } from "../../model/subject";
import type { ComponentNaming, ComponentOverride } from "./component-service-account-props";
import type { ComponentServiceAccountsProps } from "./component-service-accounts-props";

/** What the caller stated of all requests and of single ones, checked as far as it can be without them. */
export interface ComponentSettings {
  /** How objects are named. */
  readonly naming: ComponentNaming;
  /** True where what ccoctl made is taken into the state. */
  readonly adopt: boolean;
  /** Ids of service accounts by request. */
  readonly accountIds: ReadonlyMap<string, string>;
  /** Requests for which a service account is made under an id of ccoctl's form; `all` for every one without an id. */
  readonly absent: ReadonlySet<string> | "all";
  /** Requests whose custom role is adopted; `undefined` for those whose service account is. */
  readonly adoptRoles: ReadonlySet<string> | undefined;
  /** Rights, roles and conditions by request. */
  readonly overrides: ReadonlyMap<string, ComponentOverride>;
  /** Others that the pool provider admits. */
  readonly others: readonly Subject[];
}

/**
 * Checks the settings that concern requests. Throws `google-setting-contradicts`, `google-account-ids-contradict`, `cluster-name-invalid`,
 * `subject-invalid`, and `late-value`.
 */
export function componentSettings(props: ComponentServiceAccountsProps): ComponentSettings {
  const { adopt = false, naming = adopt ? "ccoctl" : "derived" } = props;
  refuseIneffective(props, adopt, naming);
  const accountIds = new Map(Object.entries(props.accountIds ?? {}));
  const absent = absentOf(props);
  const both = [...accountIds.keys()].find((name) => absent !== "all" && absent.has(name));
  if (both !== undefined) fail("google-account-ids-contradict", both);
  return {
    naming,
    adopt,
    accountIds,
    absent,
    adoptRoles: props.adoptRoles && new Set(props.adoptRoles),
    overrides: new Map(Object.entries(props.overrides ?? {})),
    others: (props.serviceAccounts ?? []).map(Subject.of),
  };
}

/**
 * Each name that the caller states is one of a request; with ccoctl's names, each request has an id or is stated
 * absent: a service account with another id would be another one.
 *
 * Throws `google-request-unknown` and `google-account-ids-missing`.
 */
export function checkRequestNames(
  requests: readonly CredentialsRequest[],
  settings: ComponentSettings,
): void {
  const { accountIds, absent, adoptRoles, overrides, naming } = settings;
  const known = requests.map(({ name }) => name);
  const stated: readonly (readonly [string, Iterable<string>])[] = [
    ["overrides", overrides.keys()],
    ["accountIds", accountIds.keys()],
    ["absentAccounts", absent === "all" ? [] : absent],
    ["adoptRoles", adoptRoles ?? []],
  ];
  for (const [setting, names] of stated) {
    const unknown = [...names].find((name) => !known.includes(name));
    if (unknown !== undefined) fail("google-request-unknown", setting, unknown, known);
  }
  if (naming === "derived" || absent === "all") return;
  const missing = known.filter((name) => !accountIds.has(name) && !absent.has(name));
  if (missing.length > 0) fail("google-account-ids-missing", missing);
}

function refuseIneffective(
  { ccoctlName, adoptRoles, absentAccounts }: ComponentServiceAccountsProps,
  adopt: boolean,
  naming: ComponentNaming,
): void {
  if (ccoctlName !== undefined) clusterName(ccoctlName);
  if (adopt && naming === "derived")
    fail("google-setting-contradicts", 'naming: "derived"', "with adopt, which needs ccoctl's names");
  if (!adopt && adoptRoles !== undefined) fail("google-setting-contradicts", "adoptRoles", "without adopt");
  if (naming === "ccoctl") return;
  const named = { ccoctlName, absentAccounts };
  for (const [setting, value] of Object.entries(named))
    if (value !== undefined) fail("google-setting-contradicts", setting, 'without naming: "ccoctl"');
}

function absentOf({ absentAccounts }: ComponentServiceAccountsProps): ReadonlySet<string> | "all" {
  return absentAccounts === "all" ? "all" : new Set(absentAccounts);
}
