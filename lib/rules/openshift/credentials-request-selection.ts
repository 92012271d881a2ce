/*
 * Selects the CredentialsRequests of a cluster from those of a release, as the cluster-version operator includes them
 * (openshift/library-go, pkg/manifest/manifest.go, `Include`). Deletion: openshift/cloud-credential-operator.
 */

import { fail } from "../../errors";
import { type CloudName, CLOUDS, cloudNames } from "../../model/clouds";
import {
  type CredentialsRequest,
  type RequestSource,
  COMPONENT_REQUEST,
  REQUEST_SOURCE,
} from "../../model/credentials-request";
import { isRecord } from "../../model/record";
import { requestLabel } from "../../model/request-label";
import { type Kind, type ObjectKind, checkGiven, choice, either, like, list } from "../../model/shape";
import { number, object, optional, text } from "../../model/shape";
import type { SourcedDocument } from "../../model/sourced-document";
import {
  type RequestHeader,
  CREDENTIALS_REQUEST,
  UNNAMED,
  credentialsRequest,
  refuseSameNames,
  requestHeader,
  requestProblem,
} from "./credentials-request";

/** A document that does not apply to the cluster. */
export interface SkippedDocument {
  /** Name of the request, or kind and name of an object of another kind. */
  readonly name: string;
  /** Where the document was read. */
  readonly source: RequestSource;
  /** The reason, as the end of a sentence that begins with the name. */
  readonly reason: string;
}

/** The requests of a cluster, and what was left out. */
export interface CredentialsRequestSelection {
  /** Sorted by the Secret's namespace and name, without duplicate Secrets or request names; at least one. */
  readonly requests: readonly CredentialsRequest[];
  /** In the order in which they were read. */
  readonly skipped: readonly SkippedDocument[];
}

export const CREDENTIALS_REQUEST_SELECTION: ObjectKind<CredentialsRequestSelection> = object({
  requests: list(COMPONENT_REQUEST),
  skipped: list(
    like<SkippedDocument>("a document that was skipped", {
      name: text,
      reason: text,
      source: REQUEST_SOURCE,
    }),
  ),
});

/** Feature sets of OpenShift's FeatureGate; `Default` is the empty one. */
export type OpenShiftFeatureSet =
  "Default" | "TechPreviewNoUpgrade" | "DevPreviewNoUpgrade" | "CustomNoUpgrade" | "OKD";

