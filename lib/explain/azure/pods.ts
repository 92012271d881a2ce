/*
 * What pods get from Azure's pod identity webhook: it changes only pods with its label, and overwrites no variable that
 * a container sets itself. Pods that set up everything themselves need no webhook. Source:
 * Azure/azure-workload-identity, pkg/webhook/webhook.go, `addEnvironmentVariables`.
 */

import { isAksIssuer } from "../../model/aks-issuer";
import {
  type Known,
  type Ternary,
  and,
  allOf,
  is,
  isAbsent,
  isBlank,
  isKnown,
  isWritten,
  known,
  match,
  not,
  anyOf,
  orElse,
  same,
  shown,
} from "../../model/known";
import { childOf, itemsOf, textAt } from "../../model/tree";
import { azureCloud } from "../../rules/azure/clouds";
import { WEBHOOK_SKIP_ANNOTATION, WEBHOOK_USE_LABEL } from "../../rules/azure/pod";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { AccountQuestion } from "../cloud";
import { obstacle } from "../obstacle";
import type { PodFact } from "../read/pods";
import { type ContainerFact, containersOf } from "../shared/pods";
import { mentionsType, resourcesIn } from "../shared/references";
import { stateWebhook, statedWebhook } from "../shared/webhooks";
import { notSeen } from "../shared/words";
import type { Identity } from "./identity";

const CLIENT_ID = "AZURE_CLIENT_ID";
const TOKEN = "AZURE_FEDERATED_TOKEN_FILE";
const TENANT_ID = "AZURE_TENANT_ID";
const AUTHORITY = "AZURE_AUTHORITY_HOST";
const CLIENT_SECRET = "AZURE_CLIENT_SECRET";
const AKS = "azurerm_kubernetes_cluster";
/** Where the webhook mounts the token. */
const MOUNTED_TOKEN = "/var/run/secrets/azure/tokens/azure-identity-token";

/** The webhook's audience, the same in all clouds of Azure. */
export const WEBHOOK_AUDIENCE: string = azureCloud("AzurePublicCloud").audience;

const [[LABEL = "", VALUE = ""] = []] = Object.entries(WEBHOOK_USE_LABEL);
const LABELLED = `label the pods with ${LABEL}: "${VALUE}"`;

const NOT_SAID = "nothing says whether Azure's pod identity webhook runs";

type Text = Known<string | undefined>;

/** Client id and tenant that the service account names, `undefined` if it names none; and the identity's cloud. */
interface Named {
  readonly client: Text;
  readonly tenant: Text;
  readonly cloud: Identity["cloud"];
}

/** A Helm chart may add the webhook to an AKS cluster whose resource does not switch it on. */
function webhookOn(question: AccountQuestion): ReturnType<typeof statedWebhook> {
  const stated = statedWebhook("azure", question);
  if (stated.runs !== "unknown") return stated;
  const { issuer = known(""), webhooksOff = [] } = question.cluster;
  const isOff = webhooksOff.includes("azure") || isSwitchedOff(issuer);
  const isAks = match(issuer, isAksIssuer, () => mentionsType(issuer, AKS)) && !isOff;
  return { runs: isAks ? "yes" : "unknown", evidence: [] };
}

function isSwitchedOff(issuer: Known<string>): boolean {
  const clusters = resourcesIn(issuer).filter(({ type, adopted }) => type === AKS && !adopted);
  return clusters.some((cluster) => is(cluster.flag("workload_identity_enabled"), true) !== "yes");
}

/**
 * The containers of a pod. Variables of the program override those of the containers that run it, except for the client
 * id: a different one is judged with the spoke.
 */
function seenBy({ spec }: PodFact, program: AccountQuestion["program"]): readonly ContainerFact[] {
  const all = containersOf(spec);
  const first = all.length - itemsOf(childOf(spec, "containers")).length;
  return all.map((container, place) => ({
    ...container,
    variable: (name) => {
      const set = place < first || name === CLIENT_ID ? undefined : program.get(name);
      return set ?? container.variable(name);
    },
  }));
}

/** The pods that ask for what the webhook gives, where it runs. */
export function labelledPods(question: AccountQuestion): readonly PodFact[] {
  const isLabelled = ({ labels }: PodFact): boolean =>
    is<string | undefined>(labels.get(LABEL) ?? known(undefined), VALUE) !== "no";
  const labelled = question.pods.filter(isLabelled);
  return labelled.length > 0 && webhookOn(question).runs === "yes" ? labelled : [];
}

