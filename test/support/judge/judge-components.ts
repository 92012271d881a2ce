import { parseRoleArn } from "../../../lib/rules/aws/arn";
import { Subject } from "../../../lib/model/subject";
import { type Json, inside, list, record, text } from "../json";
import { type FinishedStack, annotationsOf } from "../synth-output";
import { resources } from "../terraform";
import { judgeAwsTrust } from "./judge-aws";
import { identityOf, judgeAzureTrust } from "./judge-azure";
import { judgePoolProvider } from "./judge-google";
import type { Token } from "./uses";

/** One service account that acts as an identity of a cloud, as component or workload, and where it reads as whom. */
interface Acting extends Token {
  readonly cloud: string;
  /** What the pods are given: content of a Secret or of a ConfigMap, or annotations. */
  readonly given: Json;
}

type Judge = (stack: FinishedStack, acting: Acting) => readonly string[];

const JUDGES: Readonly<Record<string, Judge>> = {
  aws: judgeRole,
  azure: judgeIdentity,
  google: judgeAccount,
};

const WORKLOAD_AUDIENCES: Readonly<Record<string, string>> = {
  aws: "sts.amazonaws.com",
  azure: "api://AzureADTokenExchange",
};

/** Components, workloads and controllers of a fleet that the stack recorded. */
export function acting(stack: FinishedStack): readonly Acting[] {
  const { cloud, audience, granted } = record(stack.cluster["components"]);
  const components = list(granted)
    .map(record)
    .flatMap(({ secret, serviceAccounts }) =>
      list(serviceAccounts).map((key) => ({
        subject: Subject.of(text(key)),
        audience: text(audience),
        cloud: text(cloud),
        given: contentOf(stack, "Secret", Subject.of(text(secret))),
      })),
    );
  const workloads = list(stack.cluster["workloads"])
    .map(record)
    .map(({ serviceAccount, cloud: own }) => workloadOf(stack, Subject.of(text(serviceAccount)), text(own)));
  const controllers = list(record(stack.cluster["fleet"])["identities"])
    .map(record)
    .map(({ serviceAccount, cloud: own }) => workloadOf(stack, Subject.of(text(serviceAccount)), text(own)));
  return [...components, ...workloads, ...controllers];
}

/** Whether each component and workload reads as whom it acts, and the cloud lets it, and no one else. */
export function judgeComponents(stack: FinishedStack): readonly string[] {
  return acting(stack).flatMap((one) =>
    (JUDGES[one.cloud] ?? (() => ["no judge knows its cloud"]))(stack, one).map(
      (finding) => `${one.subject.key}: ${finding}`,
    ),
  );
}

function workloadOf(stack: FinishedStack, subject: Subject, cloud: string): Acting {
  const given =
    cloud === "google"
      ? contentOf(stack, "ConfigMap", Subject.of(`${subject.namespace}/google-credentials-${subject.name}`))
      : annotationsOf(stack, subject);
  const audience = WORKLOAD_AUDIENCES[cloud] ?? `https:${text(credentials(given)["audience"])}`;
  return { subject, audience, cloud, given };
}

/** The texts of a Secret, decoded, or of a ConfigMap. */
function contentOf({ objects }: FinishedStack, kind: string, { namespace, name }: Subject): Json {
  const found = objects.find(
    (object) =>
      object["kind"] === kind &&
      inside(object, "metadata", "namespace") === namespace &&
      inside(object, "metadata", "name") === name,
  );
  const data = Object.entries(record(inside(found, "data"))).map(([key, value]) => [
    key,
    kind === "Secret" ? Buffer.from(text(value), "base64").toString() : value,
  ]);
  return { ...record(inside(found, "stringData")), ...(Object.fromEntries(data) as Json) };
}

function judgeRole(stack: FinishedStack, one: Acting): readonly string[] {
  const stated = /^role_arn = (.+)$/m.exec(text(one.given["credentials"]))?.[1];
  const arn = stated ?? text(one.given["eks.amazonaws.com/role-arn"]);
  if (arn === "") return ["nothing names its role"];
  const { name } = parseRoleArn(arn);
  const role = resources(stack.terraform, "aws_iam_role").find((block) => block["name"] === name);
  const policies = resources(stack.terraform, "aws_iam_role_policy").filter(({ role: of }) => of === name);
  if (!role) return [`no IAM role ${name} is declared`];
  const entries = resources(stack.terraform, "aws_eks_access_entry").filter(
    ({ principal_arn }) => principal_arn === arn,
  );
  return [
    ...(policies.length + entries.length > 0 ? [] : ["its role may do nothing"]),
    ...judgeAwsTrust(stack, one, role),
  ];
}

function judgeIdentity(stack: FinishedStack, one: Acting): readonly string[] {
  const id = text(one.given["azure_client_id"] ?? one.given["azure.workload.identity/client-id"]);
  const identity = identityOf(stack.terraform, id);
  if (!identity) return ["no identity has the client id that it is given"];
  const assigned = resources(stack.terraform, "azurerm_role_assignment").some(
    ({ principal_id }) => principal_id === identity.principalId,
  );
  return [...(assigned ? [] : ["its identity may do nothing"]), ...judgeAzureTrust(stack, one, identity)];
}

function judgeAccount(stack: FinishedStack, one: Acting): readonly string[] {
  const { audience, service_account_impersonation_url: url } = credentials(one.given);
  const [, number, pool = "", providerId = ""] =
    /^\/\/iam\.googleapis\.com\/projects\/(\d+)\/.+\/([^/]+)\/providers\/([^/]+)$/.exec(text(audience)) ?? [];
  const [, email = ""] = /\/serviceAccounts\/(.+):generateAccessToken$/.exec(text(url)) ?? [];
  const member = `principal://iam.googleapis.com/projects/${number}/locations/global/workloadIdentityPools/${pool}/subject/${one.subject.toString()}`;
  const impersonators = resources(stack.terraform, "google_service_account_iam_member").filter(
    (block) =>
      text(block["service_account_id"]).endsWith(`/serviceAccounts/${email}`) && block["member"] === member,
  );
  const rights = ["google_project_iam_member", "google_storage_bucket_iam_member"]
    .flatMap((type) => resources(stack.terraform, type))
    .filter((block) => block["member"] === `serviceAccount:${email}`);
  return [
    ...(impersonators.length === 1 ? [] : ["it may not act as its service account"]),
    ...(rights.length > 0 ? [] : ["its service account may do nothing"]),
    ...judgePoolProvider(stack, one, { id: pool, providerId }),
  ];
}

/** The credential file, under whichever name it is given. */
function credentials(given: Json): Json {
  const file = text(given["service_account.json"] ?? given["credentials.json"]);
  return file === "" ? {} : record(JSON.parse(file));
}
