import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../errors";
import type { ComponentsDeclaration } from "../model/components";
import { Issuer } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { requestLabel } from "../model/request-label";
import { upgradeableTo } from "../rules/openshift/upgradeable-to";
import { checkClaim } from "./cluster-records";
import {
  checkComponentFiles,
  recordedVersion,
  writeComponentFiles,
  writeUpgradeGate,
} from "./component-files";
import { componentRecord } from "./component-record";
import { Manifests } from "./manifests";
import { type PlatformComponentsProps, PLATFORM_COMPONENTS_PROPS } from "./platform-components-props";
import { proveAtSynth } from "./proof";
import { warnOfSharedIssuer } from "./shared-issuer";
import { checkProps } from "../model/shape";

const CLAIM = { key: "components", construct: "PlatformComponents", lines: "requests" } as const;

/**
 * The whole job for one OpenShift cluster in manual mode: short-lived credentials for its own components, what `ccoctl`
 * makes, declared.
 *
 * Declares in Terraform the trust in the cluster's issuer and one identity per CredentialsRequest, and writes what
 * OpenShift's installer takes into its folder `manifests/`, under `ccoctl`'s names: one file per Secret,
 * `cluster-authentication-02-config.yaml`, and what else the cloud needs. Files whose names begin with two digits are
 * for the running cluster.
 *
 * Publishing the issuer's documents is a construct of its own (`IssuerBucket`, `IssuerContainer`, …). The private key
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

  /**
   * Throws `credentials-requests-none`, `component-provider-kind`, `credentials-request-secret-taken`, `component-secret-reserved`,
   * `component-file-taken`, `component-file-numbered`, `cluster-taken`, `cluster-facts-differ`, `cluster-name-invalid`,
   * `issuer-invalid`, `issuer-trailing-slash`, `version-invalid`, `upgradeable-to-not-newer`, `manifest-name-invalid`,
   * and the codes of the cloud's identities, with its own path before the message. The cloud checks all requests before
   * it declares anything.
   */
  constructor(scope: Construct, id: string, props: PlatformComponentsProps) {
    checkProps(new.target.name, scope, id, PLATFORM_COMPONENTS_PROPS, props);
    super(scope, id);
    const { identities, requests, upgradeableTo: version } = props;
    this.issuer = at(this, () => checked(props));
    this.manifests = Manifests.of(TerraformStack.of(this));
    const claim = { ...CLAIM, name: props.clusterName, issuer: this.issuer.url };
    at(this, () => checkClaim(this.manifests.recorded, claim));
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
        issuer: this.issuer.url,
        components: componentRecord(identities, this.declaration.grants, requests),
      });
    });
    at(this, () => proveAtSynth(this, "component", props.proof));
    warnOfSharedIssuer(this, props.clusterName, this.issuer.url);
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
  const { requests, skipped } = given;
  const { cloud, providerKind } = identities;
  if (requests.length === 0)
    fail(
      "credentials-requests-none",
      skipped.map(({ name: left, reason }) => `${left} ${reason}`),
    );
  const foreign = requests.find((request) => request.providerKind !== providerKind);
  if (foreign)
    fail("component-provider-kind", requestLabel(foreign), foreign.providerKind, cloud, providerKind);
  checkComponentFiles(requests, identities);
  if (version !== undefined) upgradeableTo(version);
  return Issuer.of(issuer);
}
