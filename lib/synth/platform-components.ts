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
} from "../model/components";
import type { RequestSource } from "../model/credentials-request";
import { type GivenIssuer, Issuer, ISSUER } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { requestLabel } from "../model/request-label";
import { type ObjectKind, boolean, checkProps, object, optional, text } from "../model/shape";
import type { CredentialsRequestSelection } from "../openshift";
import { CREDENTIALS_REQUEST_SELECTION } from "../rules/openshift/credentials-request-selection";
import { upgradeableTo } from "../rules/openshift/two-releases";
import { manifestsFor } from "./cluster-job";
import {
  checkComponentFiles,
  recordedVersion,
  writeComponentFiles,
  writeUpgradeGate,
} from "./component-files";
import type { Manifests } from "./manifests";
import { proveAtSynth } from "./proof";

/** One cluster's components, and how their identities are made. */
export interface PlatformComponentsProps {
  /** Name of the cluster; begins the names of roles and identities. */
  readonly clusterName: string;
  /**
   * Who will sign the cluster's service account tokens: `IssuerBucket`, `IssuerContainer` and the like where this
   * configuration publishes the documents, the URL where it is published elsewhere.
   */
  readonly issuer: GivenIssuer;
  /** What the components ask for, from `credentialsRequests(folder, filter)`. */
  readonly requests: CredentialsRequestSelection;
  /** How the cloud's identities are made: `componentRoles()`, `componentIdentities()`, `componentServiceAccounts()`. */
  readonly identities: IComponentIdentities<Construct>;
  /**
   * OpenShift version for whose upgrade these credentials suffice, `4.23`: opens the upgrade gate of manual mode with a
   * manifest for the running cluster. Must be newer than the cluster's version where `ImagePulls` stands before this in
   * the stack and states it.
   *
   * @defaultValue - the gate stays shut: the cluster reports `Upgradeable=False`
   */
  readonly upgradeableTo?: string;
  /**
   * Whether `app.synth()` ends with an error where the verifier finds, in the files that were written, that a cloud
   * would refuse a component.
   * With `false` they are written whatever they hold. The app's context
   * `cdktf-workload-identity/proof` with `false`, or cdktf's `skipValidation`, leaves it out for all.
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
 * The whole job for one OpenShift cluster in manual mode: short-lived credentials for its own components, what `ccoctl`
 * makes, declared.
 *
 * Declares in Terraform the trust in the cluster's issuer and one identity per CredentialsRequest, and writes what
 * OpenShift's installer takes into its folder `manifests/`, under `ccoctl`'s names: one file per Secret,
 * `cluster-authentication-02-config.yaml`, and what else the cloud needs. Files whose names begin with two digits are
 * for the running cluster.
 *
 * Publishing the issuer's documents is a separate construct (`IssuerBucket`, `IssuerContainer`, …). The private key
 * has no part in any of it: it goes into the installer's folder `tls/` and nowhere else.
 *
 * Warns of an issuer that another cluster of the app has as well.
 *
 * Together with `ImagePulls` and `WorkloadAccess` in one stack, all for one cluster, it shares OIDC provider and facts.
 */
export class PlatformComponents extends Construct {
  /** Who signs the cluster's tokens; may be late. */
  readonly issuer: Issuer;
  /** Where the manifests are written. */
  readonly manifests: Manifests;
  /** What the cloud declared: as what each component acts, and the Secrets. */
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

/** Checks what can be checked before anything is declared; also for callers whose values no compiler saw. */
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
      allowed: "at least one of the cloud, feature set, capabilities and cluster profile of the filter",
      remedy: "correct the filter, or give the requests of this cluster's release",
    });
  const foreign = requests.find((request) => request.providerKind !== providerKind);
  if (foreign)
    fail("openshift-foreign", {
      problem: `${requestLabel(foreign)} asks another cloud than ${cloud}, whose identities are declared here`,
      value: foreign.providerKind,
      allowed: providerKind,
      remedy: "filter the requests by the cloud whose identities are declared",
    });
  checkComponentFiles(requests, identities);
  if (version !== undefined) upgradeableTo(version);
  return Issuer.of(issuer);
}

/** The facts of a cluster have an issuer too: of a managed one they are the wrong thing. */
function refuseManaged(issuer: GivenIssuer): void {
  const service = typeof issuer === "object" && "distribution" in issuer ? issuer.distribution : undefined;
  if (typeof service === "string" && !service.startsWith("openshift"))
    fail("openshift-foreign", {
      problem: "components of OpenShift are given the issuer of a cluster that is not OpenShift",
      value: service,
      allowed: "the issuer of an OpenShift cluster in manual mode",
      remedy:
        "leave PlatformComponents out; WorkloadAccess gives this cluster's own service accounts what they need",
    });
}

/**
 * What `workload-identity.json` says of a cluster's components: which tokens they present, as what they act, what they
 * asked for and were meant to get, and which requests of the release were left out and why.
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

/** Without folders, which differ from machine to machine. */
function placeOf({ file, document }: RequestSource): Readonly<Record<string, unknown>> {
  return {
    ...(file !== undefined && { file: basename(file.replaceAll("\\", "/")) }),
    ...(document !== undefined && { document }),
  };
}
