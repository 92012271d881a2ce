/* How a cloud's part of a chain is judged. Nothing outside a cloud's folder branches on a cloud. */

import type { Known } from "../model/known";
import type { PluginAbility } from "../model/plugin";
import type { Power } from "../rules/powers";
import type { ClosedWorld, ClusterNames } from "./coverage/closed-world";
import type { TreeObject } from "../model/tree";
import type { Answer, Evidence } from "./answer";
import type { AskedRepository } from "./asked-image";
import type { Issuers, ObjectStore, PublishedKeys } from "./shared/object-store";
import type { ClusterFacts } from "./read/cluster-record";
import type { CredentialFileFact, SecretFact } from "./read/component-facts";
import type { NodeConfiguration, ProviderEntry } from "./read/node-configuration";
import type { PodFact } from "./read/pods";
import type { DeclaredCluster } from "./read/inferred-cluster";
import type { RecordedCommands } from "./read/recorded";
import type { ServiceAccountFact } from "./read/service-accounts";
import type { FleetWarning } from "./result";
import type { Source } from "./read/source";
import type { StatedSection } from "../artefact/fact-shape";
import type { SpokeFact } from "./read/spoke-facts";
import type { ComputedAttribute, Terraform } from "./read/terraform";

export interface TokenQuestion {
  /** `iss`. */
  readonly issuer: Known<string>;
  /**
   * True for a token of a further issuer that a cluster accepts while it moves to another issuer. Its bearer may have
   * other settings than those that were read, which are for the issuer that signs.
   */
  readonly further?: boolean;
  /** The only entry of `aud`. */
  readonly audience: Known<string>;
  readonly namespace: string;
  readonly name: string;
}

/** Whether a cloud accepts a token, link by link. */
export interface TrustAnswer {
  readonly issuer: Answer;
  readonly audience: Answer;
  readonly subject: Answer;
}

/** A plugin and the registries that it is for: how it runs, and who may pull with what it returns. */
export interface RegistryPlugin {
  /** Key of the plugin in the version tables, or the name of its executable. */
  readonly plugin: string;
  /** Annotation keys by which the plugin finds the identity. */
  readonly annotationKeys: readonly string[];
  /** Abilities that the plugin must have for this entry. */
  needs(entry: ProviderEntry): readonly PluginAbility[];
  /** Whether arguments, variables and files of the entry suit the plugin; the same for all images of a host. */
  arguments(entry: ProviderEntry, node: NodeConfiguration, host: string, cluster: ClusterFacts): Answer;
  /** What becomes of the pull if they do not suit the plugin but it answers anyway; `undefined` if it fails. */
  answersAnyway?(entry: ProviderEntry, node: NodeConfiguration): Answer | undefined;
  /** Whether the plugin finds what it needs in the annotations that it is handed. */
  annotations(question: PullQuestion): Answer;
  /** Where everyone is allowed to read a repository, or all of a pattern; `undefined` if that is not certain. */
  readByAll(repository: AskedRepository): Evidence | undefined;
  /** The identity that the plugin acts as, and whether the cloud or the registry accepts the token. */
  puller(question: PullQuestion): PullIdentity;
}

export interface PullQuestion {
  readonly cluster: ClusterFacts;
  readonly token: TokenQuestion;
  readonly entry: ProviderEntry;
  readonly node: NodeConfiguration;
  readonly account: ServiceAccountFact;
}

/** What a service account's tokens are exchanged for. */
export interface PullIdentity {
  /** Whether the cloud accepts the token. */
  readonly trust: TrustAnswer;
  /** For people and for `as`: an ARN, a client id, a principal; `undefined` if it cannot be determined. */
  readonly label: string | undefined;
  /**
   * What tells it from all others in its cloud.
   *
   * @defaultValue - the label
   */
  readonly id?: Known<string>;
  /** Where the identity is declared; `undefined` if it was not read. */
  readonly source: Source | undefined;
  /** All issuers whose tokens its trust may admit; `undefined`, or absent, if these are not known. */
  trusted?(): readonly Known<string>[] | undefined;
  /** Whether everything that was read of it is understood, and nothing that is not read may change it. */
  understood(cluster: ClusterNames): Answer;
  /**
   * What it may do: one object for all identities with the same rights, since answers are remembered by it. Its answers
   * name no identity.
   */
  readonly rights: PullRights;
  /**
   * Whether the trust accepts a token for any audience of the OIDC provider. Absent if a cloud accepts only named
   * audiences.
   */
  admitsAnyAudience?(): boolean;
  /**
   * Whether the trust certainly accepts the token of another service account, `namespace` and `name`. Absent if the
   * identity, or what it may do, depends on who shows the token.
   */
  admits?(namespace: string, name: string): boolean;
}

