/*
 * Which components and workloads are explained.
 */

import { isDeepStrictEqual } from "node:util";
import { COMPONENT_AUDIENCE, COMPONENT_TOKEN_PATH } from "../model/components";
import type { AccessJob } from "./checks/access-checks";
import type { AskedRights, CloudAccess } from "./clouds/cloud-access";
import type { Json } from "./facts/access";
import type { DeclaredComponent } from "./facts/access-record";
import type { RequestFact, SecretFact } from "./facts/component-facts";
import type { ClusterArtefacts } from "./facts/facts";
import type { IntentFact } from "./intended-rights";

/** One service account of a component or workload, in one cloud. */
export interface AccessQuestion {
  /** Which job. */
  readonly job: AccessJob;
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** The cloud; `undefined` where nothing says which. */
  readonly cloud: CloudAccess | undefined;
  /** `namespace/name`; the name is `*` where nothing says which service accounts a component has. */
  readonly account: string;
  /** True where somebody recorded it. */
  readonly declared: boolean;
  /** What a component reads and asks for; `undefined` for a workload. */
  readonly component: AskedComponent | undefined;
  /** What somebody is meant to have; `undefined` where nothing says it. */
  readonly asks: AskedRights | undefined;
}

/** What a component reads and asks for. */
export interface AskedComponent {
  /** The Secret, `namespace/name`. */
  readonly secretKey: string;
  /** The Secret; `undefined` where it was not read. */
  readonly secret: SecretFact | undefined;
  /** The request; `undefined` where it was not read. */
  readonly request: RequestFact | undefined;
  /** Where its token is; `undefined` where neither request nor record says it. */
  readonly tokenPath: string | undefined;
  /** The audience of its tokens. */
  readonly audience: string;
  /** What it was meant to get other than it asks for; `undefined` where that is the same. */
  readonly intent: IntentFact | undefined;
}

/** Stands for every service account. */
export const ANY_ACCOUNT = "*";

/** Requests that the release withdraws; the operator removes what they made. */
const DELETED = "release.openshift.io/delete";

/** The components of a cluster, a question for each of their service accounts. */
export function componentQuestions(
  artefacts: ClusterArtefacts,
  clouds: readonly CloudAccess[],
): readonly AccessQuestion[] {
  const { cluster, secrets } = artefacts;
  const declared = new Map((cluster.components ?? []).map((each) => [each.secret, each]));
  const requests = requestsOf(artefacts, clouds, declared);
  const led = [...secrets.values()].filter((secret) => clouds.some((cloud) => cloud.recognizes(secret)));
  const keys = new Set([...declared.keys(), ...requests.keys(), ...led.map(({ key }) => key)]);
  return [...keys].flatMap((key) =>
    questionsOf(artefacts, clouds, key, declared.get(key), requests.get(key)),
  );
}

function questionsOf(
  artefacts: ClusterArtefacts,
  clouds: readonly CloudAccess[],
  secretKey: string,
  declared: DeclaredComponent | undefined,
  request: RequestFact | undefined,
): readonly AccessQuestion[] {
  const secret = artefacts.secrets.get(secretKey);
  const cloud =
    clouds.find((each) => each.cloud === declared?.cloud) ??
    clouds.find(({ providerKind }) => providerKind === request?.providerKind) ??
    clouds.find((each) => secret && each.recognizes(secret));
  const intent = intentOf(declared, request);
  const component: AskedComponent = {
    secretKey,
    secret,
    request,
    tokenPath: request?.tokenPath || declared?.tokenPath || (request && COMPONENT_TOKEN_PATH),
    audience: declared?.audience || COMPONENT_AUDIENCE,
    intent,
  };
  const rights = intent?.intends ?? request?.providerSpec ?? declared?.asks;
  const named = new Set([...(declared?.serviceAccounts ?? []), ...(request?.serviceAccounts ?? [])]);
  const anybody = `${secretKey.split("/")[0] ?? ""}/${ANY_ACCOUNT}`;
  const accounts = named.size > 0 ? [...named].sort() : [anybody];
  return accounts.map((account) => ({
    job: "component",
    artefacts,
    cloud,
    account,
    declared: declared !== undefined,
    component,
    asks: rights && { rights, places: declared?.places ?? [] },
  }));
}

/** What was meant for a request of another release nobody knows: that one is judged as it is. */
function intentOf(
  declared: DeclaredComponent | undefined,
  request: RequestFact | undefined,
): IntentFact | undefined {
  const { intends, asks = {}, reason = "" } = declared ?? {};
  if (intends === undefined) return undefined;
  if (request !== undefined && !isDeepStrictEqual(rightsOf(request.providerSpec), rightsOf(asks)))
    return undefined;
  return { asks, intends, reason };
}

function rightsOf({ kind: _, apiVersion: __, ...rights }: Json): Json {
  return rights;
}

/**
 * The requests that are for this cluster, by Secret: those that were recorded, or where nothing is recorded those of
 * the clouds that the Secrets are for.
 */
function requestsOf(
  { requests, secrets, cluster }: ClusterArtefacts,
  clouds: readonly CloudAccess[],
  declared: ReadonlyMap<string, DeclaredComponent>,
): ReadonlyMap<string, RequestFact> {
  const used = clouds.filter((cloud) => [...secrets.values()].some((secret) => cloud.recognizes(secret)));
  const kinds = (used.length > 0 ? used : clouds).map(({ providerKind }) => providerKind);
  const isMeant = ({ secret, providerKind, annotations }: RequestFact): boolean => {
    const recorded = declared.get(secret);
    if (recorded) return clouds.find(({ cloud }) => cloud === recorded.cloud)?.providerKind === providerKind;
    return (
      cluster.components === undefined && kinds.includes(providerKind) && annotations[DELETED] !== "true"
    );
  };
  return new Map(requests.filter(isMeant).map((request) => [request.secret, request]));
}

/** The workloads of a cluster, a question for each service account and cloud. */
export function workloadQuestions(
  artefacts: ClusterArtefacts,
  clouds: readonly CloudAccess[],
  acts: (cloud: CloudAccess, account: string) => boolean,
): readonly AccessQuestion[] {
  const recorded = artefacts.cluster.workloads ?? [];
  const declared = new Map(recorded.map((each) => [`${each.cloud} ${each.serviceAccount}`, each]));
  const accounts = new Set([
    ...recorded.map(({ serviceAccount }) => serviceAccount),
    ...artefacts.serviceAccounts.keys(),
  ]);
  return [...accounts].flatMap((account) =>
    clouds
      .filter((cloud) => declared.has(`${cloud.cloud} ${account}`) || acts(cloud, account))
      .map((cloud): AccessQuestion => {
        const line = declared.get(`${cloud.cloud} ${account}`);
        const asks = line && cloud.asksFor(line.permissions);
        return {
          job: "workload",
          artefacts,
          cloud,
          account,
          declared: line !== undefined,
          component: undefined,
          asks: asks && isAsking(asks) ? { rights: asks, places: [] } : undefined,
        };
      }),
  );
}

function isAsking(asks: Json): boolean {
  return Object.values(asks).some((list) => Array.isArray(list) && list.length > 0);
}
