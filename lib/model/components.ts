/*
 * OpenShift's components, as clouds and Kubernetes both know them: `identity.ts` says how they meet. A cloud answers
 * with the Secrets that the components read.
 */

import { COMPONENT_REQUEST, type CredentialsRequest, type SecretReference } from "./credentials-request";
import type { IIdentities, IdentityGrant, IdentityRequest } from "./identity";
import { CHECKED_ISSUER } from "./issuer";
import type { LateEncoding } from "./late";
import { type ObjectKind, type Kind, choice, like, list, method, object, text } from "./shape";

/** Audience of the tokens that OpenShift's components present to a cloud (their projected volumes state it). */
export const COMPONENT_AUDIENCE = "openshift";

/** Where a component's token is, unless its request says otherwise. */
export const COMPONENT_TOKEN_PATH = "/var/run/secrets/openshift/serviceaccount/token";

/** All components of one cluster that ask one cloud. */
export interface ComponentsRequest extends IdentityRequest {
  /** Sorted by namespace and name of the Secret, each Secret once; all of the provider kind that the identities read. */
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

/** What one component got. */
export interface ComponentGrant extends IdentityGrant {
  /** Its request. */
  readonly request: CredentialsRequest;
  /** The Secret that it reads. */
  readonly secret: ComponentSecret;
  /**
   * What it was meant to get in place of what its request asks for.
   *
   * @defaultValue - what the request asks for
   */
  readonly intends?: ComponentIntent;
  /**
   * Where its rights count: scopes of Azure, `projects/<id>` of Google; may be late.
   *
   * @defaultValue - the rights say it themselves
   */
  readonly places?: readonly string[];
}

/** What a component was meant to get other than its request asks for. */
export interface ComponentIntent {
  /** All its rights, in the form of the request's provider part; texts may be late. */
  readonly rights: Readonly<Record<string, unknown>>;
  /**
   * Why, as it was stated.
   *
   * @defaultValue - none was stated
   */
  readonly reason?: string;
}

/** What a cloud's maker declared, as far as Kubernetes must know it. */
export interface ComponentsDeclaration {
  /** One per request, in the order of the requests. */
  readonly grants: readonly ComponentGrant[];
  /** Further Secrets of the cloud, for example what makes OpenShift run Azure's pod identity webhook. */
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
  /** Tells them from the identities of the other jobs. */
  readonly job: "components";
  /** Kind of the provider part that it reads, `AWSProviderSpec` say. */
  readonly providerKind: string;
  /**
   * Secrets that the declaration writes besides those of the requests, which no request may therefore ask for.
   *
   * @defaultValue - none
   */
  readonly furtherSecrets?: readonly SecretReference[];
}

/** The kind of {@link IComponentIdentities}. */
export const COMPONENT_IDENTITIES: Kind<IComponentIdentities<never>> = like(
  "identities for components: componentRoles(), componentIdentities(), componentServiceAccounts()",
  { cloud: text, job: choice(["components"]), providerKind: text, declare: method },
);

/** The kind of a {@link ComponentsRequest}. */
export const COMPONENTS_REQUEST: ObjectKind<ComponentsRequest> = object({
  clusterName: text,
  issuer: CHECKED_ISSUER,
  requests: list(COMPONENT_REQUEST),
});