export interface PullRights {
  /** Whether it may log in at the host. */
  login(host: string): Answer;
  /** Whether it may read the repository, or every repository of a pattern. */
  repository(repository: AskedRepository): Answer;
  /** What it may read of what is asked about, or a little more: only that is judged. */
  reach(isAsked?: IsAsked): readonly ReachedRepositories[];
  /** What it was granted, right by right, including the right to read images. */
  held(): readonly HeldRight[];
}

/** One right as it was granted, so that the rights of two readings can be compared. */
export interface HeldRight {
  /** The right in words; two rights with the same words are the same. */
  readonly text: string;
  /** What may be done to what, both with IAM's wildcards, and on which condition; absent if only the words tell. */
  readonly covers?: { readonly action: string; readonly on: string; readonly under: string };
  /** True for what may be any right or limit: a policy that was not read, a grant that may be to another. */
  readonly limits?: boolean;
  /**
   * What it takes from the other rights: what a denial covers, or all but what a boundary or session policy covers. Without
   * it, it gives.
   */
  readonly takes?: "denial" | "boundary" | "session policy";
  /** True for the right to act as one named identity, which is trust in its holder. */
  readonly ofOne?: boolean;
  /** What it amounts to beyond its words, or would without the denial; absent if nothing is known of that. */
  readonly power?: Power | undefined;
  /**
   * The images that it allows to read, as in {@link PullRights.reach}; empty for a right to log in; absent for other
   * rights, or if the images are not known.
   */
  readonly reads?: readonly string[] | undefined;
  /** The images that it bears on, whatever it allows; absent if it may bear on any. */
  readonly bears?: readonly string[] | undefined;
  readonly source: Source | undefined;
}

/** What was granted to an identity or a principal, whether or not a service account that was read acts as it. */
export interface Granted {
  /** An identity as {@link PullIdentity.label} names it, or else a principal as the grant writes it. */
  readonly to: string;
  /**
   * True if these are all the rights of the identity, which are compared for the service accounts that act as it; false
   * for what a resource grants to the principals that it names.
   */
  readonly isHeld: boolean;
  /** Where the identity is declared; absent if only its name is known. */
  readonly at?: Source;
  /** True if the files declare it, or exchange tokens for it. */
  readonly isOwn: boolean;
  /** Who it is, a clause; absent if only its name tells. */
  readonly who?: string;
  /** True if the grant admits more than its principal says. */
  readonly isOpen?: true;
  rights(): readonly HeldRight[];
}

/** Whether some repositories are asked about. */
export type IsAsked = (repositories: ReachedRepositories) => boolean;

/** Repositories that an identity may read. */
export interface ReachedRepositories {
  /** `<host>/<repository>` with `*` for any text, or words if it is not a pattern. */
  readonly pattern: string;
  /** True if the pattern can be compared with what was declared. */
  readonly comparable: boolean;
}

/** What was meant to be granted. */
export interface AskedRights {
  /** In the form of a request's provider part, without `kind` and `apiVersion`. */
  readonly rights: TreeObject;
  /** Where they apply: Azure scopes, Google's `projects/<id>`; none if the rights say it themselves. */
  readonly places: readonly Known<string>[];
}

