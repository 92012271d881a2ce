/*
 * What pods do with the settings of Azure's pod identity webhook: it changes no pod without its label, and overwrites no
 * variable that a container sets itself. Pods that have all of it themselves need no webhook. Source:
 * Azure/azure-workload-identity, pkg/webhook/webhook.go, `addEnvironmentVariables`.
 */

import { isAksIssuer } from "../../model/aks-issuer";
import { type Known, type Ternary, and, is, known, match, or, orElse, same, shown } from "../../model/known";
import { childOf, itemsOf } from "../../model/tree";
import { azureCloud } from "../../rules/azure/clouds";
import { WEBHOOK_USE_LABEL } from "../../rules/azure/pod-identity-webhook";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { AccountQuestion } from "../cloud";
import { obstacle } from "../obstacle";
import type { PodFact } from "../read/pods";
import { type ContainerFact, containersOf } from "../shared/pods";
import { notSeen } from "../shared/words";
import { mentionsType } from "../shared/references";

const CLIENT_ID = "AZURE_CLIENT_ID";
const TOKEN = "AZURE_FEDERATED_TOKEN_FILE";
const TENANT_ID = "AZURE_TENANT_ID";
const AUTHORITY = "AZURE_AUTHORITY_HOST";
const CLIENT_SECRET = "AZURE_CLIENT_SECRET";
/** Where the webhook mounts the token. */
export const MOUNTED_TOKEN = "/var/run/secrets/azure/tokens/azure-identity-token";

/** The webhook's audience, the same in all clouds of Azure. */
export const WEBHOOK_AUDIENCE: string = azureCloud("AzurePublicCloud").audience;

const [[LABEL = "", VALUE = ""] = []] = Object.entries(WEBHOOK_USE_LABEL);

/** Client and tenant that the service account names; `undefined` where it names none. */
interface Named {
  readonly client: Known<string | undefined>;
  readonly tenant: Known<string | undefined>;
}

/** Whether the webhook runs on a cluster: of a hub it is recorded; elsewhere it is taken for granted. */
function webhookOn({ fleet, issuer }: AccountQuestion["cluster"]): Ternary {
  if (fleet === undefined) return "yes";
  if (fleet.webhooks) return fleet.webhooks.includes("azure") ? "yes" : "no";
  const isAks = match(issuer ?? known(""), isAksIssuer, () =>
    mentionsType(issuer ?? known(""), "azurerm_kubernetes_cluster"),
  );
  return isAks ? "yes" : "unknown";
}

/**
 * The containers of a pod. Variables of the program that asks are above those of the containers that run it, but for the
 * client id: another one is judged where the spoke is.
 */
function seenBy({ spec }: PodFact, program: AccountQuestion["program"]): readonly ContainerFact[] {
  const all = containersOf(spec);
  const first = all.length - itemsOf(childOf(spec, "containers")).length;
  return all.map((container, place) => ({
    ...container,
    variable: (name) => {
      const own = place < first || name === CLIENT_ID ? undefined : program.get(name);
      return own ?? container.variable(name);
    },
  }));
}

/** What was found of a pod. */
interface JudgedPod {
  readonly pod: PodFact;
  readonly isLabelled: Ternary;
  /** Whether its containers have all that the webhook would add. */
  readonly hasAll: Ternary;
  /** What its containers set themselves. */
  readonly found: readonly ReturnType<typeof containerJudged>[];
}

/** Whether every pod is changed, and every container then acts as the identity. */
export function webhookPods({ pods, program, cluster }: AccountQuestion, named: Named): Answer {
  if (pods.length === 0) return notSeen(`its pods need the label ${LABEL}: "${VALUE}"`);
  const webhook = webhookOn(cluster);
  const judged = pods.map((pod): JudgedPod => {
    const containers = seenBy(pod, program);
    return {
      pod,
      isLabelled: is<string | undefined>(pod.labels.get(LABEL) ?? known(undefined), VALUE),
      hasAll: containers.length === 0 ? "no" : and(...containers.map((each) => hasAll(each, named.client))),
      found: containers.map((each) => containerJudged(each, named)),
    };
  });
  const bare = judged.filter((each) => each.isLabelled === "no" && each.hasAll === "no");
  if (bare.length > 0) return unlabelled(bare.map(({ pod }) => pod));
  const how = judged.every(({ isLabelled }) => isLabelled === "yes")
    ? "have the webhook's label"
    : "have a token, and variables that name it, without the webhook";
  const places = pods.map(({ title, source }) => seen(title, source));
  return obstacle(judged.map((each) => podProblem(each, webhook))) ?? pass(`its pods ${how}`, ...places);
}

