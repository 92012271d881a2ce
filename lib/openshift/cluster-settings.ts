import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { clusterObject } from "../kubernetes/metadata";
import { GivenIssuer, ISSUER, Issuer } from "../model/issuer";
import { type ObjectKind, checkProps, example, object, optional, text } from "../model/shape";
import { UPGRADEABLE_TO, upgradeableTo } from "../rules/openshift/two-releases";

/** The issuer that {@link ServiceAccountIssuer} writes. */
export interface ServiceAccountIssuerProps {
  /** The URL at which the issuer's documents are published, character for character; may be late. */
  readonly issuer: GivenIssuer;
}

const SERVICE_ACCOUNT_ISSUER_PROPS: ObjectKind<ServiceAccountIssuerProps> = object({
  issuer: ISSUER,
});

/**
 * `Authentication/cluster` with `spec.serviceAccountIssuer`, and no other field.
 *
 * The installer of a new cluster takes it from `manifests/cluster-authentication-02-config.yaml`. A running cluster
 * reissues every token: read OpenShift's documentation on changing the bound token's issuer first.
 */
export class ServiceAccountIssuer extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: ServiceAccountIssuerProps) {
    checkProps(new.target.name, scope, id, SERVICE_ACCOUNT_ISSUER_PROPS, props);
    super(scope, id);
    // The only field, so that applying the manifest changes nothing else.
    this.resource = clusterObject(this, "Resource", {
      apiVersion: "config.openshift.io/v1",
      kind: "Authentication",
      metadata: { name: "cluster" },
      spec: { serviceAccountIssuer: Issuer.of(props.issuer).url },
    });
  }
}

/** Name of the manifest below the installer's `manifests/`; it replaces the installer's own file. */
export const AUTHENTICATION_FILE = "cluster-authentication-02-config.yaml";

/** The release that {@link UpgradeableTo} declares ready. */
export interface UpgradeableToProps {
  /** OpenShift version to upgrade to, `4.23` or `4.23.1`. */
  readonly version: string;
  /**
   * The cluster's current version.
   *
   * @defaultValue - not compared; the operator then ignores a version that is not greater in major.minor
   */
  readonly clusterVersion?: string;
}

const UPGRADEABLE_TO_PROPS: ObjectKind<UpgradeableToProps> = object({
  version: example(text, '"4.22"'),
  clusterVersion: optional(text),
});

/**
 * Declares that the credentials for the next release exist, until which the Cloud Credential Operator blocks the
 * upgrade in manual mode: the annotation `cloudcredential.openshift.io/upgradeable-to` of `CloudCredential/cluster`.
 *
 * Apply it after the release's Secrets, with `kubectl apply --server-side`, which keeps the object's other fields;
 * the operator owns those.
 */
export class UpgradeableTo extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: UpgradeableToProps) {
    checkProps(new.target.name, scope, id, UPGRADEABLE_TO_PROPS, props);
    super(scope, id);
    const value = upgradeableTo(props.version, props.clusterVersion);
    this.resource = clusterObject(this, "Resource", {
      apiVersion: "operator.openshift.io/v1",
      kind: "CloudCredential",
      metadata: { name: "cluster", annotations: { [UPGRADEABLE_TO]: value } },
    });
  }
}
