import { basename } from "node:path";
import { Construct } from "constructs";
import { at, fail } from "../errors";
import {
  type ComponentGrant,
  type ComponentsDeclaration,
  type IComponentIdentities,
  COMPONENT_AUDIENCE,
  COMPONENT_IDENTITIES,
  COMPONENT_TOKEN_PATH,
  type ComponentSecret,
} from "../model/components";
import type { RequestSource, CredentialsRequest, SecretReference } from "../model/credentials-request";
import { type GivenIssuer, Issuer, ISSUER } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { requestLabel, ofRequest } from "../model/request-label";
import { type ObjectKind, boolean, checkProps, object, optional, text } from "../model/shape";
import { type CredentialsRequestSelection, ServiceAccountIssuer, UpgradeableTo } from "../openshift";
import { CREDENTIALS_REQUEST_SELECTION } from "../rules/openshift/credentials-request-selection";
import { upgradeableTo } from "../rules/openshift/two-releases";
import { manifestsFor } from "./cluster-job";
import type { ClusterManifests } from "./cluster-manifests";
import { proveAtSynth } from "./proof";
import { isRecord } from "../model/record";
import { Secret } from "../kubernetes";
import { AUTHENTICATION_FILE } from "../openshift/cluster-settings";
import { manifestFile } from "./manifest-name";

/** Properties of {@link PlatformComponents}: one cluster's components, and how their identities are made. */
export interface PlatformComponentsProps {
  /** Name of the cluster; the names of roles and identities begin with it. */
  readonly clusterName: string;
  /**
   * Issuer of the cluster's service account tokens: `IssuerBucket`, `IssuerContainer` or the like if this configuration
   * publishes its documents, otherwise its URL.
   */
  readonly issuer: GivenIssuer;
  /** The components' CredentialsRequests, from `credentialsRequests(folder, filter)`. */
  readonly requests: CredentialsRequestSelection;
  /** How the cloud's identities are made: `componentRoles()`, `componentIdentities()`, `componentServiceAccounts()`. */
  readonly identities: IComponentIdentities<Construct>;
  /**
   * OpenShift version that these credentials allow the cluster to upgrade to, for example `4.23`: adds a manifest for
   * the running cluster that opens the upgrade gate of manual mode. Must be newer than the cluster's version, if an
   * `ImagePulls` created earlier in the stack states that.
   *
   * @defaultValue - the gate stays closed: the cluster reports `Upgradeable=False`
   */
  readonly upgradeableTo?: string;
  /**
   * Whether `app.synth()` fails if the verifier finds in the written files that a cloud would refuse a component. With
   * `false` the files are kept regardless. To skip the proof for all constructs, set the app's context
   * `cdktf-workload-identity/proof` to `false`, or use cdktf's `skipValidation`.
   *
   * @defaultValue true
   */
  readonly proof?: boolean;
}

const PLATFORM_COMPONENTS_PROPS: ObjectKind<PlatformComponentsProps> = object({
  clusterName: text,
  issuer: ISSUER,
  requests: CREDENTIALS_REQUEST_SELECTION,
  identities: COMPONENT_IDENTITIES,
  upgradeableTo: optional(text),
  proof: optional(boolean),
});

const JOB = { records: "components", construct: "PlatformComponents" } as const;

/**
 * Gives the components of an OpenShift cluster in manual mode short-lived credentials: what `ccoctl` creates, as
 * declarations.
 *
 * In Terraform it declares the trust in the cluster's issuer and one identity per CredentialsRequest. For the
 * `manifests/` folder of OpenShift's installer it writes, under `ccoctl`'s names, one file per Secret,
 * `cluster-authentication-02-config.yaml`, and further Secrets that the cloud needs. Files whose names begin with two
 * digits are for the running cluster.
 *
 * A separate construct publishes the issuer's documents (`IssuerBucket`, `IssuerContainer`, …). None of them needs the
 * private key, which belongs only in the installer's folder `tls/`.
 *
 * Warns if another cluster of the app has the same issuer.
 *
 * In one stack with `ImagePulls` and `WorkloadAccess` for the same cluster, it shares their OIDC provider and facts.
 */
export class PlatformComponents extends Construct {
  /** The issuer of the cluster's service account tokens; its URL may be late. */
  readonly issuer: Issuer;
  /** The manifests of the cluster. */
  readonly manifests: ClusterManifests;
  /** What the cloud declared: the identity of each component, and the Secrets. */
  readonly declaration: ComponentsDeclaration;

