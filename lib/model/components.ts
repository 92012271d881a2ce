/*
 * What clouds and Kubernetes share about OpenShift's components; `identity.ts` describes the contract. A cloud returns
 * the Secrets that the components read.
 */

import { COMPONENT_REQUEST, type CredentialsRequest, type SecretReference } from "./credentials-request";
import type { IIdentities, IdentityGrant, IdentityRequest } from "./identity";
import { CHECKED_ISSUER } from "./issuer";
import type { LateEncoding } from "./late";
import { type ObjectKind, type Kind, choice, made, list, method, object, text } from "./shape";

/** Audience of the tokens that OpenShift's components present to a cloud (their projected volumes state it). */
export const COMPONENT_AUDIENCE = "openshift";

/** Path of a component's token, unless its request states another. */
export const COMPONENT_TOKEN_PATH = "/var/run/secrets/openshift/serviceaccount/token";

/** All components of one cluster that request access to one cloud. */
export interface ComponentsRequest extends IdentityRequest {
  /** Requests of the identities' provider kind, sorted by namespace and name of the Secret, each Secret once. */
  readonly requests: readonly CredentialsRequest[];
}

/** A Secret to write; values may be late. */
export interface ComponentSecret extends SecretReference {
  /**
   * `stringData`, in the order in which it is written.
   *
   * @defaultValue - none
   */
  readonly stringData?: Readonly<Record<string, string>>;
  /**
   * `data`, base64; made with `encode("base64", …)` of `./late`, so that late values are filled in first.
   *
   * @defaultValue - none
   */
  readonly data?: Readonly<Record<string, string | LateEncoding>>;
}

/** The identity and the Secret of one component. */
export interface ComponentGrant extends IdentityGrant {
  /** The component's request. */
  readonly request: CredentialsRequest;
  /** The Secret that the component reads. */
  readonly secret: ComponentSecret;
  /**
   * The intended rights, if they differ from the request.
   *
   * @defaultValue - what the request asks for
   */
  readonly intends?: ComponentIntent;
  /**
   * Where its rights apply: scopes of Azure, `projects/<id>` of Google; may be late.
   *
   * @defaultValue - the rights themselves name the place
   */
  readonly places?: readonly string[];
}

/** Intended rights of a component that differ from its request. */
export interface ComponentIntent {
  /** All its rights, in the form of the request's provider part; texts may be late. */
  readonly rights: Readonly<Record<string, unknown>>;
  /**
   * The stated reason.
   *
   * @defaultValue - none was stated
   */
  readonly reason?: string;
}

/** What a cloud declared, as far as the manifests need it. */
export interface ComponentsDeclaration {
  /** One per request, in the order of the requests. */
  readonly grants: readonly ComponentGrant[];
  /** Further Secrets of the cloud, for example the one that makes OpenShift run Azure's pod identity webhook. */
  readonly secrets: readonly (ComponentSecret & {
    /** Name of its file below `manifests/`, without `.yaml`. */
    readonly file: string;
  })[];
}

/** How one cloud's identities for OpenShift's components are made. */
export interface IComponentIdentities<Scope> extends IIdentities<
  Scope,
  ComponentsRequest,
  ComponentsDeclaration
> {
  /** Distinguishes these identities from those for other jobs. */
  readonly job: "components";
  /** Kind of the `providerSpec` that it reads, for example `AWSProviderSpec`. */
  readonly providerKind: string;
  /**
   * Further Secrets that the declaration writes; a request for one of them is refused.
   *
   * @defaultValue - none
   */
  readonly furtherSecrets?: readonly SecretReference[];
}

export const COMPONENT_IDENTITIES: Kind<IComponentIdentities<never>> = made(
  "identities for components: componentRoles(), componentIdentities(), componentServiceAccounts()",
  "componentRoles(…)",
  { cloud: text, job: choice(["components"]), providerKind: text, declare: method },
);

export const COMPONENTS_REQUEST: ObjectKind<ComponentsRequest> = object({
  clusterName: text,
  issuer: CHECKED_ISSUER,
  requests: list(COMPONENT_REQUEST),
});
