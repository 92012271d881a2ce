/*
 * What pods do with the pod identity webhook's settings: it writes no variables into a container that sets one of the
 * two itself. Source: aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go, `addEnvToContainer`.
 */

import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { PodFact } from "../../facts/pod-fragments";
import { isLateText } from "../../facts/terraform";
import type { AccountReading } from "../cloud-access";
import type { HubFact } from "../hub-fact";
import { type ContainerFact, containersOf } from "../pod-containers";

/** Names the role. */
export const ROLE_VARIABLE = "AWS_ROLE_ARN";
const ROLE = ROLE_VARIABLE;
const TOKEN = "AWS_WEB_IDENTITY_TOKEN_FILE";
/** Names a profile of configuration files, whose credentials SDKs take. */
const PROFILE = "AWS_PROFILE";
/** Where the webhook mounts the token. */
const MOUNTED = "/var/run/secrets/eks.amazonaws.com/serviceaccount/token";
/** Credentials that SDKs take before a token. */
const LASTING = "AWS_ACCESS_KEY_ID";
const SILENT_ABOUT = "is not authorized to perform: sts:AssumeRoleWithWebIdentity";
/** Issuers of EKS clusters, whose control plane runs the webhook. */
const EKS = /^https:\/\/oidc[.-]eks\.|\$\{\d+#(?:module\.[\w-]+\.)*(?:data\.)?aws_eks_cluster\./;

/** Whether the webhook changes pods. */
export type Webhook = "runs" | "absent" | "unknown";

/** What containers must agree with. */
export interface WebhookPodsQuestion {
  /** The role that the program shall act as. */
  readonly arn: string;
  /** The audience of the webhook's tokens. */
  readonly audience: string;
  /** Variables of the program, above those of its container; `undefined` for none. */
  readonly program: ReadonlyMap<string, string> | undefined;
  /** Whether the webhook is there. */
  readonly webhook: Webhook;
}

/** Whether the webhook runs on a cluster; of one that nobody asks about it is taken for granted. */
export function webhookOn(hub: HubFact | undefined): Webhook {
  if (hub === undefined || hub.webhooks?.includes("aws") || EKS.test(hub.issuer ?? "")) return "runs";
  return hub.webhooks ? "absent" : "unknown";
}

/** Whether every container acts as the role, and the audiences of their tokens. */
export function webhookPods(
  pods: readonly PodFact[],
  question: WebhookPodsQuestion,
): Pick<AccountReading, "pods" | "audiences"> {
  const { audience, webhook } = question;
  const judged = pods.flatMap(({ title, spec, source }) =>
    containersOf(spec).map((container) => ({
      title,
      name: container.name,
      where: seen(`${title}, container ${container.name}`, source),
      ...containerJudged(container, question),
    })),
  );
  const first = judged.find(({ problem, open }) => problem !== undefined || open !== undefined);
  if (first) {
    const { title, name, where, problem, open = "" } = first;
    const answer =
      problem === undefined
        ? unknown(open.replace("{container}", `the container ${name} of ${title}`), REMEDY, where)
        : refused(`${title} ${problem}`, where, webhook);
    return { pods: answer, audiences: [audience] };
  }
  const places = pods.map(({ title, source }) => seen(title, source));
  if (webhook !== "runs" && judged.length === 0)
    return {
      pods: unknown(
        `no pod was read, and ${webhook === "absent" ? "no pod identity webhook of AWS runs on the hub" : NOBODY_SAYS}`,
        `name the manifests that set ${ROLE} and ${TOKEN} and mount the token`,
        ...places,
      ),
      audiences: [audience],
    };
  const [some] = judged;
  return {
    pods: pass(
      webhook === "runs" || !some
        ? "the webhook gives every pod of the service account a token and tells it where it is"
        : "its pods have the token and are told where it is, without the webhook",
      ...places,
    ),
    audiences: [...new Set([audience, ...judged.flatMap(({ own = [] }) => own)])],
  };
}

const REMEDY = `leave ${ROLE} and ${TOKEN} to the webhook, or write both, and the token that they name, into the pod`;
const NOBODY_SAYS = "nobody says whether a pod identity webhook of AWS runs on the hub";

interface Judged {
  /** What is wrong, the end of a sentence. */
  readonly problem?: string;
  /** What is not known. */
  readonly open?: string;
  /** Audiences of tokens that it has besides the webhook's. */
  readonly own?: readonly string[];
}

const OPEN: Judged = { open: "which role {container} takes is known only in the cluster" };

/** The webhook looks at the container alone; the program has its own variables above what comes of that. */
function containerJudged(container: ContainerFact, { arn, program, webhook }: WebhookPodsQuestion): Judged {
  const [role, token, lasting, profile] = [ROLE, TOKEN, LASTING, PROFILE].map((name) =>
    container.variable(name),
  );
  const name = `in the container ${container.name}`;
  if (typeof lasting === "object" || program?.has(LASTING))
    return { problem: `sets ${LASTING} ${name}, which SDKs take before a token` };
  if (profile !== undefined || program?.has(PROFILE))
    return { open: `{container} has ${PROFILE}, and whose credentials the profile names is not judged here` };
  if ([role, token, lasting].includes("open")) return OPEN;
  const isMade = role === undefined && token === undefined && webhook === "runs";
  const [toldRole, toldToken] = [given(program, ROLE), given(program, TOKEN)];
  const actsAs = toldRole ?? (isMade ? { text: arn } : role);
  const reads = toldToken ?? (isMade ? { text: MOUNTED } : token);
  // Objects that are not read may have the rest.
  if (container.hasMore && (actsAs === undefined || reads === undefined)) return OPEN;
  if (actsAs === undefined && reads === undefined)
    return webhook === "absent"
      ? { problem: `has neither ${ROLE} nor ${TOKEN} ${name}, and no webhook on the hub that sets them` }
      : { open: `{container} sets neither ${ROLE} nor ${TOKEN}, and ${NOBODY_SAYS}` };
  if (typeof actsAs !== "object" || typeof reads !== "object")
    return {
      problem: `sets ${actsAs ? ROLE : TOKEN} ${name} without ${actsAs ? TOKEN : ROLE}, and the webhook leaves it alone`,
    };
  if (actsAs.text !== arn)
    return isLateText(arn) ? OPEN : { problem: `sets ${ROLE} to ${actsAs.text} ${name}` };
  const file = container.files.find(({ path }) => path === reads.text);
  if (file?.token) return { own: [file.token.audience] };
  if (reads.text === MOUNTED && webhook === "runs") return {};
  if (reads.text === MOUNTED && webhook === "unknown")
    return { open: `{container} reads the webhook's token, and ${NOBODY_SAYS}` };
  return {
    problem: `sets ${TOKEN} to ${reads.text} ${name}, where it has no token, and the webhook leaves it alone`,
  };
}

function given(
  program: ReadonlyMap<string, string> | undefined,
  name: string,
): { readonly text: string } | undefined {
  const value = program?.get(name);
  return value === undefined ? undefined : { text: value };
}

function refused(reason: string, where: ReturnType<typeof seen>, webhook: Webhook): Answer {
  return broken(
    reason,
    webhook === "absent"
      ? `set ${ROLE} and ${TOKEN} in the pod, and mount the token that they name`
      : `remove ${ROLE}, ${TOKEN} and ${LASTING} from the pod: the webhook sets them`,
    SILENT_ABOUT,
    where,
  );
}
