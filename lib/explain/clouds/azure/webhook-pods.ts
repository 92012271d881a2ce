/*
 * What pods do with the settings of Azure's pod identity webhook: it changes no pod without its label, and overwrites no
 * variable that a container sets itself. Pods that have all of it themselves need no webhook. Source:
 * Azure/azure-workload-identity, pkg/webhook/webhook.go, `addEnvironmentVariables`.
 */

import { isAksIssuer } from "../../../model/aks-issuer";
import { azureCloud } from "../../../rules/azure/clouds";
import { WEBHOOK_USE_LABEL } from "../../../rules/azure/pod-identity-webhook";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../../answer";
import type { PodFact } from "../../facts/pod-fragments";
import { isLateText } from "../../facts/terraform";
import type { HubFact } from "../hub-fact";
import { notSeen } from "../not-seen";
import { type ContainerFact, containersOf } from "../pod-containers";

const CLIENT_ID = "AZURE_CLIENT_ID";
const TOKEN = "AZURE_FEDERATED_TOKEN_FILE";
const TENANT_ID = "AZURE_TENANT_ID";
const AUTHORITY = "AZURE_AUTHORITY_HOST";
const CLIENT_SECRET = "AZURE_CLIENT_SECRET";
/** Where the webhook mounts the token. */
export const MOUNTED_TOKEN = "/var/run/secrets/azure/tokens/azure-identity-token";

/** The webhook's audience, the same in all clouds of Azure. */
const AUDIENCE = azureCloud("AzurePublicCloud").audience;

const [[LABEL = "", VALUE = ""] = []] = Object.entries(WEBHOOK_USE_LABEL);

