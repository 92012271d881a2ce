/*
 * What pods do with the pod identity webhook's settings: it writes no variables into a container that sets one of the
 * two itself. Source: aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go, `addEnvToContainer`.
 */

import { type Known, isKnown, known, match, orElse, same, shown } from "../../model/known";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AccountQuestion, AccountReading } from "../cloud";
import { type ContainerFact, containersOf } from "../shared/pods";

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
const EKS =
  /^https:\/\/(?:oidc[.-]eks\.|<(?:module\.[\w-]+\.)*(?:data\.)?aws_eks_cluster\.)|^<(?:module\.[\w-]+\.)*(?:data\.)?aws_eks_cluster\./;

/** What containers must agree with. */
interface Asked {
  /** The role that the program shall act as. */
  readonly arn: Known<string>;
  /** Variables of the program, above those of its container. */
  readonly program: ReadonlyMap<string, Known<string>>;
  readonly webhook: "runs" | "absent" | "unknown";
}

/** Whether every container acts as the role, and the audiences of their tokens. */
export function webhookPods(
  { pods, program, cluster }: AccountQuestion,
  arn: Known<string>,
  audience: Known<string>,
): Pick<AccountReading, "pods" | "audiences"> {
  const webhook = webhookOn(cluster);
  const judged = pods.flatMap(({ title, spec, source }) =>
    containersOf(spec).map((container) => ({
      title,
      name: container.name,
      where: seen(`${title}, container ${container.name}`, source),
      said: containerJudged(container, { arn, program, webhook }),
    })),
  );
  const first = judged.find(({ said }) => "problem" in said || "open" in said);
  if (first) {
    const { title, name, where, said } = first;
    const answer =
      "open" in said
        ? unknown(said.open.replace("{container}", `the container ${name} of ${title}`), REMEDY, where)
        : refused(`${title} ${"problem" in said ? said.problem : ""}`, where, webhook);
    return { pods: answer, audiences: [audience] };
  }
  const places = pods.map(({ title, source }) => seen(title, source));
  if (webhook !== "runs" && judged.length === 0)
    return { pods: withoutPods(webhook, places), audiences: [audience] };
  return {
    pods: pass(
      webhook === "runs" || judged.length === 0
        ? "the webhook gives every pod of the service account a token and names its path"
        : "its pods have the token and know its path, without the webhook",
      ...places,
    ),
    audiences: audiencesOf(
      judged.flatMap(({ said }) => ("own" in said ? [said.own] : [])),
      audience,
    ),
  };
}

function withoutPods(webhook: "absent" | "unknown", places: readonly Evidence[]): Answer {
  return unknown(
    `no pod was read, and ${webhook === "absent" ? "no pod identity webhook of AWS runs on the hub" : NOT_SAID}`,
    `name the manifests that set ${ROLE} and ${TOKEN} and mount the token`,
    ...places,
  );
}

/** The audience of the webhook's tokens and those of the pods' own, each once. */
function audiencesOf(own: readonly Known<string>[], audience: Known<string>): readonly Known<string>[] {
  return own.reduce<readonly Known<string>[]>(
    (all, next) => (all.some((other) => same(other, next) === "yes") ? all : [...all, next]),
    [audience],
  );
}

const REMEDY = `leave ${ROLE} and ${TOKEN} to the webhook, or write both, and the token that they name, into the pod`;
const NOT_SAID = "it is not recorded whether a pod identity webhook of AWS runs on the hub";

/** Whether the webhook changes pods; of a cluster of which nothing is recorded it is taken for granted. */
function webhookOn(cluster: AccountQuestion["cluster"]): Asked["webhook"] {
  const { fleet, issuer } = cluster;
  if (fleet === undefined || fleet.webhooks?.includes("aws")) return "runs";
  if (issuer !== undefined && EKS.test(shown(issuer))) return "runs";
  return fleet.webhooks ? "absent" : "unknown";
}

/** What is wrong with a container, the end of a sentence; what is not known; or the audience of a token of its own. */
type Judged =
  | { readonly problem: string }
  | { readonly open: string }
  | { readonly own: Known<string> }
  | { readonly agrees: true };

