/*
 * Judges components and workloads.
 */

import { type AccessQuestion, ANY_ACCOUNT, componentQuestions, workloadQuestions } from "./access-questions";
import { type Answer, type Status, unknown } from "./answer";
import type { AccessContext } from "./checks/access-check";
import { type AccessJob, accessChecks } from "./checks/access-checks";
import type {
  AccessIdentity,
  AccessToken,
  AccessTrust,
  AccountReading,
  CloudAccess,
} from "./clouds/cloud-access";
import type { Clouds } from "./clouds/clouds";
import { refusedToken } from "./clouds/refused-token";
import type { ClusterArtefacts } from "./facts/facts";
import { type ServiceAccountFact, serviceAccountOf } from "./facts/kubernetes-facts";
import type { CredentialFileFact } from "./facts/component-facts";
import type { WorkloadFact } from "./facts/workload-facts";
import { fleetQuestions } from "./fleet/fleet-questions";
import { withIntent } from "./intended-rights";
import { chainVerdict, judged } from "./judged";
import type { ExplainResult } from "./result";
import { renamedServiceAccount } from "../rules/openshift/renamed-service-accounts";

/** What the verifier says of one service account of a component or workload. */
export interface AccessResult extends ExplainResult {
  /** Which job it belongs to. */
  readonly job: AccessJob;
}

/** Judges components and workloads. */
export class Accesses {
  readonly #clouds: Clouds;
  /** What stands beside the service accounts, by cluster. */
  readonly #around = new WeakMap<ClusterArtefacts, Around>();

  constructor(clouds: Clouds) {
    this.#clouds = clouds;
  }

  /** The results of a cluster, components first; of one service account where it is given. */
  *of(artefacts: ClusterArtefacts, job: AccessJob, account: string | undefined): Generator<AccessResult> {
    const clouds = this.#clouds.access;
    // Controllers that enter spokes are a job of their own, which needs no rights in the cloud.
    const entering = new Set(fleetQuestions(artefacts).map(({ controller }) => controller.account));
    const questions =
      job === "component"
        ? componentQuestions(artefacts, clouds)
        : workloadQuestions(
            artefacts,
            clouds,
            (cloud, key) => !entering.has(key) && this.#account(artefacts, cloud, key) !== undefined,
          );
    for (const question of questions)
      if (account === undefined || question.account === account) yield this.#result(question);
  }

  #result(question: AccessQuestion): AccessResult {
    const { job, artefacts, account, component, cloud } = question;
    const context = this.#context(question);
    const checks = judged(accessChecks[job], context);
    const verdict = chainVerdict(checks);
    return {
      job,
      stack: artefacts.stack,
      subject: account,
      target: component?.secretKey ?? cloud?.cloud ?? "",
      verdict,
      as: verdict === "denied" ? null : (context.identity?.label ?? null),
      checks,
    };
  }

  #context(question: AccessQuestion): AccessContext {
    const { artefacts, cloud, account, component, declared, asks } = question;
    const [namespace = "", name = ""] = account.split("/");
    const asked =
      component === undefined
        ? cloud && this.#account(artefacts, cloud, account, declared)
        : component.secret && cloud?.secret(component.secret, component.tokenPath, artefacts.secrets);
    const workload = component === undefined ? (asked as AccountReading | undefined) : undefined;
    const issuer = artefacts.authentication?.issuer || artefacts.cluster.issuer;
    const token: AccessToken = {
      issuer,
      audience: component?.audience ?? workload?.audiences[0],
      namespace,
      name,
    };
    const identity = asked?.identity;
    const trust = identity && trustOfAll(identity, token, workload?.audiences ?? []);
    const permission = identity?.permissions(asks, token);
    return {
      artefacts,
      declared,
      cloud: cloud?.cloud ?? "",
      namespace,
      name,
      secretKey: component?.secretKey ?? "",
      secret: component?.secret,
      request: component?.request,
      account: serviceAccountOf(artefacts, account),
      issuer,
      named: asked?.answer,
      pods: workload?.pods,
      identity,
      trust: trust && { ...trust, subject: subjectAnswer(trust.subject, namespace, name) },
      permission: permission && cloud && withIntent(permission, cloud, component?.intent),
    };
  }

  #account(
    artefacts: ClusterArtefacts,
    cloud: CloudAccess,
    key: string,
    declared = false,
  ): AccountReading | undefined {
    const around = this.#aroundOf(artefacts);
    const account = serviceAccountOf(artefacts, key) ?? unwritten(key);
    const pods = around.pods.get(key) ?? [];
    const reading = cloud.account({
      account,
      pods,
      fragment: artefacts.podFragments.get(key),
      files: around.files.get(key.split("/")[0] ?? "") ?? [],
      declared,
    });
    const refused = reading && refusedToken(pods);
    return refused ? { ...reading, pods: refused } : reading;
  }

  #aroundOf(artefacts: ClusterArtefacts): Around {
    const known = this.#around.get(artefacts);
    if (known) return known;
    const made: Around = {
      pods: grouped(artefacts.workloads, ({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`),
      files: grouped(artefacts.credentialFiles, ({ configMap }) => configMap.split("/")[0] ?? ""),
    };
    this.#around.set(artefacts, made);
    return made;
  }
}

interface Around {
  /** Pods by service account. */
  readonly pods: ReadonlyMap<string, readonly WorkloadFact[]>;
  /** Files with credentials by namespace. */
  readonly files: ReadonlyMap<string, readonly CredentialFileFact[]>;
}

/** The items by key, in their order. */
export function grouped<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const same = groups.get(keyOf(item));
    if (same) same.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

const WORST: readonly Status[] = ["fail", "unknown"];

/** Pods of one service account may show tokens for different audiences: each must be accepted. */
export function trustOfAll(
  identity: AccessIdentity,
  token: AccessToken,
  audiences: readonly string[],
): AccessTrust {
  const first = identity.trust(token);
  const all = [first, ...audiences.slice(1).map((audience) => identity.trust({ ...token, audience }))];
  const worst = WORST.map((status) =>
    all.find(({ audience, subject }) => [audience.status, subject.status].includes(status)),
  );
  return worst.find((each) => each !== undefined) ?? first;
}

function unwritten(key: string): ServiceAccountFact {
  return { key, annotations: new Map(), pullSecrets: [], source: undefined };
}

/** The cloud's answer, with what only OpenShift's history explains. */
function subjectAnswer(answer: Answer, namespace: string, name: string): Answer {
  if (name === ANY_ACCOUNT)
    return unknown(
      "which service accounts the component has is not known",
      "name the folder of its CredentialsRequest as well",
      ...answer.evidence,
    );
  const history = answer.status === "fail" ? renamedServiceAccount(namespace, name) : undefined;
  if (history === undefined) return answer;
  const { status, reason, evidence, remedy, log } = answer;
  return { status, reason: `${reason}; ${history}`, evidence, remedy, ...(log === undefined ? {} : { log }) };
}