/** The late issuer of an AKS cluster, whose add-on is the webhook. */
const LATE_AKS = /\$\{\d+#(?:module\.[\w-]+\.)*(?:data\.)?azurerm_kubernetes_cluster\./;

/** What containers must agree with. */
export interface WebhookPodsQuestion {
  /** Client id of the identity. */
  readonly clientId: string;
  /** Tenant that the service account names; `undefined` where it names none. */
  readonly tenantId: string | undefined;
  /** Whether the webhook is there; `undefined` where nobody says it. */
  readonly webhook: boolean | undefined;
}

/** Whether the webhook runs on a cluster; of one that nobody asks about it is taken for granted. */
export function webhookOn(hub: HubFact | undefined): boolean | undefined {
  if (hub === undefined) return true;
  const { issuer = "", webhooks } = hub;
  return webhooks?.includes("azure") ?? (isAksIssuer(issuer) || LATE_AKS.test(issuer) ? true : undefined);
}

/** Variables of a program but for the client id: another identity of its own is judged where the spoke is. */
export function withoutClient(
  program: ReadonlyMap<string, string> | undefined,
): ReadonlyMap<string, string> | undefined {
  return program && new Map([...program].filter(([name]) => name !== CLIENT_ID));
}

/** Whether every pod is changed, and every container then acts as the identity. */
export function webhookPods(
  pods: readonly PodFact[],
  { clientId, tenantId, webhook }: WebhookPodsQuestion,
): Answer {
  if (pods.length === 0) return notSeen(`its pods need the label ${LABEL}: "${VALUE}"`);
  const covered = new Map(pods.map((pod) => [pod, needsNoWebhook(pod.spec, clientId)]));
  const without = pods.filter((pod) => pod.labels[LABEL] !== VALUE && covered.get(pod) === false);
  if (without.length > 0) return unlabelled(without);
  const judged = pods.flatMap((pod) => podJudged(pod, clientId, tenantId));
  const wrong = judged.find(({ problem }) => problem !== undefined);
  if (wrong)
    return broken(
      `${wrong.pod.title} ${wrong.problem ?? ""}`,
      `remove ${CLIENT_ID}, ${TOKEN} and ${CLIENT_SECRET} from the pod: the webhook sets what it needs`,
      undefined,
      seen(wrong.pod.title, wrong.pod.source),
    );
  const isHelped = ({ labels }: PodFact): boolean => webhook === true && labels[LABEL] === VALUE;
  const open =
    judged.find(({ isOpen }) => isOpen)?.pod ??
    pods.find((pod) => covered.get(pod) === undefined && !isHelped(pod));
  if (open)
    return unknown(
      `as whom a container of ${open.title} acts is known only in the cluster`,
      `leave ${CLIENT_ID} and ${TOKEN} to the webhook, or mount a token for ${AUDIENCE}`,
      seen(open.title, open.source),
    );
  const waiting = pods.find((pod) => webhook !== true && covered.get(pod) === false);
  if (waiting) return unchanged(waiting, webhook);
  const labelled = pods.every(({ labels }) => labels[LABEL] === VALUE);
  const how = labelled
    ? "have the webhook's label"
    : "have a token, and variables that name it, without the webhook";
  return pass(`its pods ${how}`, ...pods.map(({ title, source }) => seen(title, source)));
}

/**
 * Whether every container has all that the webhook would add: its four variables, with the token that they name;
 * `undefined` where only the cluster tells it.
 */
function needsNoWebhook(spec: PodFact["spec"], clientId: string): boolean | undefined {
  const each = containersOf(spec).map((container) => hasAll(container, clientId));
  if (each.length === 0 || each.includes(false)) return false;
  return each.includes(undefined) ? undefined : true;
}

function hasAll({ variable, files, hasMore }: ContainerFact, clientId: string): boolean | undefined {
  const [id, token, ...others] = [CLIENT_ID, TOKEN, TENANT_ID, AUTHORITY].map(
    (name) => variable(name) ?? (hasMore ? "open" : undefined),
  );
  const all = [id, token, ...others];
  if (!files.some((each) => each.token?.audience === AUDIENCE)) return false;
  if (all.some((each) => each === undefined || (each !== "open" && each.text === ""))) return false;
  if (typeof id === "object" && id.text !== clientId) return false;
  const file = typeof token === "object" && files.find((each) => each.token && each.path === token.text);
  if (typeof token === "object" && (!file || file.token?.audience !== AUDIENCE)) return false;
  return all.includes("open") ? undefined : true;
}

function podJudged(
  pod: PodFact,
  clientId: string,
  tenantId: string | undefined,
): readonly (Judged & { readonly pod: PodFact })[] {
  return containersOf(pod.spec).map((container) => ({
    pod,
    ...containerJudged(container, clientId),
    ...tenantJudged(container, tenantId),
  }));
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
function unchanged({ title, source }: PodFact, webhook: boolean | undefined): Answer {
  const needs = `${title} has not all of ${CLIENT_ID}, ${TOKEN}, ${TENANT_ID}, ${AUTHORITY} and the token`;
  const remedy = "write variables, volume and mount into the pod";
  const where = seen(title, source);
  return webhook === false
    ? broken(`${needs}, and no pod identity webhook of Azure runs on the hub`, remedy, SILENT, where)
    : unknown(`${needs}, and nobody says whether the webhook runs on the hub`, remedy, where);
}

function tenantJudged(container: ContainerFact, tenantId: string | undefined): Partial<Judged> {
  const set = container.variable(TENANT_ID);
  if (typeof set !== "object" || tenantId === undefined || set.text === tenantId) return {};
  return isLateText(set.text) || isLateText(tenantId)
    ? { isOpen: true }
    : wrong(
        `sets ${TENANT_ID} to ${set.text} in the container ${container.name}, and the service account names ${tenantId}`,
      );
}

interface Judged {
  readonly problem: string | undefined;
  readonly isOpen: boolean;
}

function containerJudged(container: ContainerFact, clientId: string): Judged {
  const where = `in the container ${container.name}`;
  const [id, token, secret] = [CLIENT_ID, TOKEN, CLIENT_SECRET].map((name) => container.variable(name));
  const otherId = typeof id === "object" && id.text !== clientId;
  const otherToken = typeof token === "object" && token.text !== MOUNTED_TOKEN;
  if (typeof secret === "object")
    return wrong(`sets ${CLIENT_SECRET} ${where}, which SDKs take before a token`);
  if (otherId && !isLateText(clientId)) return wrong(`sets ${CLIENT_ID} to ${id.text} ${where}`);
  const own = otherToken && container.files.find((each) => each.token && each.path === token.text)?.token;
  if (otherToken && !own) return wrong(`sets ${TOKEN} to ${token.text} ${where}, where it has no token`);
  // A token of its own that is made as the webhook's is as good; of another audience it is judged by nobody here.
  const otherAudience = own !== false && own?.audience !== AUDIENCE;
  return { problem: undefined, isOpen: otherId || otherAudience || [id, token, secret].includes("open") };
}

function wrong(problem: string): Judged {
  return { problem, isOpen: false };
}