/** The identity that a Secret, an annotation or a file names. */
export interface AccessIdentity {
  /** For people and for `as`: an ARN, a client id, an e-mail address. */
  readonly label: string;
  readonly id?: Known<string> | undefined;
  readonly found: Answer;
  trust(token: TokenQuestion): TrustAnswer;
  trusted?(): readonly Known<string>[] | undefined;
  understood(cluster: ClusterNames): Answer;
  /** As in {@link PullIdentity}, for the token that is shown. */
  admitsAnyAudience?(token: TokenQuestion): boolean;
  /** Whether everything that is asked for is granted; if nothing is asked for, whether anything is granted. */
  permissions(asked: AskedRights | undefined, token: TokenQuestion): Answer;
  /** What it was granted, right by right. */
  held(token: TokenQuestion): readonly HeldRight[];
  /** What it was meant to be granted, in the form of {@link held}; a right that may be among that is. */
  meant(asked: AskedRights, token: TokenQuestion): readonly HeldRight[];
}

/** What was found for the bearer of a token. */
export interface AccessReading {
  /** Whether what names the identity is well-formed. */
  readonly answer: Answer;
  /** The identity that it names; `undefined` if it names none. */
  readonly identity: AccessIdentity | undefined;
}

/** A verb on a resource, for a cloud that asks RBAC of the cluster. */
export interface AskedRight {
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: Known<string>;
}

export interface AccountQuestion {
  readonly account: ServiceAccountFact;
  readonly pods: readonly PodFact[];
  /** What its pods need, as a file in `pods/` states it; `undefined` without one. */
  readonly fragment: PodFact | undefined;
  readonly files: readonly CredentialFileFact[];
  /** True if it is recorded that it acts in this cloud. */
  readonly declared: boolean;
  /** Variables that the asking program has in addition to those of its container, which they override. */
  readonly program: ReadonlyMap<string, Known<string>>;
  /**
   * Whether to consider what the cloud gives service accounts of its own clusters, as is not done for a controller that
   * enters spokes.
   *
   * @defaultValue false
   */
  readonly native?: boolean;
  /** The cluster that it runs in, as far as it is recorded. */
  readonly cluster: Pick<
    ClusterFacts,
    "name" | "cloudName" | "issuer" | "openShift" | "components" | "podIdentityWebhooks" | "webhooksOff"
  > & {
    readonly fleet?: { readonly webhooks: readonly string[] | undefined } | undefined;
  };
  /**
   * Whether RBAC of the cluster gives the service account a right in the whole cluster.
   *
   * @defaultValue - not judged
   */
  readonly granted?: (right: AskedRight) => Answer;
  /** The pod identity webhooks that its objects show, by cloud, and agents by `agentOf`. */
  readonly webhooks: ReadonlyMap<string, Source>;
}

export interface AccountReading extends AccessReading {
  /** Whether its pods get a token and know its path, as far as the files show. */
  readonly pods: Answer;
  /** The audiences of the tokens that its pods show, each once; empty if none is known. */
  readonly audiences: readonly Known<string>[];
}

/** Who acts in a cloud apart from pulling: OpenShift's components by Secrets, workloads by annotations and files. */
export interface CloudAccess {
  /** Kind of the provider part of its CredentialsRequests. */
  readonly providerKind: string;
  /** True for a Secret that points an SDK of this cloud to a token, correctly or not. */
  recognizes(secret: SecretFact): boolean;
  /**
   * Reads the Secret of a component whose token is at `tokenPath`, which is `undefined` if nothing says where it is.
   * `beside` are all Secrets of the cluster, by `namespace/name`.
   */
  secret(
    secret: SecretFact,
    tokenPath: string | undefined,
    beside: ReadonlyMap<string, SecretFact>,
  ): AccessReading;
  /** Reads a workload; `undefined` for one that does not act in this cloud. */
  account(question: AccountQuestion): AccountReading | undefined;
}

/** How the plugin of a cloud is called for a spoke. */
export interface SpokeCall {
  readonly server: Known<string>;
  readonly args: readonly Known<string>[];
  /** Variables of the plugin; its own override those of the controller's container. */
  readonly env: ReadonlyMap<string, Known<string>>;
  /** True if it is recorded that the spoke belongs to this cloud. */
  readonly recorded: boolean;
}

