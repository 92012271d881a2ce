import { serviceAccountText } from "../../model/namespaced-name";
import { Subject } from "../../model/subject";
import { readArn } from "../../rules/aws/arn";
import { type AdoptedPart, type Adoption, AdoptionFindings, Call, Code, stated } from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";
import { WorkloadLines, refusal } from "../workloads";
import { ASK } from "../../rules/aws/commands";
import { type Provider, type Role, accountOf } from "./answers";
import { Issuer } from "../../model/issuer";
import { isRecord } from "../../model/record";
import { podIdentityTrust } from "../../rules/aws/pod-identity";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import { requireAudience } from "../../rules/aws/provider";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { trustPolicy } from "../../rules/aws/trust";
import { accessPermissions } from "../../rules/aws/workload";

const SUBJECT_KEY = /:sub$/;
/** Shown for a statement that does not compare the subject. */
const ANYONE = "every service account";
/** The two groups of lines, as ids of constructs. */
const [BY_TOKEN, BY_ASSOCIATION] = ["workloads", "podIdentity"];

/** An EKS cluster: the OIDC provider of its issuer, the roles that its service accounts get, and its associations. */
export function eksCluster(name: string, answer: CommandAnswer, answers: CommandAnswer): Adoption {
  const cluster = answer.at("cluster");
  const findings = new AdoptionFindings();
  const account = accountOf(answers, findings);
  const issuer = cluster.at("identity", "oidc", "issuer").text();
  const region = readArn(cluster.at("arn").text())?.region;
  if (issuer === undefined || region === undefined) {
    findings.lacks(`issuer and ARN of ${name}`, `run \`aws ${ASK.cluster} --name ${name}\``);
    return findings.done(name, issuer, []);
  }
  const provider = account.providers.find((each) => each.issuer === issuer);
  if (!provider)
    findings.lacks(
      `the OIDC provider of ${issuer}`,
      `run \`aws ${ASK.provider}\` for it; if the account has none, declare one without adopt`,
    );
  if (!answers.entry(ASK.role))
    findings.lacks("roles that trust the OIDC provider", `run \`aws ${ASK.role}\` for each role`);
  const associations = associationsOf(name, answers, findings);
  const roles = [...account.roles.values()];
  for (const { id, roleArn } of associations)
    if (!roles.some(({ arn }) => arn === roleArn))
      findings.lacks(`the role ${roleArn} of the association ${id}`, `run \`aws ${ASK.role}\` for it`);
  const eks = { cluster: name, account: account.id, region, provider, answers, findings };
  const lines = new WorkloadLines(name, "eks.amazonaws.com/role-arn", { issuer }, findings);
  const parts = [
    ...(provider ? [providerPart(provider, eks)] : []),
    ...roles.flatMap((role) => adoptedRole(role, associations, lines, eks)),
  ];
  return findings.done(name, issuer, [...parts, ...accessParts(parts, associations, lines, eks)]);
}

function providerPart(
  { arn, issuer, audiences, tags }: Provider,
  { account, region, findings }: Eks,
): AdoptedPart {
  findings.import("aws_iam_openid_connect_provider", arn);
  const props = stated({ issuer, account, region, audiences, tags: statedTags(tags), adopt: true });
  return { name: "oidcProvider", call: "new OidcProvider", entry: "aws", props };
}

/** A role of the cluster's service accounts, and their lines. */
function adoptedRole(
  role: Role,
  associations: readonly Association[],
  lines: WorkloadLines,
  eks: Eks,
): readonly AdoptedPart[] {
  const { provider, cluster, findings } = eks;
  const { arn, name, trust } = role;
  const ofRole = associations.filter(({ roleArn }) => roleArn === arn);
  const byToken = provider ? subjectsOf(trust, provider.arn) : [];
  if (byToken.length === 0 && ofRole.length === 0) {
    const text = JSON.stringify(trust.value);
    const isNamed = provider !== undefined && text.includes(provider.arn);
    if (isNamed || text.includes(`:${eks.region}:${eks.account}:cluster/${cluster}"`))
      findings.notes.push(
        `${arn} names the cluster in its trust policy, but no service account gets it; it is left alone`,
      );
    return [];
  }
  const accounts = new Set([...byToken, ...ofRole.map(({ serviceAccount }) => serviceAccount)]);
  findings.identities.push({ identity: arn, serviceAccounts: [...accounts].sort() });
  findings.import("aws_iam_role", name);
  const serviceAccounts = byToken.filter((each) => refusal(() => Subject.of(each)) === undefined);
  const others = byToken.filter((each) => !serviceAccounts.includes(each));
  if (others.length > 0)
    findings.notes.push(
      `${arn} admits ${others.join(", ")}; a line names one service account, so there is none for these`,
    );
  if (serviceAccounts.length === 0 && ofRole.length === 0) return [];
  const constant = lines.nameFor("role", name);
  const line = { identity: arn, settings: { as: new Code(constant) } };
  for (const serviceAccount of serviceAccounts) {
    const association = associations.find((each) => each.serviceAccount === serviceAccount);
    if (!association) lines.add(BY_TOKEN, { ...line, serviceAccount });
    else if (association.roleArn !== arn)
      findings.notes.push(
        `${serviceAccount} gets ${association.roleArn} by its association, which overrides ${arn}`,
      );
  }
  for (const { serviceAccount } of ofRole) lines.add(BY_ASSOCIATION, { ...line, serviceAccount });
  return [rolePart(constant, role, { serviceAccounts, associations: ofRole }, eks)];
}

