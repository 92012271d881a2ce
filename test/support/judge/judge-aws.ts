import { parseRoleArn } from "../../../lib/rules/aws/arn";
import { parseEcrHost } from "../../../lib/rules/aws/registry";
import { evaluateAwsPermission } from "../../../lib/rules/aws/policy/permission";
import { evaluateAwsTrust } from "../../../lib/rules/aws/policy/trust";
import { type Json, inside, list, record, text } from "../json";
import { type FinishedStack, annotationsOf } from "../synth-output";
import { resources } from "../terraform";
import { type Token, type Use, strangers, usesWith } from "./uses";

const ANNOTATION = "eks.amazonaws.com/ecr-role-arn";
const PULL = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"] as const;

/** Whether STS lets each service account become its role, no one else, and whether the role may pull just that. */
export function judgeAws(stack: FinishedStack): readonly string[] {
  return usesWith(stack, ANNOTATION).flatMap((use) => {
    const roleArn = text(annotationsOf(stack, use.subject)[ANNOTATION]);
    // The kubelet's judge reports an absent annotation.
    if (roleArn === "") return [];
    const arn = parseRoleArn(roleArn);
    const role = resources(stack.terraform, "aws_iam_role").find(
      (block) => block["name"] === arn.name && (text(block["path"]) || "/") === arn.path,
    );
    if (!role) return [`${use.title}: no IAM role ${arn.name} is declared`];
    const findings = [
      ...judgeAwsTrust(stack, use, role),
      ...judgePermission(stack, use, role),
      ...judgeOwner(stack, use, arn.account, roleArn),
    ];
    return findings.map((finding) => `${use.title}: ${finding}`);
  });
}

/** Whether STS lets the service account become the role, and no one else. */
export function judgeAwsTrust(
  { issuer, terraform }: FinishedStack,
  use: Token,
  role: Json,
): readonly string[] {
  const policy = text(role["assume_role_policy"]);
  const provider = resources(terraform, "aws_iam_openid_connect_provider").find(({ url }) => url === issuer);
  const providerArn = list(record(JSON.parse(policy))["Statement"])
    .map((statement) => text(inside(statement, "Principal", "Federated")))
    .find((arn) => arn.endsWith(`:oidc-provider/${issuer.replace("https://", "")}`));
  if (providerArn === undefined) return [`the role trusts no OIDC provider of ${issuer}`];
  const outcome = (claims: object, arn: string = providerArn): string => {
    const token = { iss: issuer, sub: use.subject.toString(), aud: [use.audience], ...claims };
    const decision = evaluateAwsTrust(policy, { providerArn: arn, claims: token });
    return decision.outcome;
  };
  const refused: readonly (readonly [string, string])[] = [
    ...strangers(use).map((sub) => [sub, outcome({ sub })] as const),
    ["another audience", outcome({ aud: [`${use.audience}.example`] })],
    ["another issuer", outcome({ iss: `${issuer}/` })],
    ["another OIDC provider", outcome({ iss: undefined }, `${providerArn}x`)],
  ];
  return [
    ...(outcome({}) === "allowed" ? [] : ["STS refuses the service account"]),
    ...refused.filter(([, got]) => got !== "denied").map(([who, got]) => `STS has ${got} for ${who}`),
    ...(!provider || list(provider["client_id_list"]).includes(use.audience)
      ? []
      : [`the OIDC provider does not know the audience ${use.audience}`]),
  ];
}

function judgePermission({ terraform }: FinishedStack, use: Use, role: Json): readonly string[] {
  const policies = resources(terraform, "aws_iam_role_policy")
    .filter((block) => block["role"] === role["name"])
    .map(({ policy }) => text(policy));
  const host = parseEcrHost(use.image.split("/")[0] ?? "");
  if (host?.kind !== "private") return [`${use.image} is of no private registry`];
  const repository = (account: string, name: string): string =>
    `arn:aws:ecr:${host.region}:${account}:repository/${name}`;
  const own = repository(host.account, use.image.split("/").slice(1).join("/"));
  const outcome = (action: string, resource: string): string =>
    evaluateAwsPermission(policies, { action, resource }).outcome;
  const asked: readonly (readonly [action: string, resource: string, expected: string])[] = [
    ["ecr:GetAuthorizationToken", "*", "allowed"],
    ...PULL.map((action) => [action, own, "allowed"] as const),
    ...PULL.map((action) => [action, repository("999999999999", "any"), "denied"] as const),
    ...(use.wholeRegistry
      ? []
      : PULL.map((action) => [action, repository(host.account, "not-declared"), "denied"] as const)),
    ["ecr:PutImage", own, "denied"],
    ["ecr:DeleteRepository", own, "denied"],
  ];
  return asked
    .filter(([action, resource, expected]) => outcome(action, resource) !== expected)
    .map(([action, resource]) => `${action} on ${resource} is ${outcome(action, resource)}`);
}

/** A registry of another account must let the role in; who owns it is told by a warning where nothing is declared. */
function judgeOwner(
  { terraform, warnings }: FinishedStack,
  { image }: Use,
  account: string,
  roleArn: string,
): readonly string[] {
  const host = parseEcrHost(image.split("/")[0] ?? "");
  if (host?.kind !== "private" || host.account === account) return [];
  const name = image.split("/").slice(1).join("/");
  const declared = resources(terraform, "aws_ecr_repository_policy")
    .filter(({ repository, region }) => repository === name && region === host.region)
    .flatMap(({ policy }) => list(record(JSON.parse(text(policy)))["Statement"]))
    .filter((statement) => [inside(statement, "Principal", "AWS")].flat().includes(roleArn))
    .flatMap((statement) => [record(statement)["Action"]].flat());
  if (warnings.some((warning) => warning.includes(roleArn))) return [];
  return PULL.filter((action) => !declared.includes(action)).map(
    (action) => `the owner's repository policy does not allow ${action} to ${roleArn}`,
  );
}