  constructor(scope: Construct, id: string, props: PlatformComponentsProps) {
    checkProps(new.target.name, scope, id, PLATFORM_COMPONENTS_PROPS, props);
    super(scope, id);
    const { identities, requests, upgradeableTo: version } = props;
    this.issuer = at(this, () => checked(props));
    this.manifests = manifestsFor(this, { ...JOB, name: props.clusterName, issuer: this.issuer.url });
    if (version !== undefined)
      at(this, () => upgradeableTo(version, recordedVersion(this.manifests, props.clusterName)));

    this.declaration = at(this, () =>
      identities.declare(new Construct(this, identities.cloud), {
        clusterName: props.clusterName,
        issuer: this.issuer,
        requests: requests.requests,
      }),
    );
    at(this, () => {
      writeComponentFiles(this.manifests, this.issuer, this.declaration);
      if (version !== undefined) writeUpgradeGate(this.manifests, version);
      this.manifests.record({
        name: props.clusterName,
        ...this.issuer.recorded,
        components: componentRecord(identities, this.declaration.grants, requests),
      });
    });
    at(this, () => proveAtSynth(this, "component", props.proof));
  }
}

function checked({
  clusterName: name,
  issuer,
  requests: given,
  identities,
  upgradeableTo: version,
}: PlatformComponentsProps): Issuer {
  clusterName(name);
  refuseManaged(issuer);
  const { requests, skipped } = given;
  const { cloud, providerKind } = identities;
  const reasons = skipped.map(({ name: skippedName, reason }) => `${skippedName} ${reason}`).join("; ");
  if (requests.length === 0)
    fail("openshift-missing", {
      problem: `no CredentialsRequest is left${reasons === "" ? "" : `: ${reasons}`}`,
      allowed:
        "at least one request that matches the filter's cloud, feature set, capabilities and cluster profile",
      remedy: "correct the filter, or pass the requests of this cluster's release",
    });
  const foreign = requests.find((request) => request.providerKind !== providerKind);
  if (foreign)
    fail("openshift-foreign", {
      problem: `${requestLabel(foreign)} is for another cloud than ${cloud}, whose identities are declared here`,
      value: foreign.providerKind,
      allowed: providerKind,
      remedy: "filter the requests by the cloud whose identities are declared",
    });
  checkComponentFiles(requests, identities);
  if (version !== undefined) upgradeableTo(version);
  return Issuer.of(issuer);
}

/** Cluster facts have an issuer too, so those of a managed cluster could be passed by mistake. */
function refuseManaged(issuer: GivenIssuer): void {
  const service = typeof issuer === "object" && "distribution" in issuer ? issuer.distribution : undefined;
  if (typeof service === "string" && !service.startsWith("openshift"))
    fail("openshift-foreign", {
      problem: "`issuer` of OpenShift's components belongs to a cluster that is not OpenShift",
      value: service,
      allowed: "the issuer of an OpenShift cluster in manual mode",
      remedy: "remove PlatformComponents; use WorkloadAccess for this cluster's service accounts",
    });
}

/**
 * The components' record in `workload-identity.json`: their tokens and identities, what they requested and should get,
 * and which requests of the release were left out and why.
 */
function componentRecord(
  { cloud }: Pick<IComponentIdentities<unknown>, "cloud">,
  grants: readonly ComponentGrant[],
  { skipped }: CredentialsRequestSelection,
): Readonly<Record<string, unknown>> {
  return {
    cloud,
    audience: COMPONENT_AUDIENCE,
    granted: grants.map(({ request, identity, intends, places }) => ({
      request: request.name,
      ...placeOf(request.source),
      secret: `${request.secret.namespace}/${request.secret.name}`,
      serviceAccounts: request.subjects.map(({ key }) => key),
      tokenPath: request.cloudTokenPath ?? COMPONENT_TOKEN_PATH,
      identity,
      asks: { kind: request.providerKind, ...request.providerSpec },
      ...(intends && { intends }),
      ...(places && { places }),
    })),
    skipped: skipped.map(({ name, source, reason }) => ({ name, ...placeOf(source), reason })),
  };
}

/** Names the file without its folder, which differs from machine to machine. */
function placeOf({ file, document }: RequestSource): Readonly<Record<string, unknown>> {
  return {
    ...(file !== undefined && { file: basename(file.replaceAll("\\", "/")) }),
    ...(document !== undefined && { document }),
  };
}

const AUTHENTICATION = { order: 0, exactName: true } as const;
const SECRETS = { order: 5, exactName: true } as const;