/** A `WorkloadAccess` for service accounts with annotations, and one for those with associations. */
function accessParts(
  parts: readonly AdoptedPart[],
  all: readonly Association[],
  lines: WorkloadLines,
  { account, region, cluster, provider }: Eks,
): readonly AdoptedPart[] {
  const oidcProvider = provider && new Code("oidcProvider");
  // A role that is taken over declares its associations itself.
  const left = all.filter(({ roleArn }) => parts.some(({ props }) => props === roleArn));
  const associations = Object.fromEntries(left.map(({ serviceAccount, id }) => [serviceAccount, id]));
  const podIdentity = left.length > 0 ? { cluster, associations } : cluster;
  return [
    ...lines.part(BY_TOKEN, new Call("workloadRoles", "aws", stated({ account, region, oidcProvider }))),
    ...lines.part(BY_ASSOCIATION, new Call("workloadRoles", "aws", { account, region, podIdentity })),
  ];
}

/** The associations of a cluster that can be taken over. */
function associationsOf(
  cluster: string,
  answers: CommandAnswer,
  findings: AdoptionFindings,
): readonly Association[] {
  const ofCluster = `--cluster-name ${cluster}`;
  const list = answers.at(ASK.associations).entry(cluster);
  if (!list)
    findings.lacks("the associations of EKS Pod Identity", `run \`aws ${ASK.associations} ${ofCluster}\``);
  return (list?.at("associations").list() ?? []).flatMap((each) => {
    const id = each.at("associationId").text() ?? "";
    const answer = answers.at(ASK.association, id, "association");
    if (answer.at("roleArn").exists) return adoptedAssociation(id, cluster, answer, findings);
    const ask = `run \`aws ${ASK.association} ${ofCluster} --association-id ${id}\``;
    findings.lacks(`the association ${id}`, ask);
    return [];
  });
}

/** An association, unless an add-on owns it or it has settings of its own. */
function adoptedAssociation(
  id: string,
  cluster: string,
  answer: CommandAnswer,
  { imports, notes }: AdoptionFindings,
): readonly Association[] {
  const of = (key: string): string | undefined => answer.at(key).text();
  const [serviceAccount, roleArn = "", owner] = [
    `${of("namespace")}/${of("serviceAccount")}`,
    of("roleArn"),
    of("ownerArn"),
  ];
  const isPlain = ["policy", "targetRoleArn"].every((key) => of(key) === undefined);
  if (owner !== undefined || !isPlain || answer.at("disableSessionTags").value === true) {
    const why =
      owner === undefined ? "has a session policy, a target role or no session tags" : `belongs to ${owner}`;
    notes.push(`the association ${id} of ${serviceAccount} with ${roleArn} ${why}; it is left alone`);
    return [];
  }
  imports.push({ type: "aws_eks_pod_identity_association", id: `${cluster},${id}` });
  const tags = answer
    .at("tags")
    .entries()
    .map(([key]) => key);
  if (tags.length > 0)
    notes.push(
      `the tags of the association ${id} become those of its role or of workloadRoles(): ${tags.join(", ")}`,
    );
  return [{ id, serviceAccount, roleArn }];
}

/** The service accounts that the statements for the OIDC provider name, with their wildcards. */
function subjectsOf(trust: CommandAnswer, arn: string): readonly string[] {
  const subjects = trust
    .at("Statement")
    .someMembers()
    .filter(
      (statement) =>
        statement.at("Effect").text() === "Allow" &&
        statement.at("Principal").exists &&
        federated(statement.at("Principal")).includes(arn),
    )
    .flatMap((statement) => {
      const limits = statement
        .at("Condition")
        .entries()
        .filter(([operator]) => !operator.includes("Not"))
        .flatMap(([, keys]) => keys.entries())
        .filter(([key]) => SUBJECT_KEY.test(key));
      return limits.length === 0 ? [ANYONE] : limits.flatMap(([, values]) => values.someTexts());
    });
  return [...new Set(subjects.map(serviceAccountText))].sort();
}

function federated(principal: CommandAnswer): readonly string[] {
  return principal.isText ? [] : principal.at("Federated").someTexts();
}

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
  { statements, managedPolicyArns, policyName }: Omit<ReturnType<typeof policiesOf>, "reasons">,
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

/** The permissions of a role; records its policies among what Terraform imports. */
function policiesOf({ name }: Role, { answers, findings }: Eks) {
  const inline = answers.at(ASK.policies, name, "PolicyNames").texts();
  const attached = answers.at(ASK.attached, name, "AttachedPolicies").list();
  const managedPolicyArns = attached.flatMap((each) => each.at("PolicyArn").text() ?? []).sort();
  for (const policy of inline) findings.import("aws_iam_role_policy", `${name}:${policy}`);
  for (const arn of managedPolicyArns) findings.import("aws_iam_role_policy_attachment", `${name}/${arn}`);
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
