/*
 * Which components and workloads are explained: declared ones, and those whose Secrets, CredentialsRequests or
 * annotations were read.
 */

import { COMPONENT_AUDIENCE, COMPONENT_TOKEN_PATH } from "../../model/components";
import { type Known, is, orElse, whyNot } from "../../model/known";
import { grouped } from "../../model/grouped";
import { namespacedName } from "../../model/namespaced-name";
import { once } from "../../model/once";
import { type Tree, type TreeObject, entriesOf, isTreeObject, sameTree, treeOf } from "../../model/tree";
import { type Answer, seen, unknown } from "../answer";
import type { AskedRights, Cloud } from "../cloud";
import type { DeclaredComponent } from "../read/cluster-record";
import type { RequestFact, SecretFact } from "../read/component-facts";
import type { ClusterArtefacts } from "../read/clusters";
import { type WorkloadFact, isPartial } from "../read/pods";
import type { ServiceAccountFact } from "../read/service-accounts";
import { AS_APPLIED, plainAnswer } from "../shared/words";

/** Jobs other than pulling images. */
export type AccessJob = "component" | "workload";

/** One service account of a component or workload, in one cloud. */
export interface AccessQuestion {
  readonly job: AccessJob;
  readonly artefacts: ClusterArtefacts;
  /** `undefined` if nothing shows which. */
  readonly cloud: Cloud | undefined;
  /** `namespace/name`; the name is `*` if nothing shows which service accounts a component has. */
  readonly key: string;
  readonly declared: boolean;
  /** `undefined` for a workload. */
  readonly component: AskedComponent | undefined;
  /** What is meant to be granted; `undefined` if nothing shows it. */
  readonly asks: AskedRights | undefined;
}

