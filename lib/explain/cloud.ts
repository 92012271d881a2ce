/*
 * How a cloud's part of a chain is judged. A cloud declares what it knows here; nothing outside of its folder branches
 * on it.
 */

import type { Known } from "../model/known";
import type { TreeObject } from "../model/tree";
import type { Answer, Evidence } from "./answer";
import type { AskedRepository } from "./asked-image";
import type { Issuers, ObjectStore } from "./shared/object-store";
import type { ClusterFacts } from "./read/cluster-record";
import type { CredentialFileFact, SecretFact } from "./read/component-facts";
import type { NodeConfiguration, ProviderEntry } from "./read/node-configuration";
import type { PodFact } from "./read/pods";
import type { ServiceAccountFact } from "./read/service-accounts";
import type { Source } from "./read/source";
import type { StatedSection } from "./stated";
import type { SpokeFact } from "./read/spoke-facts";
import type { ComputedAttribute, Terraform } from "./read/terraform";

/** Whose token is shown. */
export interface TokenQuestion {
  /** `iss`. */
  readonly issuer: Known<string>;
  /**
   * True for a token of a further issuer, which a cluster on the move accepts beside the one that signs. Its bearer may
   * have other settings than those that were read, which are for the one that signs.
   */
  readonly further?: boolean;
  /** The only entry of `aud`. */
  readonly audience: Known<string>;
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly name: string;
}

/** Whether a cloud takes a token, link by link. */
export interface TrustAnswer {
  /** Whether the issuer is trusted. */
  readonly issuer: Answer;
  /** Whether the audience is accepted. */
  readonly audience: Answer;
  /** Whether the subject is admitted. */
  readonly subject: Answer;
}

/** An image credential provider, and the registry that it is for. */
export interface PluginCloud {
  /** Key of the plugin in the version tables: `ecr`, `acr` or `gcp`. */
  readonly plugin: string;
  /** Annotation keys by which the plugin finds the identity. */
  readonly annotationKeys: readonly string[];
  /** Abilities that the plugin must have for this entry. */
  needs(entry: ProviderEntry): readonly ("tokens" | "custom-pools")[];
  /** Whether arguments, variables and files of the entry suit the plugin; the same for all images of a host. */
  arguments(entry: ProviderEntry, node: NodeConfiguration, host: string, cluster: ClusterFacts): Answer;
  /** What becomes of the pull where they do not suit it and the plugin answers all the same; `undefined` where it fails. */
  answersAnyway?(entry: ProviderEntry, node: NodeConfiguration): Answer | undefined;
  /** Whether the plugin finds what it needs in the annotations that it is handed. */
  annotations(question: PullQuestion): Answer;
  /** Where it is granted that everyone may read a repository, or all of a pattern; `undefined` where that is not certain. */
  readByAll(repository: AskedRepository): Evidence | undefined;
  /** As whom the plugin acts, and whether the cloud lets it. */
  puller(question: PullQuestion): PullIdentity;
}

/** Who pulls, by which entry. */
export interface PullQuestion {
  /** The cluster. */
  readonly cluster: ClusterFacts;
  /** The token that the kubelet requests. */
  readonly token: TokenQuestion;
  /** The entry whose plugin runs. */
  readonly entry: ProviderEntry;
  /** The nodes that it runs on. */
  readonly node: NodeConfiguration;
  /** The service account. */
  readonly account: ServiceAccountFact;
}

/** What a service account's tokens are exchanged for. */
export interface PullIdentity {
  /** Whether the cloud takes the token. */
  readonly trust: TrustAnswer;
  /** For people and for `as`: an ARN, a client id, a principal; `undefined` where it cannot be determined who it is. */
  readonly label: string | undefined;
  /** Where the identity stands; `undefined` where it was not read. */
  readonly source: Source | undefined;
  /**
   * What it may do: the same object for all identities that may do the same, since answers are remembered by it. Its
   * answers name no identity.
   */
  readonly rights: PullRights;
  /**
   * Whether the trust takes a token for any audience of the OIDC provider. Absent where a cloud takes none but those
   * that are named.
   */
  admitsAnyAudience?(): boolean;
}

/** What an identity may do at registries. */
export interface PullRights {
  /** Whether it may log in at the host. */
  login(host: string): Answer;
  /** Whether it may read the repository, or every repository of a pattern. */
  repository(repository: AskedRepository): Answer;
  /** What it may read at all. */
  reach(): readonly ReachedRepositories[];
  /** What it was granted, right by right, that to read images included. */
  held(): readonly HeldRight[];
}