/** Names of files for the running cluster, as opposed to those for the installer. */
const NUMBERED = /^manifests\/\d\d-/;
const UPGRADE_GATE = {
  order: 90,
  comment: [
    "For the running cluster, after the Secrets of the next release have been applied; not for the installer.",
    "Apply with `kubectl apply --server-side`: the operator owns the object's other fields. Never prune or delete with this file.",
  ],
} as const;

/**
 * Refuses two requests for one Secret, a Secret that the cloud's identities write themselves, and two Secrets whose
 * files would have one name: namespace `a-b` with Secret `c` gives the same name as `a` with `b-c`.
 */
export function checkComponentFiles(
  requests: readonly CredentialsRequest[],
  { cloud, furtherSecrets = [] }: Pick<IComponentIdentities<unknown>, "cloud" | "furtherSecrets">,
): void {
  const reserved = new Set(furtherSecrets.map(keyOf));
  const bySecret = new Map<string, CredentialsRequest>();
  const byFile = new Map<string, CredentialsRequest>();
  for (const request of requests) {
    const secret = keyOf(request.secret);
    const file = ofRequest(request, () => manifestFile(secretFile(request.secret), SECRETS));
    if (NUMBERED.test(file)) refuseNumbered(request, file);
    if (reserved.has(secret)) refuseReserved(request, secret, cloud);
    const same = bySecret.get(secret);
    if (same) refuseShared(`the Secret ${secret}`, same, request);
    const first = byFile.get(file);
    if (first) refuseShared(`the file ${file}, which is named after namespace and Secret`, first, request);
    bySecret.set(secret, request);
    byFile.set(file, request);
  }
}

function refuseNumbered(request: CredentialsRequest, file: string): never {
  return fail("openshift-invalid", {
    problem: `the Secret of ${requestLabel(request)} would be written to a file whose name begins like those for the running cluster`,
    value: file,
    allowed: "a namespace that does not begin with two digits and a dash",
    remedy: "give the request a secretRef in another namespace",
  });
}

function refuseReserved(request: CredentialsRequest, secret: string, cloud: string): never {
  return fail("openshift-conflict", {
    problem: `${requestLabel(request)} asks for a Secret that the identities of ${cloud} write themselves`,
    value: secret,
    allowed: "any other Secret",
    remedy: "give the request another secretRef, or leave it out",
  });
}

function refuseShared(what: string, first: CredentialsRequest, second: CredentialsRequest): never {
  return fail("openshift-conflict", {
    problem: `${requestLabel(first)} and ${requestLabel(second)} share ${what}, so one would overwrite the other`,
    remedy:
      "remove one of the two, filter by the annotation in which they differ, or give one of them another secretRef",
  });
}

/** Writes `Authentication/cluster`, one Secret per file, and the further Secrets of the cloud. */
export function writeComponentFiles(
  manifests: ClusterManifests,
  issuer: Issuer,
  { grants, secrets }: ComponentsDeclaration,
): void {
  const authentication = AUTHENTICATION_FILE.replace(/\.yaml$/, "");
  new ServiceAccountIssuer(manifests.chart(authentication, AUTHENTICATION), "issuer", { issuer });
  for (const { secret } of grants) writeSecret(manifests, secretFile(secret), secret);
  for (const { file, ...secret } of secrets) writeSecret(manifests, file, secret);
}

/**
 * The cluster's OpenShift version if a construct of the stack has recorded it, as `ImagePulls` does with the version of
 * `openShift()`; otherwise `undefined`.
 */
export function recordedVersion(manifests: ClusterManifests, clusterName: string): string | undefined {
  const openShift = manifests.recorded.find(({ name }) => name === clusterName)?.["openShift"];
  const version = isRecord(openShift) ? openShift["version"] : undefined;
  return typeof version === "string" ? version : undefined;
}

export function writeUpgradeGate(manifests: ClusterManifests, version: string): void {
  new UpgradeableTo(manifests.chart("upgradeable-to", UPGRADE_GATE), "gate", { version });
}

function writeSecret(manifests: ClusterManifests, file: string, secret: ComponentSecret): void {
  new Secret(manifests.chart(file, SECRETS), "secret", secret);
}

function keyOf({ namespace, name }: SecretReference): string {
  return `${namespace}/${name}`;
}

/** The name that `ccoctl` gives the Secret's file, without `.yaml`. */
function secretFile({ namespace, name }: SecretReference): string {
  return `${namespace}-${name}-credentials`;
}
