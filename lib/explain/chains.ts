/*
 * Judges pulls. What depends on less than the whole question is judged once: entries per image, trust per service
 * account, permissions per identity and repository. A verdict then costs three look-ups.
 */

import {
  type AccountStage,
  Chain,
  type Judged,
  type NodeStage,
  type RecentAccounts,
  type SharedPermissions,
} from "./chain";
import { accountChecks, nodeChecks, permissionChecks } from "./checks/checks";
import { LaterLinks, judge } from "./links";
import { ImageStages, type Pools } from "./image-stages";
import { QuestionContext } from "./question-context";
import { repositoryOf } from "./checks/image-parses";
import { pullSecretsOf } from "./checks/otherwise-secrets";
import { matchingEntries } from "./checks/provider-matches-image";
import type { Cloud, CloudIdentity, Repository } from "./clouds/cloud";
import type { Clouds } from "./clouds/clouds";
import type { ClusterArtefacts } from "./facts/facts";
import type { NodeConfiguration, ProviderEntry } from "./facts/node-configuration";
import { Memory, Recent, inner } from "./memory";
import type { PullQuestion, Puller } from "./questions";
import { compareVerdicts } from "./verdict";

/** Judges pulls, remembering what it has judged. */
export class Chains {
  readonly #clouds: Clouds;
  /** By cluster and origin, then by image: the pools, and in each the entries that match. */
  readonly #stages = new Memory<ClusterArtefacts, string, ImageStages>();
  #last: { readonly puller: Puller; readonly images: ImageStages } | undefined;
  /** Accounts by entry, so that images of one registry share them. */
  readonly #accounts = new Map<object, RecentAccounts>();
  readonly #permissions = new Map<Cloud, Recent<string, SharedPermissions>>();

  constructor(clouds: Clouds) {
    this.#clouds = clouds;
  }

  /** The best chain on each pool's nodes, and of these the worst: a pod may come to any. */
  worst(question: PullQuestion): Chain | undefined {
    let worst: Chain | undefined;
    for (const stages of this.#pools(question)) {
      const best = this.#best(question, stages);
      if (!worst || (best && compareVerdicts(best.verdict, worst.verdict) < 0)) worst = best;
    }
    return worst;
  }

  /** The identity that a service account's tokens become by an entry; `undefined` where that is not known. */
  identity(question: PullQuestion, node: NodeConfiguration, entry: ProviderEntry): CloudIdentity | undefined {
    const stage = this.#judgedStage(question, node, entry, undefined);
    return this.#judgedAccount(question, stage).identity;
  }

