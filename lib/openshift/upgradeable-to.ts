import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { clusterObject } from "../kubernetes/metadata";
import { UPGRADEABLE_TO, upgradeableTo } from "../rules/openshift/upgradeable-to";
import { type ObjectKind, checkProps, object, optional, text } from "../model/shape";

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

  /** Throws `version-invalid`, `upgradeable-to-not-newer` or `late-value`. */
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
