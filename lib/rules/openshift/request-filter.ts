/*
 * Which requests of a release are for a cluster. Source: openshift/library-go, pkg/manifest/manifest.go (`Include`),
 * by which the cluster-version operator and `oc adm release extract --included` decide; and
 * openshift/cloud-credential-operator for the deletion annotation.
 */

import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { requestLabel } from "../../model/request-label";
import type { RequestHeader } from "./credentials-request";
import { type Kind, type ObjectKind, checkGiven, choice, either, list } from "../../model/shape";
import { number, object, optional, text } from "../../model/shape";

/** Feature sets of OpenShift's FeatureGate, `Default` for the empty one. */
export type OpenShiftFeatureSet =
  "Default" | "TechPreviewNoUpgrade" | "DevPreviewNoUpgrade" | "CustomNoUpgrade" | "OKD";

/** Which CredentialsRequests are for a cluster. */
export interface CredentialsRequestFilter {
  /**
   * The cluster's cloud; requests of other clouds' kinds are skipped, and reported.
   *
   * @defaultValue - the folder is for one cloud: a request of another kind than most is refused
   */
  readonly cloud?: "aws" | "azure" | "google";
  /**
   * The cluster's feature set, as in install-config and `FeatureGate/cluster`.
   *
   * @defaultValue "Default"
   */
  readonly featureSet?: OpenShiftFeatureSet;
  /**
   * Feature gates that are enabled in the cluster, as far as requests depend on them; `"all"` takes every one for
   * enabled.
   *
   * @defaultValue - a request that depends on a feature gate is refused, since neither leaving it out nor keeping it
   * is safe
   */
  readonly featureGates?: readonly string[] | "all";
  /**
   * Enabled cluster capabilities, for example `Storage` and `CloudCredential`.
   *
   * @defaultValue "all", as installed without `baselineCapabilitySet`
   */
  readonly capabilities?: readonly string[] | "all";
  /**
   * The cluster's major version, 4 or 5.
   *
   * @defaultValue - a request that is for certain major versions only is refused, since neither leaving it out nor
   * keeping it is safe
   */
  readonly majorVersion?: number;
  /**
   * The cluster profile. A request that names no profile at all, as those of optional operators, is for every one.
   *
   * @defaultValue "self-managed-high-availability"
   */
  readonly clusterProfile?: string;
}

const NAMES: Kind<readonly string[] | "all"> = either(list(text), choice(["all"]));
const FEATURE_SETS: readonly OpenShiftFeatureSet[] = [
  "Default",
  "TechPreviewNoUpgrade",
  "DevPreviewNoUpgrade",
  "CustomNoUpgrade",
  "OKD",
];

const CREDENTIALS_REQUEST_FILTER: ObjectKind<CredentialsRequestFilter> = object({
  cloud: optional(choice(["aws", "azure", "google"])),
  featureSet: optional(choice(FEATURE_SETS)),
  featureGates: optional(NAMES),
  capabilities: optional(NAMES),
  majorVersion: optional(number),
  clusterProfile: optional(text),
});

const KINDS: Readonly<Record<NonNullable<CredentialsRequestFilter["cloud"]>, string>> = {
  aws: "AWSProviderSpec",
  azure: "AzureProviderSpec",
  google: "GCPProviderSpec",
};

/** Kinds of openshift/cloud-credential-operator of clouds that are not served. */
const OTHER_KINDS: readonly string[] = [
  "AlibabaCloudProviderSpec",
  "IBMCloudPowerVSProviderSpec",
  "IBMCloudProviderSpec",
  "KubevirtProviderSpec",
  "NutanixProviderSpec",
  "OpenStackProviderSpec",
  "OvirtProviderSpec",
  "VSphereProviderSpec",
];

const DELETE = "release.openshift.io/delete";
const FEATURE_SET = "release.openshift.io/feature-set";
const FEATURE_GATE = "release.openshift.io/feature-gate";
const MAJOR_VERSION = "release.openshift.io/major-version";
const CAPABILITY = "capability.openshift.io/name";
const INCLUDE = "include.release.openshift.io/";
const EXCLUDE = "exclude.release.openshift.io/";
const PROFILE = "self-managed-high-availability";

type Question = (header: RequestHeader, filter: CredentialsRequestFilter) => string | undefined;

/** In the order in which they are asked; a request of another cloud is asked nothing else. */
const QUESTIONS: readonly Question[] = [
  kindQuestion,
  ({ annotations }) => (annotations[DELETE] === "true" ? `is to be deleted (${DELETE})` : undefined),
  profileQuestion,
  majorVersionQuestion,
  featureSetQuestion,
  capabilityQuestion,
  featureGateQuestion,
];

/**
 * Checks a filter that may come from plain JavaScript; throws `credentials-requests-filter` or
 * `late-value`.
 */
export function checkedFilter(filter: CredentialsRequestFilter): CredentialsRequestFilter {
  checkGiven("the selection of CredentialsRequests", CREDENTIALS_REQUEST_FILTER, filter, "filter");
  const { majorVersion } = filter;
  if (majorVersion !== undefined && !(Number.isInteger(majorVersion) && majorVersion > 0))
    fail("credentials-requests-filter", "majorVersion", majorVersion, "a whole number, 4 say");
  return filter;
}

