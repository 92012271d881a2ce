/*
 * Judges platform components and workloads: finds for each service account what names its identity, and runs the links.
 */

import { type Known, known, unread } from "../../model/known";
import { renamedServiceAccount } from "../../rules/openshift/renamed-service-accounts";
import { type Answer, type CheckResult, type Evidence, badness, seen, unknown } from "../answer";
import type { AccessIdentity, AccountReading, Cloud, TokenQuestion, TrustAnswer } from "../cloud";
import type { CredentialFileFact } from "../read/component-facts";
import type { ClusterArtefacts } from "../read/facts";
import type { WorkloadFact } from "../read/pods";
import { serviceAccountOf, unwritten } from "../read/service-accounts";
import { refusedToken } from "../shared/pods";
import type { Verdict } from "../verdict";
import { type AccessFacts, accessRunners } from "./access-links";
import {
  ANY_ACCOUNT,
  type AccessJob,
  type AccessQuestion,
  type Intent,
  componentQuestions,
  workloadQuestions,
} from "./access-questions";

/** A component or workload that was judged. */
export interface JudgedAccess {
  /** `namespace/name` of the service account. */
  readonly subject: string;
  /** The Secret of a component; the cloud of a workload. */
  readonly target: string;
  /** What follows from the links. */
  readonly verdict: Verdict;
  /** As whom; `null` where it is denied or not known. */
  readonly as: string | null;
  /** The links in order. */
  readonly checks: readonly CheckResult[];
}

/** What stands beside the service accounts of a cluster. */
interface Around {
  /** Pods by service account. */
  readonly pods: ReadonlyMap<string, readonly WorkloadFact[]>;
  /** Files with credentials by namespace. */
  readonly files: ReadonlyMap<string, readonly CredentialFileFact[]>;
}

/** Judges components and workloads. */
export class Accesses {
  readonly #clouds: readonly Cloud[];
  readonly #around = new WeakMap<ClusterArtefacts, Around>();

  constructor(clouds: readonly Cloud[]) {
    this.#clouds = clouds;
  }

