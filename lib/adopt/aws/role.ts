/* Whether an existing role is what `WorkloadRole` writes: then it is taken over, otherwise it stays its owner's. */

import { Issuer } from "../../model/issuer";
import { isRecord } from "../../model/record";
import { Subject } from "../../model/subject";
import { podIdentityTrust } from "../../rules/aws/pod-identity";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import { requireAudience } from "../../rules/aws/provider";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { trustPolicy } from "../../rules/aws/trust";
import { accessPermissions } from "../../rules/aws/workload";
import { type AdoptedPart, type AdoptionFindings, Call, Code, stated } from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";
import { refusal } from "../workloads";
import { ASK } from "../../rules/aws/commands";
import type { Provider, Role } from "./answers";

/** A cluster, and where its roles and their policies are found. */
export interface Eks {
  readonly cluster: string;
  readonly account: string;
  readonly region: string;
  /** The OIDC provider of the cluster's issuer; `undefined` if it is not among the answers. */
  readonly provider: Provider | undefined;
  readonly answers: CommandAnswer;
  readonly findings: AdoptionFindings;
}

export interface Association {
  readonly id: string;
  /** `namespace/name`. */
  readonly serviceAccount: string;
  readonly roleArn: string;
}

/** The service accounts that a role admits: by tokens, and by associations of the cluster. */
interface Admitted {
  readonly serviceAccounts: readonly string[];
  readonly associations: readonly Association[];
}

/** The role as a construct under this name: a `WorkloadRole` if that writes the same, a reference otherwise. */
export function rolePart(name: string, role: Role, admitted: Admitted, eks: Eks): AdoptedPart {
  const { reasons, ...policies } = policiesOf(role, eks);
  const owner = role.tags["aws:cloudformation:stack-name"];
  const why = [
    ...trustReasons(role, admitted, eks),
    ...reasons,
    ...(owner === undefined ? [] : [`it belongs to the CloudFormation stack ${owner}`]),
    ...(role.maxSession === USUAL_SESSION ? [] : [`its sessions may last ${role.maxSession} seconds`]),
  ];
  if (why.length === 0)
    return { name, call: "new WorkloadRole", entry: "aws", props: settingsOf(role, admitted, policies, eks) };
  const said = `${role.arn} is not taken over: ${why.join("; ")}`;
  return { name, why: said, call: "WorkloadRole.fromArn", entry: "aws", props: role.arn };
}

function settingsOf(
  role: Role,
  { serviceAccounts, associations }: Admitted,
  { statements, managedPolicyArns, policyName }: Omit<Policies, "reasons">,
  { account, region, cluster }: Eks,
): Readonly<Record<string, unknown>> {
  const some = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined);
  const managed = some(managedPolicyArns);
  const access = stated({ statements: some(statements), managedPolicyArns: managed });
  return stated({
    account,
    region,
    roleName: role.name,
    path: role.path === "/" ? undefined : role.path,
    description: role.description,
    permissionsBoundary: role.boundary,
    tags: statedTags(role.tags),
    trusts: serviceAccounts.length > 0 ? [{ oidcProvider: new Code("oidcProvider"), serviceAccounts }] : [],
    podIdentities: some(
      associations.map(({ serviceAccount, id: associationId }) => ({
        cluster,
        serviceAccount,
        associationId,
      })),
    ),
    access: [new Call("awsAccess", "aws", access)],
    adopt: stated({ policyName, managedPolicyArns: managed }),
  });
}

/** In seconds, IAM's default. */
const USUAL_SESSION = "3600";

/** Terraform neither shows nor removes the tags of AWS itself. */
export function statedTags(tags: Role["tags"]): Role["tags"] | undefined {
  const own = Object.entries(tags).filter(([key]) => !key.startsWith("aws:"));
  return own.length > 0 ? Object.fromEntries(own) : undefined;
}