  #best(question: PullQuestion, stages: readonly NodeStage[]): Chain | undefined {
    let best: Chain | undefined;
    for (const stage of stages) {
      const chain = this.#chain(question, stage);
      if (!best || isBetter(chain, best)) best = chain;
    }
    return best;
  }

  #chain(question: PullQuestion, stage: NodeStage): Chain {
    const account = stage.judged.failed ? undefined : this.#account(question, stage);
    const permission =
      account && !account.judged.failed ? this.#permission(question, stage, account) : undefined;
    return new Chain(question, stage, account, permission);
  }

  #pools(question: PullQuestion): Pools {
    const { image } = question;
    const images = this.#imagesOf(question.puller);
    const known = images.get(image);
    if (known) return known;
    const repository = repositoryOf(image);
    const made =
      (repository && this.#sibling(question, images, repository)) ?? this.#judgedPools(question, repository);
    images.set(image, repository, made);
    return made;
  }

  /** The stages of an image whose registry is known from another image. */
  #sibling(question: PullQuestion, images: ImageStages, repository: Repository): Pools | undefined {
    return images.ofRegistry(repository.host)?.map((stages) =>
      stages.map((stage) => {
        const { node, entry, cloud, accounts, judged } = stage;
        const later = (): Judged =>
          judge(nodeChecks, new QuestionContext(question, { node, entry, cloud, repository }));
        return { node, entry, cloud, repository, accounts, judged: new LaterLinks(judged, later) };
      }),
    );
  }

  #judgedPools(question: PullQuestion, repository: Repository | undefined): Pools {
    const { artefacts } = question.puller;
    const nodes: readonly (NodeConfiguration | undefined)[] =
      artefacts.nodes.length > 0 ? artefacts.nodes : [undefined];
    return nodes.map((node) => {
      const entries = node && repository ? matchingEntries(node, repository) : [];
      const candidates: readonly (ProviderEntry | undefined)[] = entries.length > 0 ? entries : [undefined];
      return candidates.map((entry) => this.#judgedStage(question, node, entry, repository));
    });
  }

  /** One puller is asked about many images in a row. */
  #imagesOf(puller: Puller): ImageStages {
    if (this.#last?.puller === puller) return this.#last.images;
    const { artefacts, origin } = puller;
    const images = this.#stages.get(artefacts, origin, () => new ImageStages(artefacts));
    this.#last = { puller, images };
    return images;
  }

  #judgedStage(
    question: PullQuestion,
    node: NodeConfiguration | undefined,
    entry: ProviderEntry | undefined,
    repository: Repository | undefined,
  ): NodeStage {
    const cloud = entry && this.#clouds.ofEntry(entry);
    const accounts = inner(this.#accounts, entry ?? question.puller.artefacts);
    const place = { node, entry, cloud, repository, accounts };
    return { ...place, judged: judge(nodeChecks, new QuestionContext(question, place)) };
  }

  #account(question: PullQuestion, stage: NodeStage): AccountStage {
    const { workload, artefacts, account } = question.puller;
    // The pod's volumes count, so that what holds for one workload need not hold for another; and of a service account
    // that was not read the answer depends on who asks.
    if (workload || !artefacts.serviceAccounts.has(account)) return this.#judgedAccount(question, stage);
    const known = stage.accounts.get(account);
    if (known) return known;
    const made = this.#judgedAccount(question, stage);
    if (stage.accounts.size === ACCOUNTS_KEPT) stage.accounts.clear();
    stage.accounts.set(account, made);
    return made;
  }

  #judgedAccount(question: PullQuestion, stage: NodeStage): AccountStage {
    const context = new QuestionContext(question, stage);
    const { cloud, entry, node, account, artefacts, namespace, name } = context;
    const trust =
      cloud && entry && node && account
        ? cloud.trust({ cluster: artefacts.cluster, entry, node, account, namespace, name })
        : undefined;
    const identity = trust?.identity;
    const permissions = cloud && identity ? this.#permissionsOf(cloud).get(identity.permissionKey) : nobody();
    permissions.identities++;
    const judged = judge(accountChecks, new QuestionContext(question, stage, { trust }));
    return { judged, identity, permissions, isRefused: pullSecretsOf(context).refusal !== undefined };
  }

  #permissionsOf(cloud: Cloud): Recent<string, SharedPermissions> {
    const known = this.#permissions.get(cloud);
    if (known) return known;
    const made = new Recent<string, SharedPermissions>(nobody, PERMISSIONS_KEPT);
    this.#permissions.set(cloud, made);
    return made;
  }

  #permission(question: PullQuestion, stage: NodeStage, { identity, permissions }: AccountStage): Judged {
    const { cloud, repository } = stage;
    const key = repository?.name ?? "";
    const known = permissions.judged?.get(key);
    if (known) return known;
    const permission = cloud && repository && identity ? cloud.permission(identity, repository) : undefined;
    const made = judge(permissionChecks, new QuestionContext(question, stage, { permission }));
    if (permissions.identities > 1) (permissions.judged ??= new Map()).set(key, made);
    return made;
  }
}

/** Accounts of which is remembered what was judged; their images come in a row, by one entry or a few. */
const ACCOUNTS_KEPT = 64;

/** Permissions that many identities share are far fewer. */
const PERMISSIONS_KEPT = 1024;

function nobody(): SharedPermissions {
  return { identities: 0, judged: undefined };
}

function isBetter(chain: Chain, best: Chain): boolean {
  const compared = compareVerdicts(chain.verdict, best.verdict);
  return compared > 0 || (compared === 0 && passed(chain) > passed(best));
}

function passed({ checks }: Chain): number {
  return checks.filter(({ status }) => status === "pass").length;
}