export interface SpokeQuestion extends SpokeCall {
  readonly spoke: string;
  readonly account: ServiceAccountFact | undefined;
  readonly identity: AccessIdentity;
  /** Id of the project that admits controllers, as recorded; `undefined` if none is. */
  readonly project: string | undefined;
  /** Number of that project, as recorded; `undefined` if none is. */
  readonly projectNumber: string | undefined;
  /** What was read about the spoke's own objects. */
  readonly rbac: SpokeFact;
  /** Where the controller is configured to impersonate others there; `undefined` if it is not. */
  readonly impersonates: Source | undefined;
}

export interface SpokeReading {
  /** Whether the spoke knows the controller's identity. */
  readonly admitted: Answer;
  /** Whether the cloud or the spoke allows it anything. */
  readonly authorized: Answer;
  readonly warnings: readonly FleetWarning[];
}

/** The clusters of a cloud as spokes of a fleet. */
export interface CloudSpokes {
  read(question: SpokeQuestion): SpokeReading;
  /**
   * What the API servers of the cloud's clusters refuse in a call; `undefined` if nothing is wrong. Absent if nothing
   * in a call can be wrong. `where` is what was read about the call.
   */
  called?(call: SpokeCall, where: readonly Evidence[]): Answer | undefined;
}

/** Claims of any token, for tests of trust. */
export interface ShownClaims {
  /** `iss`; known only after apply where it is the issuer of a stack that makes its own. */
  readonly issuer: Known<string>;
  /** `sub`; it need not be a service account's. */
  readonly subject: string;
  /** The only entry of `aud`. */
  readonly audience: string;
}

/** What admits tokens: a role, an identity or application with federated credentials, a pool provider. */
export interface DeclaredIdentity {
  /** What tells it from all others of its cloud. */
  readonly id: string;
  readonly address: string;
  /** What a test may call it: address, name, ARN or resource id. */
  readonly names: readonly string[];
  readonly source: Source;
  /** Whether a token is admitted; an OIDC provider that is only adopted is presumed to exist. */
  trust(claims: ShownClaims): TrustAnswer;
  /** As in {@link PullIdentity}, for the token that is shown. */
  admitsAnyAudience?(claims: ShownClaims): boolean;
  /** What its trust compares claims with. */
  readonly terms: TrustTerms;
}

/** The texts that a trust compares the claims of tokens with. */
export interface TrustTerms {
  readonly issuers: readonly Known<string>[];
  readonly audiences: readonly Known<string>[];
  /** Subjects, and patterns of them with IAM's wildcards. */
  readonly subjects: readonly Known<string>[];
  /** How tokens become principals, if that is configured: other texts may yield other principals. */
  readonly maps?: readonly Known<string>[];
  /** The keys that the cloud was handed to verify tokens with, if it was. */
  readonly keys?: PublishedKeys | undefined;
  /** What decides about subjects by other means, such as expressions; equal texts decide equally. */
  readonly beyond: readonly Known<string>[];
}

/** A cloud, over the resources that were read. */
export interface Cloud {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  readonly pulls: RegistryPlugin;
  readonly access: CloudAccess;
  readonly spokes: CloudSpokes;
  /** What is declared here and admits tokens; what is only looked up is left out. */
  readonly identities: readonly DeclaredIdentity[];
  /** What is granted, to identities, to principals that resources name, and to everyone. */
  readonly granted: readonly Granted[];
}

export interface CloudReader {
  /** Key of the cloud in files with facts. */
  readonly cloud: string;
  readonly title: string;
  /** What the types of its Terraform resources begin with. */
  readonly providers: readonly string[];
  /** The facts that may be stated about it; absent if there are none. */
  readonly stated?: StatedSection;
  /** Attributes that the cloud can compute although Terraform knows them only after apply. */
  readonly computed: readonly ComputedAttribute[];
  /** The clusters of Kubernetes that are declared or looked up. */
  clusters(terraform: Terraform): readonly DeclaredCluster[];
  /** How the outputs of its command line are read. */
  readonly recorded: RecordedCommands;
  /** The buckets or containers that may publish issuers, this cloud's or others'. */
  stores(terraform: Terraform): readonly ObjectStore[];
  /** Reads the cloud; resources are indexed when they are first needed. */
  read(terraform: Terraform, issuers: Issuers, world: ClosedWorld): Cloud;
}
