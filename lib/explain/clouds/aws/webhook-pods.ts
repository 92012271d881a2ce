/*
 * What pods do with the pod identity webhook's settings: it writes no variables into a container that sets one of the
 * two itself. Source: aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go, `addEnvToContainer`.
 */

import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { PodFact } from "../../facts/pod-fragments";
import { isLateText } from "../../facts/terraform";
import type { AccountReading } from "../cloud-access";
import { type ContainerFact, containersOf } from "../pod-containers";

const ROLE = "AWS_ROLE_ARN";
const TOKEN = "AWS_WEB_IDENTITY_TOKEN_FILE";
/** Where the webhook mounts the token. */
const MOUNTED = "/var/run/secrets/eks.amazonaws.com/serviceaccount/token";
/** Credentials that SDKs take before a token. */
const LASTING = "AWS_ACCESS_KEY_ID";
const SILENT_ABOUT = "is not authorized to perform: sts:AssumeRoleWithWebIdentity";

/** Whether every container acts as the role, and the audiences of their tokens. */
export function webhookPods(
  pods: readonly PodFact[],
  arn: string,
  audience: string,
): Pick<AccountReading, "pods" | "audiences"> {
  const own: string[] = [];
  for (const { title, spec, source } of pods) {
    for (const container of containersOf(spec)) {
      const judged = containerJudged(container, arn);
      const where = seen(`${title}, container ${container.name}`, source);
      if (judged === "open")
        return {
          pods: unknown(
            `which role the container ${container.name} of ${title} takes is known only in the cluster`,
            `leave ${ROLE} and ${TOKEN} to the webhook`,
            where,
          ),
          audiences: [audience],
        };
      if (typeof judged === "string")
        return { pods: refused(`${title} ${judged}`, where), audiences: [audience] };
      own.push(...judged);
    }
  }
  const places = pods.map(({ title, source }) => seen(title, source));
  return {
    pods: pass(
      "the webhook gives every pod of the service account a token and tells it where it is",
      ...places,
    ),
    audiences: [...new Set([audience, ...own])],
  };
}

/** What is wrong, the end of a sentence; or the audiences of tokens that it has besides the webhook's. */
function containerJudged(container: ContainerFact, arn: string): string | "open" | readonly string[] {
  const [role, token, lasting] = [ROLE, TOKEN, LASTING].map((name) => container.variable(name));
  const name = `in the container ${container.name}`;
  if (typeof lasting === "object") return `sets ${LASTING} ${name}, which SDKs take before a token`;
  if ([role, token, lasting].includes("open")) return "open";
  if (role === undefined && token === undefined) return [];
  if (typeof role !== "object" || typeof token !== "object") {
    return `sets ${role ? ROLE : TOKEN} ${name} without ${role ? TOKEN : ROLE}, and the webhook leaves it alone`;
  }
  if (role.text !== arn) return isLateText(arn) ? "open" : `sets ${ROLE} to ${role.text} ${name}`;
  if (token.text === MOUNTED) return [];
  const file = container.files.find(({ path }) => path === token.text);
  return file?.token
    ? [file.token.audience]
    : `sets ${TOKEN} to ${token.text} ${name}, where it has no token, and the webhook leaves it alone`;
}

function refused(reason: string, where: ReturnType<typeof seen>): Answer {
  return broken(
    reason,
    `remove ${ROLE}, ${TOKEN} and ${LASTING} from the pod: the webhook sets them`,
    SILENT_ABOUT,
    where,
  );
}
