/*
 * The links of one pull by one entry on the nodes of one pool, judged. A verdict costs next to nothing; the list of
 * checks is put together only when somebody reads it.
 */

import { seen } from "./answer";
import type { CheckId, CheckResult, PullContext } from "./checks/check";
import { accountChecks, nodeChecks, permissionChecks } from "./checks/checks";
import { insteadOf, otherwise } from "./checks/otherwise";
import type { CloudIdentity } from "./clouds/cloud";
import { type PullPlace, QuestionContext } from "./question-context";
import type { PullQuestion } from "./questions";
import { type Verdict, verdictOf } from "./verdict";

/** Some links, judged. */
export interface Judged {
  /** The answers, in order. */
  readonly checks: readonly CheckResult[];
  /** The first broken link. */
  readonly failed: CheckId | undefined;
  /** True where a link cannot be told. */
  readonly open: boolean;
}

/** The links from the image to the plugin. */
export interface NodeStage extends PullPlace {
  /** Those links. */
  readonly judged: Judged;
  /** What was judged of service accounts with this entry. */
  readonly accounts: RecentAccounts;
}

/** What was judged last of service accounts, by `namespace/name`: the images of one are asked about in a row. */
export type RecentAccounts = Map<string, AccountStage>;

/** The links from the service account to the cloud. */
export interface AccountStage {
  /** Those links. */
  readonly judged: Judged;
  /** As whom. */
  readonly identity: CloudIdentity | undefined;
  /** True where a pull secret keeps the kubelet from pulling at all. */
  readonly isRefused: boolean;
  /** What was judged of the identity's permissions. */
  readonly permissions: SharedPermissions;
}

/** What identities of equal permissions have in common. */
export interface SharedPermissions {
  /** How many identities have them: what only one asks is asked once, and not worth remembering. */
  identities: number;
  /** By repository, once two have them. */
  judged: Map<string, Judged> | undefined;
}

/** The chain of one pull by one entry on the nodes of one pool. */
export class Chain {
  /** What follows from the links. */
  readonly verdict: Verdict;
  readonly #question: PullQuestion;
  readonly #stage: NodeStage;
  readonly #account: AccountStage | undefined;
  readonly #permission: Judged | undefined;

  constructor(
    question: PullQuestion,
    stage: NodeStage,
    account: AccountStage | undefined,
    permission: Judged | undefined,
  ) {
    this.#question = question;
    this.#stage = stage;
    this.#account = account;
    this.#permission = permission;
    this.verdict = this.#verdict();
  }

  /** As whom, or through what else; `null` where nothing would serve it, or it is not known. */
  get as(): string | null {
    if (this.#failed !== undefined) return insteadOf(this.#context);
    return this.#account?.isRefused ? null : (this.#account?.identity?.label ?? null);
  }

  /** The links in order, `otherwise` last. */
  get checks(): readonly CheckResult[] {
    const judged = [this.#stage.judged, this.#account?.judged, this.#permission];
    const done = judged.flatMap((part) => part?.checks ?? []);
    const failed = this.#failed;
    const rest =
      failed === undefined
        ? []
        : LATER.slice(done.length - nodeChecks.length).map((id) => skipped(id, failed));
    const chain = [...done, ...rest].map((check) => withIdentity(check, this.#account?.identity));
    return [...chain, { id: otherwise.id, ...otherwise.run(this.#context) }];
  }

  get #failed(): CheckId | undefined {
    return this.#stage.judged.failed ?? this.#account?.judged.failed ?? this.#permission?.failed;
  }

  get #context(): PullContext {
    return new QuestionContext(this.#question, this.#stage, { failed: this.#failed });
  }

  #verdict(): Verdict {
    if (this.#failed !== undefined)
      // Only for a workload can another way than the chain change the verdict.
      return this.#question.puller.origin === "workload" ? verdictOf(this.checks, "workload") : "denied";
    if (this.#account?.isRefused) return "denied";
    const open = this.#stage.judged.open || this.#account?.judged.open || this.#permission?.open;
    return open ? "unknown" : "allowed";
  }
}

const LATER: readonly CheckId[] = [...accountChecks, ...permissionChecks].map(({ id }) => id);

/** A link that an earlier one keeps from being reached. */
export function skipped(id: CheckId, failed: CheckId): CheckResult {
  return { id, status: "skipped", reason: `not reached: ${failed} fails`, evidence: [], remedy: "" };
}

const OF_IDENTITY: readonly CheckId[] = permissionChecks.map(({ id }) => id);

/** What is remembered of permissions names no identity; the result does. */
function withIdentity(check: CheckResult, identity: CloudIdentity | undefined): CheckResult {
  if (!identity || check.status === "skipped" || !OF_IDENTITY.includes(check.id)) return check;
  return { ...check, evidence: [...check.evidence, seen(identity.label, identity.source)] };
}