/** One right as it was granted, so that those of two readings can be compared. */
export interface HeldRight {
  /** In words; two of the same words are the same right. */
  readonly text: string;
  /** What may be done to what, both with IAM's wildcards, and under which condition; absent where words alone tell. */
  readonly covers?: { readonly action: string; readonly on: string; readonly under: string };
  /** True for what limits the other rights, or may: a denial, a boundary, a policy that was not read. */
  readonly limits?: boolean;
  /**
   * The images that it lets read, as in {@link PullRights.reach}, none for one that lets log in; absent for one that lets
   * do other things, or where the images are not known.
   */
  readonly reads?: readonly string[] | undefined;
  /** Where it was granted. */
  readonly source: Source | undefined;
}

/** What was granted to whom, whether or not a service account of a cluster that was read acts as it. */
export interface Granted {
  /** An identity as {@link PullIdentity.label} names it, else a principal as it is written where it is granted. */
  readonly to: string;
  /**
   * True where these are all rights that the identity was granted, which are compared for the service accounts that act
   * as it; false for what a resource grants to those that it names.
   */
  readonly isHeld: boolean;
  /** Where such an identity stands; absent where it goes by its name. */
  readonly at?: Source;
  /** True for one that the files themselves declare, or whose tokens these exchange. */
  readonly isOwn: boolean;
  /** The rights. */
  rights(): readonly HeldRight[];
}

/** Repositories that an identity may read. */
export interface ReachedRepositories {
  /** `<host>/<repository>`, `*` for any text; or words where it is not a pattern. */
  readonly pattern: string;
  /** True where the pattern is one that can be compared with what was declared. */
  readonly comparable: boolean;
}

/** What was meant to be granted. */
export interface AskedRights {
  /** In the form of a request's provider part, without `kind` and `apiVersion`. */
  readonly rights: TreeObject;
  /** Where it counts: scopes of Azure, `projects/<id>` of Google; none where the rights say it. */
  readonly places: readonly Known<string>[];
}

/** What a Secret, an annotation or a file says to act as. */
export interface AccessIdentity {
  /** For people and for `as`: an ARN, a client id, an e-mail address. */
  readonly label: string;
  /** Whether it was found in Terraform. */
  readonly found: Answer;
  /** Judges the exchange of a token. */
  trust(token: TokenQuestion): TrustAnswer;
  /** As of {@link PullIdentity}, of a token that is shown. */
  admitsAnyAudience?(token: TokenQuestion): boolean;
  /** Whether all that is asked for is granted; with nothing asked for, whether anything is. */
  permissions(asked: AskedRights | undefined, token: TokenQuestion): Answer;
  /** What it was granted, right by right. */
  held(token: TokenQuestion): readonly HeldRight[];
}

/** What was found for the bearer of a token. */
export interface AccessReading {
  /** Whether what names the identity is right in itself. */
  readonly answer: Answer;
  /** What it names; `undefined` where it names nothing. */
  readonly identity: AccessIdentity | undefined;
}

/** A workload that is asked about. */
export interface AccountQuestion {
  /** The service account. */
  readonly account: ServiceAccountFact;
  /** The pods that run as it. */
  readonly pods: readonly PodFact[];
  /** What was written that its pods need; `undefined` where nothing was. */
  readonly fragment: PodFact | undefined;
  /** The files with credentials of its namespace. */
  readonly files: readonly CredentialFileFact[];
  /** True where it is recorded that it acts in this cloud. */
  readonly declared: boolean;
  /** Variables that the asking program has besides those of its container, and above them. */
  readonly program: ReadonlyMap<string, Known<string>>;
  /**
   * True where what the cloud gives service accounts of its own clusters counts; for a controller that enters spokes
   * {@link CloudSpokes.native} answers.
   *
   * @defaultValue false
   */
  readonly native?: boolean;
  /**
   * The cluster that it runs in, as far as it says whether a pod identity webhook runs there. Without `fleet` that is
   * taken for granted.
   */
  readonly cluster: {
    readonly name?: string;
    readonly issuer?: ClusterFacts["issuer"];
    readonly fleet?: { readonly webhooks: readonly string[] | undefined } | undefined;
  };
}

/** What was found for a workload. */
export interface AccountReading extends AccessReading {
  /** Whether its pods get a token and learn where it is, as far as can be seen. */
  readonly pods: Answer;
  /** The audiences of the tokens that its pods show, each once; none where none is known. */
  readonly audiences: readonly Known<string>[];
}

/** Who acts in a cloud other than by pulling: OpenShift's components by their Secrets, workloads by annotations and files. */
export interface CloudAccess {
  /** Kind of the provider part of its CredentialsRequests. */
  readonly providerKind: string;
  /** The rights of a request, each by itself in words, to compare two and to name one. */
  inWords(rights: TreeObject): readonly string[];
  /** True for a Secret that leads an SDK of this cloud to a token, rightly or wrongly. */
  recognizes(secret: SecretFact): boolean;
  /**
   * Reads the Secret of a component whose token is at that path, `undefined` where nothing says where it is; beside it
   * are all Secrets of the cluster, by `namespace/name`.
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
  /** The server of the profile. */
  readonly server: Known<string>;
  /** Arguments of the plugin. */
  readonly args: readonly Known<string>[];
  /** Variables of the plugin, those of the controller's container below those of its own. */
  readonly env: ReadonlyMap<string, Known<string>>;
  /** True where it is recorded that the spoke is of this cloud. */
  readonly recorded: boolean;
}