/** Pods and workloads by their service account, `namespace/name`. */
export const podsByAccount: (artefacts: ClusterArtefacts) => ReadonlyMap<string, readonly WorkloadFact[]> =
  once(({ workloads }) =>
    grouped(workloads, ({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`),
  );

/** What a component reads and asks for; a member that was not read is `undefined`. */
export interface AskedComponent {
  /** `namespace/name`. */
  readonly secretKey: string;
  readonly secret: SecretFact | undefined;
  readonly request: RequestFact | undefined;
  readonly tokenPath: string | undefined;
  readonly audience: string;
  /** What it was meant to get, if that differs from what it asks for; otherwise `undefined`. */
  readonly intent: Intent | undefined;
}

/** What was meant, in the form of a request's provider part. */
export interface Intent {
  readonly intends: TreeObject;
  /** Empty if no reason was given. */
  readonly reason: string;
}

/** Name that stands for every service account. */
export const ANY_ACCOUNT = "*";

/** Annotation of requests that the release withdraws; the operator deletes what it created for them. */
const DELETED = "release.openshift.io/delete";

type Declared = DeclaredComponent<Known<string>, Tree>;

/** The components of a cluster, a question for each of their service accounts. */
export function componentQuestions(
  artefacts: ClusterArtefacts,
  clouds: readonly Cloud[],
): readonly AccessQuestion[] {
  const { cluster, secrets } = artefacts;
  const declared = new Map((cluster.components ?? []).map((each) => [each.secret, each]));
  const requests = requestsOf(artefacts, clouds, declared);
  const read = [...secrets.values()].filter((secret) =>
    clouds.some(({ access }) => access.recognizes(secret)),
  );
  const keys = new Set([...declared.keys(), ...requests.keys(), ...read.map(({ key }) => key)]);
  return [...keys].flatMap((key) =>
    questionsOf(artefacts, clouds, key, declared.get(key), requests.get(key)),
  );
}

function questionsOf(
  artefacts: ClusterArtefacts,
  clouds: readonly Cloud[],
  secretKey: string,
  declared: Declared | undefined,
  request: RequestFact | undefined,
): readonly AccessQuestion[] {
  const secret = artefacts.secrets.get(secretKey);
  const cloud =
    clouds.find((each) => each.cloud === declared?.cloud) ??
    clouds.find(({ access }) => access.providerKind === request?.providerKind) ??
    clouds.find(({ access }) => secret && access.recognizes(secret));
  const tokenPath = request?.tokenPath || declared?.tokenPath || (request && COMPONENT_TOKEN_PATH);
  const audience = declared?.audience || COMPONENT_AUDIENCE;
  const intent = intentOf(declared, request);
  const component: AskedComponent = { secretKey, secret, request, tokenPath, audience, intent };
  const declaredRights = declared && objectOf(treeOf(declared.asks));
  const rights = intent?.intends ?? (request ? rightsOf(request.providerSpec) : declaredRights);
  const asks = rights && { rights, places: declared?.places ?? [] };
  const named = new Set([...(declared?.serviceAccounts ?? []), ...(request?.serviceAccounts ?? [])]);
  const keys = named.size > 0 ? [...named].sort() : [`${namespacedName(secretKey).namespace}/${ANY_ACCOUNT}`];
  const question = { job: "component", artefacts, cloud, declared: declared !== undefined } as const;
  return keys.map((key): AccessQuestion => ({ ...question, key, component, asks }));
}

/** What was meant for a request of another release is not known, so that request is judged as written. */
function intentOf(declared: Declared | undefined, request: RequestFact | undefined): Intent | undefined {
  const intends = objectOf(declared?.intends);
  const asks = declared && objectOf(treeOf(declared.asks));
  if (!declared || !intends || !asks) return undefined;
  const requestRights = request && rightsOf(request.providerSpec);
  const isOther =
    requestRights !== undefined && sameTree(treeOf(requestRights), treeOf(rightsOf(treeOf(asks)))) !== "yes";
  return isOther ? undefined : { intends, reason: declared.reason };
}

/** The provider part without `kind` and `apiVersion`. */
function rightsOf(providerSpec: Tree): TreeObject | undefined {
  const value = objectOf(providerSpec);
  if (!value) return undefined;
  const rights = entriesOf(value).flatMap(([key, child]) => {
    const name = orElse(key, () => undefined);
    return name === undefined || ["kind", "apiVersion"].includes(name) ? [] : [[name, child] as const];
  });
  return objectOf(treeOf(Object.fromEntries(rights)));
}

function objectOf(tree: Tree = treeOf(undefined)): TreeObject | undefined {
  const value = orElse(tree, () => undefined);
  return isTreeObject(value) ? value : undefined;
}

/**
 * The requests for this cluster, by Secret: those that were recorded, or, if nothing is recorded, those of the clouds
 * that the Secrets are for.
 */
function requestsOf(
  { requests, secrets, cluster }: ClusterArtefacts,
  clouds: readonly Cloud[],
  declared: ReadonlyMap<string, Declared>,
): ReadonlyMap<string, RequestFact> {
  const used = clouds.filter(({ access }) =>
    [...secrets.values()].some((secret) => access.recognizes(secret)),
  );
  const kinds = (used.length > 0 ? used : clouds).map(({ access }) => access.providerKind);
  const isMeant = ({ secret, providerKind = "", annotations }: RequestFact): boolean => {
    const recorded = declared.get(secret);
    if (recorded)
      return clouds.find(({ cloud }) => cloud === recorded.cloud)?.access.providerKind === providerKind;
    const deleted = annotations.get(DELETED);
    const isDeleted = deleted !== undefined && is(deleted, "true") === "yes";
    return cluster.components === undefined && kinds.includes(providerKind) && !isDeleted;
  };
  return new Map(requests.filter(isMeant).map((request) => [request.secret, request]));
}

/** The workloads of a cluster, a question for each service account and cloud that it acts in. */
export function workloadQuestions(
  artefacts: ClusterArtefacts,
  clouds: readonly Cloud[],
  acts: (cloud: Cloud, key: string) => boolean,
): readonly AccessQuestion[] {
  const recorded = artefacts.cluster.workloads ?? [];
  const declared = new Map(recorded.map((each) => [`${each.cloud} ${each.serviceAccount}`, each]));
  const keys = new Set([
    ...recorded.map(({ serviceAccount }) => serviceAccount),
    ...artefacts.serviceAccounts.keys(),
    // Pods may have an identity of their own, whether or not their service account was read.
    ...artefacts.workloads
      .filter((each) => !isPartial(each))
      .map(({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`),
  ]);
  return [...keys].flatMap((key) =>
    clouds.flatMap((cloud): readonly AccessQuestion[] => {
      const line = declared.get(`${cloud.cloud} ${key}`);
      if (!line && !acts(cloud, key)) return [];
      const rights = objectOf(line?.asks);
      const asks = rights && entriesOf(rights).length > 0 ? { rights, places: [] } : undefined;
      const isDeclared = line !== undefined;
      return [{ job: "workload", artefacts, cloud, key, declared: isDeclared, component: undefined, asks }];
    }),
  );
}

/** The answer, with the reason for which the rights differ from the request as evidence. */
export function withIntent(answer: Answer, intent: Intent | undefined): Answer {
  if (intent === undefined || answer.status === "skipped") return answer;
  const { reason } = intent;
  const text = `judged by what was meant, not by the request${reason === "" ? "" : `, because: ${reason}`}`;
  return { ...plainAnswer(answer), evidence: [...answer.evidence, seen(text, undefined)] };
}

/** The answer if an annotation holds a placeholder, which may be that with the identity. */
export function unfilled({ annotations, source }: ServiceAccountFact): Answer | undefined {
  for (const [name, value] of annotations) {
    const why = whyNot(value);
    if (why?.kind === "placeholder")
      return unknown(`the annotation ${name} is ${why.what}`, AS_APPLIED, seen("annotations", source));
  }
  return undefined;
}
