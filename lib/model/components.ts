/*
 * How clouds meet OpenShift's components without importing each other. A cloud's maker turns all CredentialsRequests
 * of one cluster into identities, and answers with the Secrets that the components read.
 */

import { COMPONENT_REQUEST, type CredentialsRequest, type SecretReference } from "./credentials-request";
import { CHECKED_ISSUER, type Issuer } from "./issuer";
import type { LateEncoding } from "./late";
import { type ObjectKind, type Kind, like, list, method, object, text } from "./shape";

/** Audience of the tokens that OpenShift's components present to a cloud (their projected volumes state it). */
export const COMPONENT_AUDIENCE = "openshift";

/** Where a component's token is, unless its request says otherwise. */
export const COMPONENT_TOKEN_PATH = "/var/run/secrets/openshift/serviceaccount/token";

/** All components of one cluster that ask one cloud. */
export interface ComponentsRequest {
  /** Name of the cluster; begins the names of roles and identities. */
  readonly clusterName: string;
  /** Whose tokens are trusted; may be late. */
  readonly issuer: Issuer;
  /** Sorted by namespace and name of the Secret, each Secret once; all of the maker's kind. */
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
export interface ComponentGrant {
  /** Its request. */
  readonly request: CredentialsRequest;
  /** What it acts as, for people: an ARN, a resource id, an e-mail address; may be late. */
  readonly identity: string;
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
   * @defaultValue - nobody stated it
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
export interface IComponentIdentities<Scope> {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** Kind of the provider part that it reads, `AWSProviderSpec` say. */
  readonly providerKind: string;
  /**
   * Secrets that the declaration writes besides those of the requests, which no request may therefore ask for.
   *
   * @defaultValue - none
   */
  readonly furtherSecrets?: readonly SecretReference[];
  /** Declares trust, identities and permissions in the scope; checks every request before it declares anything. */
  declare(scope: Scope, request: ComponentsRequest): ComponentsDeclaration;
}

/** The kind of {@link IComponentIdentities}. */
export const COMPONENT_IDENTITIES: Kind<IComponentIdentities<never>> = like(
  "identities for components: componentRoles(), componentIdentities(), componentServiceAccounts()",
  { cloud: text, providerKind: text, declare: method },
);

/** The kind of a {@link ComponentsRequest}. */
export const COMPONENTS_REQUEST: ObjectKind<ComponentsRequest> = object({
  clusterName: text,
  issuer: CHECKED_ISSUER,
  requests: list(COMPONENT_REQUEST),
});