/** The client id that every container sets itself; `undefined` if one sets none or another. */
export function clientOfPods(pods: readonly PodFact[]): Known<string> | undefined {
  const [first = known(""), ...others] = pods
    .flatMap(({ spec }) => containersOf(spec))
    .map(({ variable }) => variable(CLIENT_ID));
  const isOne = others.every((each) => same<string | undefined>(each, first) === "yes");
  return isOne && isKnown(first) && !isBlank(first) ? (first as Known<string>) : undefined;
}

interface JudgedPod extends PodFact {
  readonly isLabelled: Ternary;
  readonly hasAll: Ternary;
  readonly found: readonly Found[];
}

/** What is wrong with a container's own settings; "unknown" if only the cluster knows, `undefined` if nothing is. */
type Found = { readonly problem: string } | "unknown" | undefined;

/** Whether the webhook changes every pod, so that every container acts as the identity. */
export function webhookPods(question: AccountQuestion, named: Named): Answer {
  const { program, fragment } = question;
  const { runs: webhook, evidence } = webhookOn(question);
  const isRead = question.pods.length > 0;
  if (!isRead && webhook === "yes") return notSeen(`its pods need the label ${LABEL}: "${VALUE}"`);
  if (!isRead && !fragment) return unknown(`no pod of it was read, and ${NOT_SAID}`, stateWebhook("azure"));
  // If no pod was read, the declared needs of pods show the token.
  const pods = isRead || !fragment ? question.pods : [fragment];
  const judged = pods.map((pod): JudgedPod => {
    const containers = seenBy(pod, program);
    return {
      ...pod,
      isLabelled: is<string | undefined>(pod.labels.get(LABEL) ?? known(undefined), VALUE),
      hasAll: containers.length === 0 ? "no" : allOf(containers.map((each) => hasAll(each, named.client))),
      found: containers.map((each) => containerJudged(each, named)),
    };
  });
  const isHelped = webhook === "yes" && judged.every(({ isLabelled }) => isLabelled === "yes");
  const how = isHelped
    ? "have the webhook's label"
    : "mount a token and set the variables that name it, without the webhook";
  const places = pods.map(({ title, source }) => seen(title, source));
  return (
    leftAlone(judged) ??
    obstacle(judged.map((each) => podProblem(each, webhook))) ??
    pass(`${isRead ? "its pods" : "pods with what is written for them"} ${how}`, places, evidence)
  );
}

/** Pods that the webhook leaves alone although they need it. */
function leftAlone(judged: readonly JudgedPod[]): Answer | undefined {
  const bare = judged.filter((each) => each.isLabelled === "no" && each.hasAll === "no");
  if (bare.length > 0)
    return broken(
      `${bare.map(({ title }) => title).join(", ")} lacks the label ${LABEL}: "${VALUE}", so the webhook leaves its pods alone`,
      LABELLED,
      SILENT,
      bare.map(({ title, source }) => seen(title, source)),
    );
  const skipping = judged.find((each) => each.hasAll !== "yes" && isSkipped(each));
  if (skipping)
    return broken(
      `${skipping.title} names all its containers in ${WEBHOOK_SKIP_ANNOTATION}, so the webhook adds nothing to them`,
      "remove the annotation",
      SILENT,
      seen(skipping.title, skipping.source),
    );
  return undefined;
}

function isSkipped({ annotations, spec }: PodFact): boolean {
  const skipped = orElse(annotations.get(WEBHOOK_SKIP_ANNOTATION) ?? known(""), () => "").split(";");
  const names = itemsOf(childOf(spec, "containers")).map((each) => shown(textAt(childOf(each, "name"))));
  return names.length > 0 && names.every((name) => skipped.some((each) => each.trim() === name));
}