  /**
   * The results of a cluster, of one service account where it is given. `entering` are the service accounts of
   * controllers that enter spokes: a job of its own, which needs no rights in the cloud.
   */
  *of(
    artefacts: ClusterArtefacts,
    job: AccessJob,
    isAsked: (question: AccessQuestion) => boolean,
    entering: ReadonlySet<string>,
  ): Generator<JudgedAccess> {
    const acts = (cloud: Cloud, key: string): boolean =>
      !entering.has(key) && this.reading(artefacts, cloud, key, false) !== undefined;
    const questions =
      job === "component"
        ? componentQuestions(artefacts, this.#clouds)
        : workloadQuestions(artefacts, this.#clouds, acts);
    for (const question of questions) if (isAsked(question)) yield this.#judged(question);
  }

  /** How a workload finds its identity in a cloud; `undefined` for one that does not act there. */
  reading(
    artefacts: ClusterArtefacts,
    { access }: Cloud,
    key: string,
    declared: boolean,
  ): AccountReading | undefined {
    const { pods, files } = this.#aroundOf(artefacts);
    const own = pods.get(key) ?? [];
    const reading = access.account({
      account: serviceAccountOf(artefacts, key) ?? unwritten(key),
      pods: own,
      fragment: artefacts.podFragments.get(key),
      files: files.get(key.split("/")[0] ?? "") ?? [],
      declared,
      program: new Map(),
      cluster: artefacts.cluster,
    });
    const refused = reading && refusedToken(own);
    return refused ? { ...reading, pods: refused } : reading;
  }

  /** The files with credentials of a namespace. */
  filesOf(artefacts: ClusterArtefacts, namespace: string): readonly CredentialFileFact[] {
    return this.#aroundOf(artefacts).files.get(namespace) ?? [];
  }

  #judged(question: AccessQuestion): JudgedAccess {
    const { job, key, component, cloud } = question;
    const chain = accessRunners[job].run(this.#facts(question));
    const { verdict, checks, facts } = chain;
    return {
      subject: key,
      target: component?.secretKey ?? cloud?.cloud ?? "",
      verdict,
      as: verdict === "denied" ? null : (facts.identity?.label ?? null),
      checks,
    };
  }

  #facts({ artefacts, cloud, key, component, declared, asks }: AccessQuestion): AccessFacts {
    const account = serviceAccountOf(artefacts, key);
    const workload = component ? undefined : cloud && this.reading(artefacts, cloud, key, declared);
    const secret =
      component?.secret && cloud?.access.secret(component.secret, component.tokenPath, artefacts.secrets);
    const { identity, answer: named } = workload ?? secret ?? {};
    const audiences = component ? [known(component.audience)] : (workload?.audiences ?? []);
    const token = tokenOf(artefacts, key, audiences[0] ?? unread("the audience of the token is not known"));
    const trust = identity && subjectNamed(trustOfAll(identity, token, audiences), key);
    const permission = identity?.permissions(asks, token);
    return {
      artefacts,
      declared,
      key,
      account,
      component,
      named,
      pods: workload?.pods,
      identity,
      trust,
      permission: permission && cloud && withIntent(permission, cloud, component?.intent),
    };
  }

  #aroundOf(artefacts: ClusterArtefacts): Around {
    const before = this.#around.get(artefacts);
    if (before) return before;
    const made: Around = {
      pods: grouped(artefacts.workloads, ({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`),
      files: grouped(artefacts.credentialFiles, ({ configMap }) => configMap.split("/")[0] ?? ""),
    };
    this.#around.set(artefacts, made);
    return made;
  }
}

function tokenOf(artefacts: ClusterArtefacts, key: string, audience: Known<string>): TokenQuestion {
  const [namespace = "", name = ""] = key.split("/");
  return { issuer: artefacts.issuer, audience, namespace, name };
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const same = groups.get(keyOf(item));
    if (same) same.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Pods of one service account may show tokens for different audiences: each must be accepted. */
export function trustOfAll(
  identity: AccessIdentity,
  token: TokenQuestion,
  audiences: readonly Known<string>[],
): TrustAnswer {
  const first = identity.trust(token);
  const others = audiences.slice(1).map((audience) => identity.trust({ ...token, audience }));
  const bad = ({ audience, subject }: TrustAnswer): number => Math.max(badness(audience), badness(subject));
  return others.reduce((worst, each) => (bad(each) > bad(worst) ? each : worst), first);
}

/** The cloud's answer about the subject, with what only OpenShift's history explains. */
function subjectNamed(trust: TrustAnswer, key: string): TrustAnswer {
  const [namespace = "", name = ""] = key.split("/");
  const { subject } = trust;
  if (name === ANY_ACCOUNT)
    return {
      ...trust,
      subject: unknown(
        "which service accounts the component has is not known",
        "name the folder of its CredentialsRequest as well",
        ...subject.evidence,
      ),
    };
  const history = subject.status === "fail" ? renamedServiceAccount(namespace, name) : undefined;
  if (history === undefined) return trust;
  const { status, reason, evidence, remedy, log } = subject;
  const why = { status, reason: `${reason}; ${history}`, evidence, remedy };
  return { ...trust, subject: log === undefined ? why : { ...why, log } };
}

/** The answer, with what was narrowed or widened by design as evidence. */
function withIntent(answer: Answer, { access }: Cloud, intent: Intent | undefined): Answer {
  if (intent === undefined || answer.status === "skipped") return answer;
  const { asks, intends, reason } = intent;
  const [asked, meant] = [access.inWords(asks), access.inWords(intends)];
  const because = reason === "" ? "" : `, because: ${reason}`;
  const told = (what: string, rights: readonly string[]): readonly Evidence[] =>
    rights.length === 0
      ? []
      : [seen(`${what}: ${rights.slice(0, SHOWN).join(", ")}${more(rights)}${because}`, undefined)];
  return {
    ...answer,
    evidence: [
      ...answer.evidence,
      ...told("asked for, and by design not granted", without(asked, meant)),
      ...told("not asked for, and granted by design", without(meant, asked)),
    ],
  };
}

const SHOWN = 6;

function more({ length }: readonly string[]): string {
  return length > SHOWN ? ` and ${length - SHOWN} more` : "";
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return [...new Set(some)].filter((each) => !known.has(each));
}
