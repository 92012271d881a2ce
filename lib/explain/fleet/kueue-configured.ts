/*
 * Whether Kueue's manager starts with its configuration, and takes profiles.
 * Source: kubernetes-sigs/kueue:pkg/config/validation.go and pkg/features; it decodes strictly.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { compareVersions } from "../../model/version";
import { multiKueue } from "../../rules/fleet/consumers";
import { KUEUE_API_VERSION } from "../../rules/fleet/kueue-configuration";
import { KUEUE_GATE, kueueGateOff } from "../../rules/fleet/kueue-gates";
import { outdatedNames } from "../../rules/fleet/outdated-names";
import { flagOf } from "../clouds/plugin-flags";
import { at, own, record, text } from "../facts/access";
import type { ProviderListFact } from "../facts/fleet-facts";
import type { DeclaredFleet } from "../facts/fleet-record";
import { argumentsOf } from "./controller-settings";
import type { Controller, ControllerPods } from "./controllers";

/** Whether the feature gate of ClusterProfiles is on. */
export interface KueueGate {
  /** Why it is off, or the manager does not start. */
  readonly issues: readonly WorkloadIdentityError[];
  /** Why that cannot be told; `undefined` where it can. */
  readonly unknown: string | undefined;
}

const LIST_KEYS: readonly string[] = ["accessProviders", "credentialsProviders"];
const ENTRY_KEYS: readonly string[] = ["name", "execConfig"];
const FLAG = "--feature-gates";

/** What Kueue refuses in its configuration but for gates, and what it does not read. */
export function kueueIssues(
  { configuration, providers = [], namespace }: ProviderListFact,
  profileNamespace: string,
  version: string | undefined,
): readonly WorkloadIdentityError[] {
  const part = at(configuration, "multiKueue", "clusterProfile");
  const problems = [
    ...(own(configuration, "kind") === "Configuration" &&
    own(configuration, "apiVersion") === KUEUE_API_VERSION
      ? []
      : [`is not of kind Configuration of ${KUEUE_API_VERSION}`]),
    ...listProblems(
      LIST_KEYS.filter((field) => own(part, field) !== undefined),
      version,
    ),
    ...Object.keys(record(part))
      .filter((key) => !LIST_KEYS.includes(key) && outdatedNames([key]).length === 0)
      .map((key) => `has the key ${key} in multiKueue.clusterProfile, which Kueue does not know`),
    ...providers.flatMap(entryProblems),
  ];
  return [
    ...outdatedNames(Object.keys(record(part))),
    ...problems.map((problem) => refusal("kueue-configuration-invalid", problem)),
    ...(profileNamespace === namespace ? [] : [refusal("kueue-profile-namespace", profileNamespace)]),
  ];
}

function entryProblems(entry: unknown): readonly string[] {
  const name = text(own(entry, "name"));
  const mode = at(entry, "execConfig", "interactiveMode");
  return [
    ...Object.keys(record(entry))
      .filter((key) => !ENTRY_KEYS.includes(key))
      .map((key) => `has the key ${key} in the entry ${name}, which Kueue does not know`),
    ...(mode === undefined || mode === "" ? [`has no interactiveMode in the entry ${name}`] : []),
  ];
}

/** What is wrong with the names under which the list stands. */
function listProblems(written: readonly string[], version: string | undefined): readonly string[] {
  const [field, ...others] = written;
  if (field === undefined) return ["has no list of access providers in multiKueue.clusterProfile"];
  if (others.length > 0) return ["has accessProviders and credentialsProviders, which Kueue refuses"];
  // Newer versions take the older name as well.
  const isKnown = version === undefined || field === "credentialsProviders" || fieldOf(version) === field;
  return isKnown ? [] : [`has the list as ${field}, which Kueue ${version} does not know`];
}

function fieldOf(version: string): string | undefined {
  if (compareVersions(version, "0.15") < 0) return undefined;
  const { form } = multiKueue({ version });
  return form.kind === "kueue" ? form.field : undefined;
}

/** The gate stands in the configuration or on the command line, which only a whole manifest shows. */
export function kueueGate(
  { list: read, readers, workloads, declared }: Controller,
  recorded: DeclaredFleet | undefined,
): KueueGate {
  const gates = record(own(read?.configuration, "featureGates"));
  const isStated = Object.keys(gates).length > 0;
  const whole = [...readers, ...workloads].filter(({ isPartial }) => !isPartial);
  const flags = whole.map(flagged);
  const byFlag =
    whole.length > 0 ? flags.some((flag) => flag !== undefined) : declared && recorded?.gateByFlag;
  if (byFlag && isStated) return invalid(`has featureGates, which Kueue refuses beside ${FLAG}`);
  const off = kueueGateOff(gates);
  if (isStated) return off === undefined ? SOUND : invalid(`leaves the feature gate ${off} off`);
  if (whole.some(isOpen)) return NOT_TOLD;
  if (whole.length > 0 && !byFlag) return invalid(`leaves the feature gate ${KUEUE_GATE} off`);
  const offByFlag = flags
    .map(gatesOf)
    .map(kueueGateOff)
    .find((gate) => gate !== undefined);
  if (whole.length > 0)
    return offByFlag === undefined ? SOUND : invalid(`leaves ${offByFlag} off, and ${FLAG} too`);
  if (declared) return byFlag ? SOUND : invalid(`leaves the feature gate ${KUEUE_GATE} off`);
  return NOT_TOLD;
}

const SOUND: KueueGate = { issues: [], unknown: undefined };
const NOT_TOLD: KueueGate = {
  issues: [],
  unknown: `whether the manager has ${KUEUE_GATE} on its command line is not known`,
};

function invalid(problem: string): KueueGate {
  return { issues: [refusal("kueue-configuration-invalid", problem)], unknown: undefined };
}

/** The flag's value; `undefined` where it is not there or empty. Go's flags take one dash as well as two. */
function flagged(pods: ControllerPods): string | undefined {
  return flagOf(argumentsOf(pods), FLAG, FLAG.slice(1)) || undefined;
}

/** True where a variable or a script gives the flag. */
function isOpen(pods: ControllerPods): boolean {
  const flag = flagged(pods);
  if (flag !== undefined) return flag.includes("$(");
  return argumentsOf(pods).some((word) => word.includes(FLAG.slice(1)));
}

/** Source: k8s.io/component-base/featuregate, `Name=true,Other=false` with spaces around. */
function gatesOf(flag: string | undefined): Readonly<Record<string, boolean>> {
  const pairs = (flag ?? "").split(",").map((pair) => pair.split("=").map((word) => word.trim()));
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, /^(?:1|t|true)$/i.test(value)]));
}
