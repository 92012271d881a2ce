import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { clusterObject } from "../kubernetes/metadata";
import { GivenIssuer, ISSUER, Issuer } from "../model/issuer";
import { type ObjectKind, checkProps, object, optional, text } from "../model/shape";
import { UPGRADEABLE_TO, upgradeableTo } from "../rules/openshift/two-releases";

/** The issuer of a cluster's tokens. */
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
 * For a new cluster the installer takes it from `manifests/cluster-authentication-02-config.yaml`. In a running one
 * every token is issued anew: read OpenShift's documentation of changing the bound token's issuer first.
 */
export class ServiceAccountIssuer extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: ServiceAccountIssuerProps) {
    checkProps(new.target.name, scope, id, SERVICE_ACCOUNT_ISSUER_PROPS, props);
    super(scope, id);
    // No other field, so that an applied manifest changes nothing else.
    this.resource = clusterObject(this, "Resource", {
      apiVersion: "config.openshift.io/v1",
      kind: "Authentication",
      metadata: { name: "cluster" },
      spec: { serviceAccountIssuer: Issuer.of(props.issuer).url },
    });
  }
}

/** Name of the manifest below the installer's `manifests/`; it takes the place of the installer's own file. */
export const AUTHENTICATION_FILE = "cluster-authentication-02-config.yaml";

/** The release whose credentials exist. */
export interface UpgradeableToProps {
  /** OpenShift version to upgrade to, `4.23` or `4.23.1`. */
  readonly version: string;
  /**
   * The cluster's version now.
   *
   * @defaultValue - not compared; the operator then ignores a version that is not greater in major.minor
   */
  readonly clusterVersion?: string;
}

const UPGRADEABLE_TO_PROPS: ObjectKind<UpgradeableToProps> = object({
  version: text,
  clusterVersion: optional(text),
});

/**
 * Opens the gate that the Cloud Credential Operator keeps shut in manual mode until the credentials for the next
 * release exist: the annotation `cloudcredential.openshift.io/upgradeable-to` of `CloudCredential/cluster`.
 *
 * Apply it after the release's Secrets, with `kubectl apply --server-side`: the operator owns the object's other
 * fields, and they stay.
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
