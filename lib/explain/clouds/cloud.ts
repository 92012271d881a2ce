/*
 * How a cloud's part of the chain is judged. A cloud declares what it knows here; nothing outside of its folder
 * branches on it.
 */

import type { Answer } from "../answer";
import type { ClusterRecord } from "../facts/cluster-record";
import type { Source } from "../facts/source";
import type { ServiceAccountFact } from "../facts/kubernetes-facts";
import type { NodeConfiguration, ProviderEntry } from "../facts/node-configuration";
import type { ComputedAttribute, Terraform } from "../facts/terraform";
import type { AccessTrust, CloudAccess } from "./cloud-access";
import type { CloudSpokes } from "./cloud-spokes";
import type { ObjectStore } from "./object-stores";
import type { PublishedIssuers } from "./published-issuers";

/** A repository as the kubelet looks it up. */
export interface Repository {
  /** Host, with port where the image has one. */
  readonly host: string;
  /** Path below the host. */
  readonly path: string;
  /** `<host>/<path>`. */
  readonly name: string;
}

/** What a service account's tokens are exchanged for. */
export interface CloudIdentity {
  /** For people and for `as`: an ARN, a client id, a principal. */
  readonly label: string;
  /** Equal exactly where the permissions are; decisions are remembered by it, so they name no identity. */
  readonly permissionKey: string;
  /** Where the identity stands. */
  readonly source: Source;
}

/** Who asks. */
export interface TrustQuestion {
  /** The cluster. */
  readonly cluster: ClusterRecord;
  /** The entry whose plugin runs. */
  readonly entry: ProviderEntry;
  /** The nodes that it runs on. */
  readonly node: NodeConfiguration;
  /** The service account. */
  readonly account: ServiceAccountFact;
  /** The service account's namespace. */
  readonly namespace: string;
  /** The service account's name. */
  readonly name: string;
}

/** Whether a cloud takes a service account's token, link by link. */
export interface TrustAnswer extends AccessTrust {
  /** As whom; `undefined` where that cannot be told. */
  readonly identity: CloudIdentity | undefined;
}

/** Whether an identity may pull. */
export interface PermissionAnswer {
  /** Whether it may log in at the registry. */
  readonly login: Answer;
  /** Whether it may read the repository. */
  readonly repository: Answer;
}

/** Repositories that an identity may read. */
export interface ReachedRepositories {
  /** `<host>/<repository>`, `*` for any text; or words where it is no pattern. */
  readonly pattern: string;
  /** True where the pattern is one that can be compared with what was declared. */
  readonly comparable: boolean;
}

/** A cloud, over the resources that were read. */
export interface Cloud {
  /** Key of the plugin in the version tables: `ecr`, `acr` or `gcp`. */
  readonly plugin: string;
  /** Annotation keys by which the plugin finds the identity. */
  readonly annotationKeys: readonly string[];
  /** Who acts in it other than by pulling; indexed when it is first asked for. */
  readonly access: CloudAccess;
  /** Its clusters as spokes of a fleet; indexed when they are first asked for. */
  readonly spokes: CloudSpokes;
  /** Abilities that the plugin must have for this entry. */
  needs(entry: ProviderEntry): readonly ("tokens" | "custom-pools")[];
  /** Whether arguments, variables and files of the entry suit the plugin; the same for all images of a registry. */
  arguments(
    entry: ProviderEntry,
    node: NodeConfiguration,
    registry: Pick<Repository, "host">,
    cluster: ClusterRecord,
  ): Answer;
  /** What becomes of the pull where they do not suit it and the plugin answers all the same; `undefined` for a plugin that fails. */
  answersAnyway?(entry: ProviderEntry, node: NodeConfiguration): Answer | undefined;
  /** Whether the plugin finds what it needs in the annotations that it is handed. */
  annotations(question: TrustQuestion): Answer;
  /** Judges the trust. */
  trust(question: TrustQuestion): TrustAnswer;
  /** Judges the permissions; called once per permission key and repository. */
  permission(identity: CloudIdentity, repository: Repository): PermissionAnswer;
  /** What the identity may read at all. */
  reach(identity: CloudIdentity): readonly ReachedRepositories[];
}

/** A cloud that can be read. */
export interface CloudReader {
  /** Attributes that the cloud can compute although Terraform knows them only after apply. */
  readonly computed: readonly ComputedAttribute[];
  /** The buckets or containers that may publish issuers, this cloud's or others'. */
  stores(terraform: Terraform): readonly ObjectStore[];
  /** Indexes the resources; the issuers are those that any cloud publishes. */
  read(terraform: Terraform, issuers: PublishedIssuers): Cloud;
}