function podProblem(pod: JudgedPod, webhook: Ternary): Answer | undefined {
  const { title, source, isLabelled, hasAll: has, found: judged } = pod;
  const where = seen(title, source);
  const problem = judged.find((each) => typeof each === "object");
  if (problem)
    return broken(
      `${title} ${problem.problem}`,
      `remove ${CLIENT_ID}, ${TOKEN} and ${CLIENT_SECRET} from the pod: the webhook sets what it needs`,
      undefined,
      where,
    );
  const isHelped = and(webhook, isLabelled);
  const needs = `${title} lacks the token, or one of ${CLIENT_ID}, ${TOKEN}, ${TENANT_ID} and ${AUTHORITY}`;
  const remedy = "write the variables, the volume and the mount into the pod";
  if (has === "no" && webhook === "no")
    return broken(`${needs}, and the hub does not run Azure's pod identity webhook`, remedy, SILENT, where);
  if (judged.includes("unknown") || (has === "unknown" && isHelped !== "yes"))
    return unknown(
      `as whom a container of ${title} acts, or at which Entra, is not known`,
      `let the webhook set ${CLIENT_ID}, ${TOKEN} and ${AUTHORITY}, or mount a token for ${WEBHOOK_AUDIENCE}`,
      where,
    );
  if (has === "yes" || isHelped === "yes") return undefined;
  return webhook === "yes"
    ? unknown(`whether ${title} has the label ${LABEL} is known only after apply`, LABELLED, where)
    : unknown(`${needs}, and ${NOT_SAID}`, `${stateWebhook("azure")}; or ${remedy}`, where);
}

/** Whether a container has all that the webhook would add: its four variables, and the token that they name. */
function hasAll({ variable, files, hasMore }: ContainerFact, client: Text): Ternary {
  const [id, token] = [variable(CLIENT_ID), variable(TOKEN)];
  const isSet = (value: Text): Ternary =>
    match(
      value,
      (text) => (text === undefined && hasMore ? "unknown" : text ? "yes" : "no"),
      (why) => (why.kind === "apply" ? "yes" : "unknown"),
    );
  const tokens = files.flatMap(({ path, token: each }) => (each ? [{ path, audience: each.audience }] : []));
  const isMounted = tokens.map(({ path, audience }) =>
    and(
      is(audience, WEBHOOK_AUDIENCE),
      isAbsent(token) ? "unknown" : same<string | undefined>(token, known(path)),
    ),
  );
  return allOf([
    anyOf(isMounted),
    ...[CLIENT_ID, TOKEN, TENANT_ID, AUTHORITY].map((name) => isSet(variable(name))),
    isAbsent(id) ? "unknown" : same<string | undefined>(id, client),
  ]);
}

function containerJudged({ name, variable, files }: ContainerFact, { client, tenant, cloud }: Named): Found {
  const where = `in the container ${name}`;
  const [id, token] = [variable(CLIENT_ID), variable(TOKEN)];
  const [secret, writtenTenant] = [variable(CLIENT_SECRET), variable(TENANT_ID)];
  const isOther = (value: Text, wanted: Text): Ternary =>
    isAbsent(value) ? "no" : not(same<string | undefined>(value, wanted));
  if (isWritten(secret) && !isAbsent(secret))
    return { problem: `sets ${CLIENT_SECRET} ${where}, which SDKs prefer to a token` };
  const [otherId, otherTenant] = [
    isAbsent(client) ? "no" : isOther(id, client),
    isAbsent(tenant) ? "no" : isOther(writtenTenant, tenant),
  ];
  if (otherId === "yes") return { problem: `sets ${CLIENT_ID} to ${shown(id)} ${where}` };
  const isOwn = isKnown(token) && !isAbsent(token) && is(token, MOUNTED_TOKEN) === "no";
  const mounted = files.find((each) => each.token && is(token, each.path) === "yes")?.token;
  if (isOwn && !mounted)
    return { problem: `sets ${TOKEN} to ${shown(token)} ${where}, but no token is mounted there` };
  if (otherTenant === "yes")
    return {
      problem: `sets ${TENANT_ID} to ${shown(writtenTenant)} ${where}, but the service account names ${shown(tenant)}`,
    };
  // The pod's own token is as good as the webhook's if it has the same audience; another audience is not judged.
  const isAsGood = !isOwn || (mounted !== undefined && is(mounted.audience, WEBHOOK_AUDIENCE) === "yes");
  const isCertain =
    and(not(otherId), not(otherTenant), isHome(variable(AUTHORITY), cloud)) === "yes" &&
    isKnown(token) &&
    isKnown(secret) &&
    isAsGood;
  return isCertain ? undefined : "unknown";
}

/** Whether an authority is the Entra of a cloud, the public one unless stated; the webhook sets it where none is. */
function isHome(authority: Text, cloud: Identity["cloud"]): Ternary {
  if (isAbsent(authority)) return "yes";
  const { entraHosts } = azureCloud(orElse(cloud, () => undefined) ?? "AzurePublicCloud");
  const hosts = entraHosts.flatMap((host) => [`https://${host}`, `https://${host}/`]);
  return anyOf(hosts.map((each) => is<string | undefined>(authority, each)));
}
