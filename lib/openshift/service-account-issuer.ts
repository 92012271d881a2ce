import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { clusterObject } from "../kubernetes/metadata";
import { GivenIssuer, ISSUER } from "../model/issuer";
import { authenticationManifest } from "../rules/openshift/authentication";
import { type ObjectKind, checkProps, object } from "../model/shape";

/** The issuer of a cluster's tokens. */
export interface ServiceAccountIssuerProps {
  /** The URL at which the issuer's documents are published, to the letter; may be late. */
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

  /** Throws `issuer-invalid` or `issuer-trailing-slash`. */
  constructor(scope: Construct, id: string, props: ServiceAccountIssuerProps) {
    checkProps(new.target.name, scope, id, SERVICE_ACCOUNT_ISSUER_PROPS, props);
    super(scope, id);
    const { apiVersion, kind, metadata, spec } = authenticationManifest(props.issuer);
    this.resource = clusterObject(this, "Resource", { apiVersion, kind, metadata, spec });
  }
}