/** The properties of a cluster that decide which CredentialsRequests apply to it. */
export interface CredentialsRequestFilter {
  /**
   * The cluster's cloud; requests for other clouds are skipped and reported.
   *
   * @defaultValue - all requests must be for one cloud: a request whose kind differs from most others' is refused
   */
  readonly cloud?: CloudName;
  /**
   * The cluster's feature set, as in install-config and `FeatureGate/cluster`.
   *
   * @defaultValue "Default"
   */
  readonly featureSet?: OpenShiftFeatureSet;
  /**
   * Feature gates that are enabled in the cluster, as far as requests depend on them; `"all"` means that every gate is
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
   * @defaultValue - a request that is for certain major versions only is refused, as with `featureGates`
   */
  readonly majorVersion?: number;
  /**
   * The cluster profile. A request without a profile, such as an optional operator's, applies to every profile.
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
  cloud: optional(choice(cloudNames)),
  featureSet: optional(choice(FEATURE_SETS)),
  featureGates: optional(NAMES),
  capabilities: optional(NAMES),
  majorVersion: optional(number),
  clusterProfile: optional(text),
});

/** Kinds of openshift/cloud-credential-operator for clouds that this library does not support. */
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

/** Throws if the filter, which may come from plain JavaScript, is not valid. */
export function assertFilter(filter: CredentialsRequestFilter): void {
  checkGiven("the selection of CredentialsRequests", CREDENTIALS_REQUEST_FILTER, filter, "filter");
  const { majorVersion } = filter;
  if (majorVersion !== undefined && !(Number.isInteger(majorVersion) && majorVersion > 0))
    fail("openshift-invalid", {
      problem: "\`majorVersion\` of the filter of CredentialsRequests is not valid",
      value: majorVersion,
      allowed: "a whole number, for example 4",
      remedy: "correct it or remove it",
    });
}

/** Checks the documents that apply to the cluster; others are only named. */
export function selectCredentialsRequests(
  documents: readonly SourcedDocument[],
  filter: CredentialsRequestFilter,
): CredentialsRequestSelection {
  assertFilter(filter);
  const requests: CredentialsRequest[] = [];
  const skipped: SkippedDocument[] = [];
  for (const { value, source } of items(documents)) {
    const left = otherKind(value, source) ?? leftOut(value, source, filter);
    if (left) skipped.push(left);
    else requests.push(credentialsRequest(value, source));
  }
  if (requests.length === 0) {
    const reasons = skipped.map(({ name, reason }) => `${name} ${reason}`).join("; ");
    fail("openshift-missing", {
      problem: `no CredentialsRequest applies to the cluster${reasons && ": "}${reasons}`,
      allowed: "at least one request for the filter's cloud, feature set, capabilities and cluster profile",
      remedy: "correct the filter, or pass the requests of this cluster's release",
    });
  }
  if (filter.cloud === undefined) refuseMixedClouds(requests);
  refuseSameNames(requests);
  requests.sort(bySecret);
  for (const [index, request] of requests.entries()) {
    const other = requests[index + 1];
    if (other === undefined || bySecret(request, other) !== 0) continue;
    fail("openshift-conflict", {
      problem: `${requestLabel(request)} and ${requestLabel(other)} request the same Secret, so one would overwrite the other`,
      value: `${other.secret.namespace}/${other.secret.name}`,
      allowed: "one request per Secret of a cluster",
      remedy: "remove one of the two, or filter by the annotation that distinguishes them",
    });
  }
  return { requests, skipped };
}

/** The documents of kind CredentialsRequest; unpacks lists, as `oc get -o yaml` prints them. */
export function requestDocuments(documents: readonly SourcedDocument[]): readonly SourcedDocument[] {
  if (!Array.isArray(documents) || !Array.from(documents, isRecord).every(Boolean)) refuseNoList(documents);
  return items(documents).filter(({ value, source }) => otherKind(value, source) === undefined);
}

/** Throws for a value that a caller without types passes in place of a list of objects. */
export function refuseNoList(given: unknown): never {
  return fail("openshift-invalid", {
    problem: "CredentialsRequests are not passed as a list",
    value: typeof given,
    allowed: "a list of parsed objects",
    remedy: "wrap a single object in a list; for a folder use credentialsRequests()",
  });
}

const LISTS: readonly unknown[] = ["List", "CredentialsRequestList"];

function items(documents: readonly SourcedDocument[]): readonly SourcedDocument[] {
  return documents.flatMap((document) => {
    const { value, source } = document;
    return isRecord(value) && LISTS.includes(value["kind"]) && Array.isArray(value["items"])
      ? value["items"].map((item: unknown) => ({ value: item, source }))
      : [document];
  });
}

function otherKind(value: unknown, source: RequestSource): SkippedDocument | undefined {
  const where = requestLabel({ name: UNNAMED, source });
  // The value is not shown, because any text is a YAML document, even a private key.
  const type = Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`;
  if (!isRecord(value))
    return fail("openshift-invalid", requestProblem(`${where}: document (${type})`, undefined, "an object"));
  const { kind, metadata } = value;
  if (typeof kind !== "string" || kind === "")
    return fail("openshift-invalid", requestProblem(`${where}: kind`, kind, CREDENTIALS_REQUEST));
  if (kind === CREDENTIALS_REQUEST) return undefined;
  const name = isRecord(metadata) && typeof metadata["name"] === "string" ? ` ${metadata["name"]}` : "";
  return { name: `${kind}${name}`, source, reason: `is of kind ${kind}` };
}

function leftOut(
  value: unknown,
  source: RequestSource,
  filter: CredentialsRequestFilter,
): SkippedDocument | undefined {
  const header = requestHeader(value, source);
  for (const question of QUESTIONS) {
    const reason = question(header, filter);
    if (reason !== undefined) return { name: header.name, source, reason };
  }
  return undefined;
}

export function bySecret({ secret: a }: CredentialsRequest, { secret: b }: CredentialsRequest): number {
  // `/` sorts after `-` and `.`, which names may contain, so the pairs are compared, not the joined texts.
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

/** Without a cloud in the filter, refuses a request whose kind differs from most others'. */
function refuseMixedClouds(requests: readonly CredentialsRequest[]): void {
  const counts = new Map<string, number>();
  for (const { providerKind } of requests) counts.set(providerKind, (counts.get(providerKind) ?? 0) + 1);
  const [[most] = [""]] = [...counts].sort(([, one], [, other]) => other - one);
  const foreign = requests.find(({ providerKind }) => providerKind !== most);
  if (foreign) failForeign(foreign, [most]);
}

function failForeign(request: RequestHeader, allowed: readonly string[]): never {
  return fail("openshift-foreign", {
    problem: `${requestLabel(request)} is for another cloud than most of the requests`,
    value: request.providerKind,
    allowed: allowed.join(", "),
    remedy:
      "state `cloud` in the filter, so that requests for other clouds are skipped and reported, or extract one cloud's requests with `oc adm release extract --credentials-requests --cloud=aws`, or =azure, =gcp",
  });
}

type Question = (header: RequestHeader, filter: CredentialsRequestFilter) => string | undefined;

// No further questions are asked about a request for another cloud; one without `spec` that passes all is refused.
const QUESTIONS: readonly Question[] = [
  kindQuestion,
  ({ annotations }) => (annotations[DELETE] === "true" ? `is to be deleted (${DELETE})` : undefined),
  profileQuestion,
  majorVersionQuestion,
  featureSetQuestion,
  capabilityQuestion,
  featureGateQuestion,
];

function kindQuestion(header: RequestHeader, { cloud }: CredentialsRequestFilter): string | undefined {
  const { providerKind } = header;
  if (providerKind === undefined) return undefined;
  const served = Object.values(CLOUDS).map(({ providerSpec }) => providerSpec);
  if (cloud === undefined ? served.includes(providerKind) : providerKind === CLOUDS[cloud].providerSpec)
    return undefined;
  const others = [...served, ...OTHER_KINDS];
  // Without this, a misspelt kind would count as another cloud's, and its component would get no credentials.
  if (!others.includes(providerKind))
    fail("openshift-unknown", {
      problem: `${requestLabel(header)} is for a cloud that OpenShift does not support`,
      value: providerKind,
      allowed: others.join(", "),
      remedy: "correct spec.providerSpec.kind; if the cloud is new in a later OpenShift, remove the file",
    });
  if (cloud === undefined) failForeign(header, served);
  return `is a request of kind ${providerKind}, for another cloud`;
}

function listed(annotation = ""): readonly string[] {
  return annotation
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** A comma-separated list; a leading `-` excludes the version. */
function majorVersionQuestion(
  header: RequestHeader,
  { majorVersion }: CredentialsRequestFilter,
): string | undefined {
  const versions = listed(header.annotations[MAJOR_VERSION]);
  if (versions.length === 0) return undefined;
  if (majorVersion === undefined)
    return fail("openshift-missing", {
      problem: `${requestLabel(header)} is for certain major versions of OpenShift, but the cluster's major version is not stated`,
      value: versions.join(","),
      allowed: "`majorVersion`, 4 or 5",
      remedy: "state the major version of the release from which the requests were extracted",
    });
  const included = versions.filter((version) => !version.startsWith("-"));
  const left = versions.includes(`-${majorVersion}`);
  if (!left && (included.length === 0 || included.includes(String(majorVersion)))) return undefined;
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
    return "has annotations for both feature set and feature gate, a combination that OpenShift never installs";
  const sets = value.split(",");
  const unknown = sets.find((set) => !FEATURE_SETS.some((known) => known === set));
  if (unknown !== undefined)
    return `is for the unknown feature set ${unknown}, which OpenShift never installs`;
  return sets.includes(featureSet) ? undefined : `is for the feature set ${value}, not ${featureSet}`;
}

/** `A+B`: needs both capabilities. */
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

/** A comma-separated list: every gate must be enabled, or disabled if a `-` precedes it. */
function featureGateQuestion(
  header: RequestHeader,
  { featureGates }: CredentialsRequestFilter,
): string | undefined {
  const gates = listed(header.annotations[FEATURE_GATE]);
  if (gates.length === 0) return undefined;
  if (featureGates === undefined)
    return fail("openshift-missing", {
      problem: `${requestLabel(header)} depends on feature gates, but the filter does not say which are enabled`,
      value: gates.join(","),
      allowed: '`featureGates` with the enabled gates, [] for none, or "all"',
      remedy:
        "name the gates that `oc get featuregate cluster -o yaml` lists as enabled for this version, as far as the requests name them",
    });
  const enabled = (gate: string): boolean => featureGates === "all" || featureGates.includes(gate);
  const broken = gates.find((gate) => (gate.startsWith("-") ? enabled(gate.slice(1)) : !enabled(gate)));
  if (broken === undefined) return undefined;
  return broken.startsWith("-")
    ? `is for clusters without the feature gate ${broken.slice(1)}`
    : `needs the feature gate ${broken}, which is not enabled`;
}