const OPEN: Judged = { open: "which role {container} takes is known only in the cluster" };

/** The webhook looks at the container alone; the program has its own variables above what comes of that. */
function containerJudged(container: ContainerFact, { arn, program, webhook }: Asked): Judged {
  const name = `in the container ${container.name}`;
  const [role, token, lasting, profile] = [ROLE, TOKEN, LASTING, PROFILE].map((each) =>
    container.variable(each),
  );
  if (isWritten(lasting) || program.has(LASTING))
    return { problem: `sets ${LASTING} ${name}, which SDKs take before a token` };
  if (!isAbsent(profile) || program.has(PROFILE))
    return { open: `{container} has ${PROFILE}, and whose credentials the profile names is not judged here` };
  const isMade = isAbsent(role) && isAbsent(token) && webhook === "runs";
  const actsAs = program.get(ROLE) ?? (isMade ? arn : role);
  const reads = program.get(TOKEN) ?? (isMade ? known(MOUNTED) : token);
  if ([role, token, lasting].some(isOpen)) return OPEN;
  // Objects that are not read may have the rest.
  if (container.hasMore && (isAbsent(actsAs) || isAbsent(reads))) return OPEN;
  if (isAbsent(actsAs) && isAbsent(reads))
    return webhook === "absent"
      ? { problem: `has neither ${ROLE} nor ${TOKEN} ${name}, and no webhook on the hub that sets them` }
      : { open: `{container} sets neither ${ROLE} nor ${TOKEN}, and ${NOT_SAID}` };
  if (isAbsent(actsAs) || isAbsent(reads))
    return {
      problem: `sets ${isAbsent(actsAs) ? TOKEN : ROLE} ${name} without ${isAbsent(actsAs) ? ROLE : TOKEN}, and the webhook leaves it alone`,
    };
  const isRole = same<string | undefined>(actsAs ?? known(undefined), arn);
  if (isRole === "unknown") return OPEN;
  if (isRole === "no") return { problem: `sets ${ROLE} to ${shown(actsAs ?? known(""))} ${name}` };
  return tokenJudged(
    container,
    orElse(reads ?? known(""), () => undefined),
    webhook,
    name,
  );
}

function tokenJudged(
  container: ContainerFact,
  path: string | undefined,
  webhook: Asked["webhook"],
  name: string,
): Judged {
  const file = container.files.find((each) => each.path === path);
  if (file?.token)
    return match<string | undefined, Judged>(
      file.token.audience,
      (audience) => (audience === undefined ? { agrees: true } : { own: known(audience) }),
      () => ({ own: file.token?.audience as Known<string> }),
    );
  if (path === MOUNTED && webhook === "runs") return { agrees: true };
  if (path === MOUNTED && webhook === "unknown")
    return { open: `{container} reads the webhook's token, and ${NOT_SAID}` };
  if (path === undefined || container.isOpen) return OPEN;
  return {
    problem: `sets ${TOKEN} to ${path} ${name}, where it has no token, and the webhook leaves it alone`,
  };
}

function isAbsent(value: Known<string | undefined> | undefined): boolean {
  return value === undefined || orElse(value, () => "late") === undefined;
}

function isWritten(value: Known<string | undefined> | undefined): boolean {
  return value !== undefined && isKnown(value) && !isAbsent(value);
}

/** Not known for another reason than that apply tells it. */
function isOpen(value: Known<string | undefined> | undefined): boolean {
  return (
    value !== undefined &&
    match(
      value,
      () => false,
      (why) => why.kind !== "apply",
    )
  );
}

function refused(reason: string, where: Evidence, webhook: Asked["webhook"]): Answer {
  return broken(
    reason,
    webhook === "absent"
      ? `set ${ROLE} and ${TOKEN} in the pod, and mount the token that they name`
      : `remove ${ROLE}, ${TOKEN} and ${LASTING} from the pod: the webhook sets them`,
    SILENT_ABOUT,
    where,
  );
}