/**
 * Why a request is not for the cluster; `undefined` where it is.
 *
 * Throws `credentials-request-gate-unknown` where only the unknown feature gates decide, `credentials-request-version`
 * where only the unknown major version does, `credentials-request-kind` for a kind of no cloud, and
 * `credentials-request-foreign` for one of a cloud that is not served where the filter names none.
 */
export function skipReason(header: RequestHeader, filter: CredentialsRequestFilter): string | undefined {
  for (const question of QUESTIONS) {
    const reason = question(header, filter);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Refuses a request of another kind than most, where nobody said for which cloud they are. */
export function refuseForeign(requests: readonly CredentialsRequest[]): void {
  const counts = new Map<string, number>();
  for (const { providerKind } of requests) counts.set(providerKind, (counts.get(providerKind) ?? 0) + 1);
  const [[most] = [""]] = [...counts].sort(([, one], [, other]) => other - one);
  const foreign = requests.find(({ providerKind }) => providerKind !== most);
  if (foreign) fail("credentials-request-foreign", requestLabel(foreign), foreign.providerKind, [most]);
}

function kindQuestion(header: RequestHeader, { cloud }: CredentialsRequestFilter): string | undefined {
  const { providerKind } = header;
  const served = Object.values(KINDS);
  if (cloud === undefined ? served.includes(providerKind) : providerKind === KINDS[cloud]) return undefined;
  const others = [...served, ...OTHER_KINDS];
  // A misspelt kind would otherwise be a request of some other cloud, and its component without credentials.
  if (!others.includes(providerKind))
    fail("credentials-request-kind", requestLabel(header), providerKind, others);
  if (cloud === undefined) fail("credentials-request-foreign", requestLabel(header), providerKind, served);
  return `is a request of kind ${providerKind}, for another cloud`;
}

/** A comma list; with `-` in front the version is left out. */
function majorVersionQuestion(
  header: RequestHeader,
  { majorVersion }: CredentialsRequestFilter,
): string | undefined {
  const versions = (header.annotations[MAJOR_VERSION] ?? "")
    .split(",")
    .map((version) => version.trim())
    .filter((version) => version !== "");
  if (versions.length === 0) return undefined;
  if (majorVersion === undefined)
    return fail("credentials-request-version", requestLabel(header), versions.join(","));
  const asked = versions.filter((version) => !version.startsWith("-"));
  const left = versions.includes(`-${majorVersion}`);
  if (!left && (asked.length === 0 || asked.includes(String(majorVersion)))) return undefined;
  return `is not for OpenShift ${majorVersion} (${MAJOR_VERSION}: ${versions.join(",")})`;
}

function profileQuestion(
  { annotations }: RequestHeader,
  { clusterProfile = PROFILE }: CredentialsRequestFilter,
): string | undefined {
  if (annotations[`${EXCLUDE}${clusterProfile}`] === "true")
    return `is not for the cluster profile ${clusterProfile} (${EXCLUDE}${clusterProfile})`;
  const included = annotations[`${INCLUDE}${clusterProfile}`];
  const named = Object.keys(annotations).some((key) => key.startsWith(INCLUDE));
  if (!named || included === "true") return undefined;
  return `is not for the cluster profile ${clusterProfile} (${INCLUDE})`;
}

function featureSetQuestion(
  { annotations }: RequestHeader,
  { featureSet = "Default" }: CredentialsRequestFilter,
): string | undefined {
  const value = annotations[FEATURE_SET];
  if (value === undefined) return undefined;
  if (annotations[FEATURE_GATE] !== undefined)
    return "has annotations of feature set and of feature gate, which OpenShift never installs";
  const sets = value.split(",");
  const unknown = sets.find((set) => !FEATURE_SETS.some((known) => known === set));
  if (unknown !== undefined)
    return `is for the unknown feature set ${unknown}, which OpenShift never installs`;
  return sets.includes(featureSet) ? undefined : `is for the feature set ${value}, not ${featureSet}`;
}

/** `A+B`: all of them. */
function capabilityQuestion(
  { annotations }: RequestHeader,
  { capabilities = "all" }: CredentialsRequestFilter,
): string | undefined {
  const needed = (annotations[CAPABILITY] ?? "").split("+").filter((name) => name !== "");
  if (capabilities === "all") return undefined;
  const missing = needed.filter((name) => !capabilities.includes(name));
  return missing.length === 0
    ? undefined
    : `needs the capabilities ${missing.join(", ")}, which are not enabled`;
}

/** A comma list: every gate must be enabled, with `-` in front disabled. */
function featureGateQuestion(
  header: RequestHeader,
  { featureGates }: CredentialsRequestFilter,
): string | undefined {
  const value = header.annotations[FEATURE_GATE];
  const gates = (value ?? "")
    .split(",")
    .map((gate) => gate.trim())
    .filter((gate) => gate !== "");
  if (gates.length === 0) return undefined;
  if (featureGates === undefined)
    return fail("credentials-request-gate-unknown", requestLabel(header), gates.join(","));
  const enabled = (gate: string): boolean => featureGates === "all" || featureGates.includes(gate);
  const broken = gates.find((gate) => (gate.startsWith("-") ? enabled(gate.slice(1)) : !enabled(gate)));
  if (broken === undefined) return undefined;
  return broken.startsWith("-")
    ? `is for clusters without the feature gate ${broken.slice(1)}`
    : `needs the feature gate ${broken}, which is not enabled`;
}