/** Statements that only one of the two trust policies has: the role's, and the one of a `WorkloadRole`. */
function trustReasons(
  role: Role,
  admitted: Admitted,
  { provider, cluster, ...place }: Eks,
): readonly string[] {
  const subjects = admitted.serviceAccounts.map((each) => Subject.of(each));
  let expected: readonly unknown[] = [];
  const refused = refusal(() => {
    const trust = provider && {
      issuer: Issuer.of(provider.issuer),
      oidcProviderArn: provider.arn,
      conditionPrefix: provider.issuer.slice("https://".length),
      audience: defaultAwsAudience,
      subjects,
      subjectPatterns: [],
    };
    const others = admitted.associations.map(({ serviceAccount }) =>
      podIdentityTrust(place, cluster, Subject.of(serviceAccount), true),
    );
    if (subjects.length > 0) requireAudience(defaultAwsAudience, provider?.audiences);
    expected = trustPolicy(trust && subjects.length > 0 ? [trust] : [], others).Statement;
  });
  if (refused !== undefined) return [refused];
  const statements = role.trust
    .at("Statement")
    .someMembers()
    .map(({ value }) => canonical(value));
  const written = expected.map(canonical);
  const extra = statements
    .filter((each) => !written.includes(each))
    .map((each) => `it has the trust statement ${each}`);
  const lacking = written
    .filter((each) => !statements.includes(each))
    .map((each) => `it lacks the trust statement ${each}`);
  return [...(extra.length > 0 ? extra : lacking), ...versionReasons("trust policy", role.trust)];
}

/** A statement without its Sid, so that equal ones have one text: lists sorted, a list of one as its member. */
function canonical(statement: unknown): string {
  return JSON.stringify(ordered(isRecord(statement) ? { ...statement, Sid: undefined } : statement));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? ordered(value[0]) : value.map(String).sort();
  if (!isRecord(value)) return value === undefined ? value : String(value);
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, ordered(value[key])]));
}

function versionReasons(what: string, document: CommandAnswer): readonly string[] {
  const version = document.at("Version").text() ?? "none";
  return !document.exists || version === "2012-10-17" ? [] : [`the version of its ${what} is ${version}`];
}

interface Policies {
  readonly statements: readonly PolicyStatement[];
  readonly policyName: string | undefined;
  readonly managedPolicyArns: readonly string[];
  readonly reasons: readonly string[];
}

/** The permissions of a role; records its policies among what Terraform imports. */
function policiesOf({ name }: Role, { answers, findings }: Eks): Policies {
  const inline = answers.at(ASK.policies, name, "PolicyNames").texts();
  const attached = answers.at(ASK.attached, name, "AttachedPolicies").list();
  const managedPolicyArns = attached.flatMap((each) => each.at("PolicyArn").text() ?? []).sort();
  for (const policy of inline)
    findings.imports.push({ type: "aws_iam_role_policy", id: `${name}:${policy}` });
  for (const arn of managedPolicyArns)
    findings.imports.push({ type: "aws_iam_role_policy_attachment", id: `${name}/${arn}` });
  const [policyName, ...others] = inline;
  const document = answers.at(ASK.policy, `${name}/${policyName}`, "PolicyDocument");
  const unasked = [
    ...[ASK.policies, ASK.attached].filter((command) => !answers.at(command).entry(name)),
    ...(policyName === undefined || document.exists ? [] : [`${ASK.policy} --policy-name ${policyName}`]),
  ];
  for (const command of unasked)
    findings.lacks(`policies of the role ${name}`, `run \`aws ${command} --role-name ${name}\``);
  const statements = document.at("Statement").someMembers().map(statementOf);
  const isEmpty = statements.length === 0 && managedPolicyArns.length === 0;
  const refused = isEmpty
    ? "it has no permissions of its own, so that nothing here shows what it may do"
    : refusal(() => accessPermissions({ statements, managedPolicyArns, wideReason: undefined }));
  const reasons = [
    ...(unasked.length > 0 ? ["its policies are not all among the answers"] : []),
    ...(others.length > 0 ? [`it has ${inline.length} inline policies, not one`] : []),
    ...versionReasons("inline policy", document),
    ...(refused === undefined ? [] : [refused]),
  ];
  return { statements, policyName, managedPolicyArns, reasons };
}

/** Terraform's data source writes an empty Sid where none is stated. */
function statementOf(answer: CommandAnswer): PolicyStatement {
  const { Sid, ...statement } = answer.value as PolicyStatement;
  return Sid === undefined || Sid === "" ? statement : { Sid, ...statement };
}