function podProblem(
  { pod, isLabelled, hasAll: has, found }: JudgedPod,
  webhook: Ternary,
): Answer | undefined {
  const where = seen(pod.title, pod.source);
  const problem = found.find((each) => typeof each === "object");
  if (problem)
    return broken(
      `${pod.title} ${problem.problem}`,
      `remove ${CLIENT_ID}, ${TOKEN} and ${CLIENT_SECRET} from the pod: the webhook sets what it needs`,
      undefined,
      where,
    );
  const isHelped = and(webhook, isLabelled);
  if (has === "no" && webhook === "no") return unchanged(pod, webhook);
  if (found.includes("unknown") || (has === "unknown" && isHelped !== "yes"))
    return unknown(
      `as whom a container of ${pod.title} acts is known only in the cluster`,
      `leave ${CLIENT_ID} and ${TOKEN} to the webhook, or mount a token for ${WEBHOOK_AUDIENCE}`,
      where,
    );
  if (has === "yes" || isHelped === "yes") return undefined;
  return webhook === "yes"
    ? unknown(
        `whether ${pod.title} has the label ${LABEL} is known only after apply`,
        `label the pods with ${LABEL}: "${VALUE}"`,
        where,
      )
    : unchanged(pod, webhook);
}

/** Whether a container has all that the webhook would add: its four variables, with the token that they name. */
function hasAll({ variable, files, hasMore }: ContainerFact, client: Known<string | undefined>): Ternary {
  const [id, token] = [variable(CLIENT_ID), variable(TOKEN)];
  const isSet = (value: Known<string | undefined>): Ternary =>
    match(
      value,
      (text) => (text === undefined ? (hasMore ? "unknown" : "no") : text === "" ? "no" : "yes"),
      () => "unknown",
    );
  const isThere = (value: Known<string | undefined>): boolean => orElse(value, () => "") !== undefined;
  const isForEntra = or(
    ...files.map((each) => (each.token ? is(each.token.audience, WEBHOOK_AUDIENCE) : "no")),
  );
  const isMounted = or(
    ...files.map((each) =>
      each.token
        ? and(same<string | undefined>(token, known(each.path)), is(each.token.audience, WEBHOOK_AUDIENCE))
        : "no",
    ),
  );
  return and(
    isForEntra,
    ...[CLIENT_ID, TOKEN, TENANT_ID, AUTHORITY].map((name) => isSet(variable(name))),
    isThere(id) ? same<string | undefined>(id, client) : "unknown",
    isThere(token) ? isMounted : "unknown",
  );
}

function unlabelled(pods: readonly PodFact[]): Answer {
  return broken(
    `${pods.map(({ title }) => title).join(", ")} lacks the label ${LABEL}: "${VALUE}", so the webhook leaves its pods alone`,
    `label the pods with ${LABEL}: "${VALUE}"`,
    SILENT,
    ...pods.map(({ title, source }) => seen(title, source)),
  );
}

/** A pod that counts on the webhook. */
function unchanged({ title, source }: PodFact, webhook: Ternary): Answer {
  const needs = `${title} has not all of ${CLIENT_ID}, ${TOKEN}, ${TENANT_ID}, ${AUTHORITY} and the token`;
  const remedy = "write variables, volume and mount into the pod";
  const where = seen(title, source);
  return webhook === "no"
    ? broken(`${needs}, and no pod identity webhook of Azure runs on the hub`, remedy, SILENT, where)
    : unknown(`${needs}, and nothing says whether the webhook runs on the hub`, remedy, where);
}

/** What a container sets itself: a problem, "unknown" where only the cluster knows, `undefined` where nothing is wrong. */
function containerJudged(
  { name, variable, files }: ContainerFact,
  { client, tenant }: Named,
): { readonly problem: string } | "unknown" | undefined {
  const where = `in the container ${name}`;
  const [id, token] = [variable(CLIENT_ID), variable(TOKEN)];
  const [secret, own] = [variable(CLIENT_SECRET), variable(TENANT_ID)];
  const isSet = (value: Known<string | undefined>): boolean => orElse(value, () => "") !== undefined;
  const isOther = (value: Known<string | undefined>, wanted: Known<string | undefined>): Ternary =>
    isSet(value)
      ? same(value, wanted) === "yes"
        ? "no"
        : same(value, wanted) === "no"
          ? "yes"
          : "unknown"
      : "no";
  if (orElse(secret, () => undefined) !== undefined)
    return { problem: `sets ${CLIENT_SECRET} ${where}, which SDKs take before a token` };
  const [otherId, otherTenant] = [isOther(id, client), isSet(tenant) ? isOther(own, tenant) : "no"];
  if (otherId === "yes") return { problem: `sets ${CLIENT_ID} to ${shown(id)} ${where}` };
  const path = orElse(token, () => undefined);
  const isOwn = path !== undefined && path !== MOUNTED_TOKEN;
  const mounted = files.find((each) => each.token && each.path === path)?.token;
  if (isOwn && !mounted) return { problem: `sets ${TOKEN} to ${path} ${where}, where it has no token` };
  if (otherTenant === "yes")
    return {
      problem: `sets ${TENANT_ID} to ${shown(own)} ${where}, and the service account names ${shown(tenant)}`,
    };
  // A token of the pod's own that is made as the webhook's is as good; one of another audience is not judged here.
  const isAsGood = !isOwn || (mounted !== undefined && is(mounted.audience, WEBHOOK_AUDIENCE) === "yes");
  const isLate = [token, secret].some((value) =>
    match(
      value,
      () => false,
      () => true,
    ),
  );
  return otherId === "unknown" || otherTenant === "unknown" || isLate || !isAsGood ? "unknown" : undefined;
}