/** Who enters which spoke. */
export interface SpokeQuestion extends SpokeCall {
  /** Name of the spoke's profile. */
  readonly spoke: string;
  /** Annotations of the service account. */
  readonly account: ServiceAccountFact | undefined;
  /** The identity that the controller acts as. */
  readonly identity: AccessIdentity;
  /** Id of the project that lets controllers in, as recorded; `undefined` where none is. */
  readonly project: string | undefined;
  /** Number of that project, as recorded; `undefined` where none is. */
  readonly projectNumber: string | undefined;
  /** What was read of the spoke's own objects. */
  readonly rbac: SpokeFact;
  /** Where the controller is configured to act as others there; `undefined` where it is not. */
  readonly impersonates: Source | undefined;
}

/** Something that works, and that people should know. */
export interface FleetWarning {
  /** Names the kind of warning. */
  readonly id: string;
  /** What it is, one sentence without full stop. */
  readonly reason: string;
  /** What it was judged by. */
  readonly evidence: readonly Evidence[];
  /** What to do. */
  readonly remedy: string;
}

/** What a cloud says of a spoke. */
export interface SpokeReading {
  /** Whether the spoke knows the controller's identity. */
  readonly admitted: Answer;
  /** Whether cloud or spoke allow it anything. */
  readonly authorized: Answer;
  /** What people should know. */
  readonly warnings: readonly FleetWarning[];
}

/** The clusters of a cloud as spokes of a fleet. */
export interface CloudSpokes {
  /** Judges a controller's way into a spoke. */
  read(question: SpokeQuestion): SpokeReading;
  /**
   * The answer where the cloud gives a controller on one of its own clusters an identity that is not judged here;
   * `undefined` where nothing that was read says so. Absent where the cloud gives none by itself.
   */
  native?(account: ServiceAccountFact): Answer | undefined;
  /**
   * What the API servers of the cloud's clusters do not take of a call; `undefined` where nothing is wrong. Absent where
   * nothing in a call can be. The evidence is what was read of the call.
   */
  called?(call: SpokeCall, where: readonly Evidence[]): Answer | undefined;
}

/** Claims of any token, for tests of trust. */
export interface ShownClaims {
  /** `iss`. */
  readonly issuer: string;
  /** `sub`; it need not be a service account's. */
  readonly subject: string;
  /** The only entry of `aud`. */
  readonly audience: string;
}

/** An identity, or what stands for one, whose trust a configuration declares: a role, a credential, a pool's provider. */
export interface DeclaredIdentity {
  /** Address of its resource. */
  readonly address: string;
  /** What a test may call it: address, name, ARN or resource id. */
  readonly names: readonly string[];
  /** Where it stands. */
  readonly source: Source;
  /** Whether a token is let in; an OIDC provider that is only adopted is presumed to be there. */
  trust(claims: ShownClaims): TrustAnswer;
  /** As of {@link PullIdentity}, of a token that is shown. */
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
  /** How tokens become principals, where that is configured: other texts may make other principals of them. */
  readonly maps?: readonly Known<string>[];
  /** What decides about subjects by other means, expressions say: equal texts decide the same. */
  readonly beyond: readonly Known<string>[];
}

/** A cloud, over the resources that were read. */
export interface Cloud {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** Its registries' image credential provider. */
  readonly pulls: PluginCloud;
  /** Who acts in it other than by pulling. */
  readonly access: CloudAccess;
  /** Its clusters as spokes of a fleet. */
  readonly spokes: CloudSpokes;
  /** What is declared here and lets tokens in; what is only looked up is left out. */
  readonly identities: readonly DeclaredIdentity[];
  /** What is granted to anyone: identities, principals that resources name, and everyone. */
  readonly granted: readonly Granted[];
}

/** A cloud that can be read. */
export interface CloudReader {
  /** Key of the cloud in files with facts. */
  readonly cloud: string;
  /** Its name, for people. */
  readonly title: string;
  /** What the types of its Terraform resources begin with. */
  readonly providers: readonly string[];
  /** What may be stated of it; absent where nothing may. */
  readonly stated?: StatedSection;
  /** Attributes that the cloud can compute although Terraform knows them only after apply. */
  readonly computed: readonly ComputedAttribute[];
  /** The buckets or containers that may publish issuers, this cloud's or others'. */
  stores(terraform: Terraform): readonly ObjectStore[];
  /** The cloud; the resources are indexed when they are first asked for. */
  read(terraform: Terraform, issuers: Issuers): Cloud;
}
