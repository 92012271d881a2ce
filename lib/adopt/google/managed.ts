import { Subject } from "../../model/subject";
import { serviceAccountId } from "../../rules/google/names";
import { type RoleCondition, checkedRoleGrant } from "../../rules/google/permission";
import { managedPoolId, managedSubject, managedUser, renderPrincipal } from "../../rules/google/provider";
import { type AdoptedPart, type Adoption, AdoptionFindings, Call, Code, stated } from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";
import { WorkloadLines, refusal } from "../workloads";
import { ASK } from "../../rules/google/commands";
import { type Account, WORKLOAD_USER, accountsOf, projectOf } from "./answers";

interface Gke {
  readonly project: string;
  readonly projectNumber: string;
  readonly pool: string;
  readonly answers: CommandAnswer;
  readonly lines: WorkloadLines;
  readonly findings: AdoptionFindings;
}

/** The two groups of lines, as ids of constructs. */
const [BY_ACCOUNT, DIRECT] = ["workloads", "directAccess"];

/** A GKE cluster: the Google service accounts that Kubernetes service accounts of its pool act as, and their roles. */
export function gkeCluster(name: string, cluster: CommandAnswer, answers: CommandAnswer): Adoption {
  const findings = new AdoptionFindings();
  const { id: project, number: projectNumber } = projectOf(answers, findings);
  const place = [project, cluster.at("location").text(), cluster.at("name").text()] as const;
  const issuer = place.every((part) => part !== undefined)
    ? `https://container.googleapis.com/v1/projects/${place[0]}/locations/${place[1]}/clusters/${place[2]}`
    : undefined;
  const pool = poolOf(cluster);
  if (pool === undefined)
    findings.lacks(
      `the workload pool of ${name}`,
      `turn on Workload Identity Federation with \`gcloud container clusters update ${name} --workload-pool=${project ?? "PROJECT"}.svc.id.goog\`, and run \`gcloud ${ASK.cluster}\` again`,
    );
  if (pool === undefined || issuer === undefined || project === undefined || projectNumber === undefined)
    return findings.done(name, issuer, []);
  if (pool !== managedPoolId(project)) {
    findings.lacks(
      `the project of the pool ${pool}`,
      `run \`gcloud ${ASK.project}\` for it, and collect its answers`,
    );
    return findings.done(name, issuer, []);
  }
  findings.notes.push(
    `Google manages the pool ${pool}, which all clusters of the project share; it is not imported`,
  );
  const [[first] = [name]] = answers
    .at(ASK.cluster)
    .entries()
    .filter(([, each]) => poolOf(each) === pool);
  if (first !== name) {
    findings.notes.push(`what its service accounts may do is declared for the cluster ${first}`);
    return findings.done(name, issuer, []);
  }
  const lines = new WorkloadLines(name, "iam.gke.io/gcp-service-account", { issuer }, findings);
  const gke = { project, projectNumber, pool, answers, lines, findings };
  return findings.done(name, issuer, partsOf(gke));
}

function poolOf(cluster: CommandAnswer): string | undefined {
  return cluster.at("workloadIdentityConfig", "workloadPool").text();
}

function partsOf(gke: Gke): readonly AdoptedPart[] {
  const { project, projectNumber, answers, lines, findings } = gke;
  const accounts = accountsOf(answers);
  nameUnasked(answers, accounts, findings);
  const acting = accounts.flatMap((account) => adoptedAccount(account, gke));
  const direct = directGrants(gke);
  const identities = (settings: object): Call =>
    new Call("workloadServiceAccounts", "google", { project, projectNumber, pool: "gke", ...settings });
  return [
    ...acting,
    ...direct,
    ...lines.part(BY_ACCOUNT, identities({})),
    ...lines.part(DIRECT, identities({ impersonate: false })),
  ];
}

/** Names missing answers without which a user of the pool may be overlooked. */
function nameUnasked(answers: CommandAnswer, accounts: readonly Account[], findings: AdoptionFindings): void {
  if (!answers.entry(ASK.accounts)) findings.lacks("the service accounts", `run \`gcloud ${ASK.accounts}\``);
  const unasked = accounts.filter(({ email }) => !answers.at(ASK.policy).entry(email));
  if (unasked.length > 0)
    findings.lacks(
      `who may act as ${unasked.map(({ email }) => email).join(", ")}`,
      `run \`gcloud ${ASK.policy}\` for each`,
    );
  if (!answers.entry(ASK.projectPolicy))
    findings.lacks("what the project grants to the pool directly", `run \`gcloud ${ASK.projectPolicy}\``);
}

/** One member of a binding. */
interface Grant {
  readonly role: string;
  readonly member: string;
  readonly condition: RoleCondition | undefined;
}

function grantsIn(policy: CommandAnswer): readonly Grant[] {
  return policy
    .at("bindings")
    .list()
    .flatMap((binding) => {
      const condition = binding.at("condition");
      const [title = "", expression = "", description] = ["title", "expression", "description"].map((key) =>
        condition.at(key).text(),
      );
      const shared = {
        role: binding.at("role").text() ?? "",
        condition: condition.exists ? { title, expression, ...(description && { description }) } : undefined,
      };
      return binding
        .at("members")
        .texts()
        .map((member) => ({ ...shared, member }));
    });
}

function isOfPool({ member }: Grant, pool: string): boolean {
  return member.startsWith(`serviceAccount:${pool}[`) || member.includes(`/workloadIdentityPools/${pool}/`);
}

/** `namespace/name` of a member that has one of the two forms; `undefined` for any other. */
function serviceAccountOf({ member }: Grant, form: (key: string) => string): string | undefined {
  const [, namespace = "", name = ""] = /(?:\[|\/ns\/)([^/[\]]+)\/(?:sa\/)?([^/[\]]+)\]?$/.exec(member) ?? [];
  const key = `${namespace}/${name}`;
  return refusal(() => Subject.of(key)) === undefined && form(key) === member ? key : undefined;
}

/** The Kubernetes service accounts that may act as a Google service account; names what else the pool may do with it. */
function usersOf({ email }: Account, { answers, pool, findings }: Gke): readonly string[] {
  const ofPool = grantsIn(answers.at(ASK.policy, email)).filter((grant) => isOfPool(grant, pool));
  const users = ofPool.flatMap((grant) => {
    const key = serviceAccountOf(grant, (each) => managedUser(pool, each));
    if (grant.role === WORKLOAD_USER && grant.condition === undefined && key !== undefined) return [key];
    leftAlone(
      grant,
      email,
      `it is not ${WORKLOAD_USER} without a condition for ${managedUser(pool, "…/…")}`,
      findings,
    );
    return [];
  });
  return [...new Set(users)].sort();
}

/** A Google service account that the pool's service accounts act as, its roles in the project, and their lines. */
function adoptedAccount(account: Account, gke: Gke): readonly AdoptedPart[] {
  const { email, name } = account;
  const { answers, pool, findings, lines } = gke;
  const users = usersOf(account, gke);
  if (users.length === 0) return [];
  findings.identities.push({ identity: email, serviceAccounts: users });
  findings.import("google_service_account", name);
  const constant = lines.nameFor("account", email.split("@")[0] ?? "");
  for (const serviceAccount of users) {
    const id = `${name} ${WORKLOAD_USER} ${managedUser(pool, serviceAccount)}`;
    findings.import("google_service_account_iam_member", id);
    lines.add(BY_ACCOUNT, { serviceAccount, identity: email, settings: { as: new Code(constant) } });
  }
  const bindings = grantsIn(answers.at(ASK.projectPolicy))
    .filter(({ member }) => member === `serviceAccount:${email}`)
    .flatMap((grant) => bindingPart(grant, gke));
  return [accountPart(constant, account, users, bindings.length > 0, gke), ...bindings];
}

function accountPart(
  name: string,
  { email, displayName, description, isDisabled }: Account,
  adoptUsers: readonly string[],
  hasRoles: boolean,
  { project, projectNumber }: Gke,
): AdoptedPart {
  const domain = `@${project}.iam.gserviceaccount.com`;
  const accountId = email.slice(0, -domain.length);
  const why = [
    isDisabled ? "it is disabled" : undefined,
    hasRoles ? undefined : "it holds no role in the project, so that nothing here shows what it may do",
    email.endsWith(domain)
      ? refusal(() => serviceAccountId(accountId))
      : "Google made it, or another project has it",
  ].find((reason) => reason !== undefined);
  if (why !== undefined) {
    const props = { email, project, adoptUsers };
    const said = `${email} is not taken over: ${why}`;
    return { name, why: said, call: "WorkloadServiceAccount.fromEmail", entry: "google", props };
  }
  const props = stated({
    project,
    accountId,
    displayName: displayName || undefined,
    description: description || undefined,
    principals: new Call("WorkloadIdentityPool.fleet", "google", { project, projectNumber }),
    // The lines admit them.
    serviceAccounts: [],
    adoptUsers,
    adopt: true,
  });
  return { name, call: "new FederatedServiceAccount", entry: "google", props };
}

function leftAlone({ role, member }: Grant, on: string, why: string, { notes }: AdoptionFindings): void {
  notes.push(`${member} holds ${role} on ${on}, which is left alone: ${why}`);
}

/** A role in the project; one that this library would refuse is named and left alone. */
function bindingPart(grant: Grant, { project, lines, findings }: Gke): readonly AdoptedPart[] {
  const { role, condition } = grant;
  findings.imports.push({
    type: "google_project_iam_member",
    id: `${project} ${role} ${grant.member}${condition ? ` ${condition.title}` : ""}`,
  });
  const why = refusal(() => checkedRoleGrant({ project, role, ...(condition && { condition }) }));
  if (why !== undefined) {
    leftAlone(grant, project, why, findings);
    return [];
  }
  const [, who] = /(?:^serviceAccount:|\/ns\/)([^@]+)/.exec(grant.member) ?? [];
  const name = lines.nameFor("binding", `${who} ${role.split("/").at(-1)}`);
  const props = stated({ project, role, member: grant.member, condition, adopt: true });
  return [{ name, call: "new RoleBinding", entry: "google", props }];
}

/** The roles that principals of the pool hold in the project directly, not through a Google service account. */
function directGrants(gke: Gke): readonly AdoptedPart[] {
  const { answers, project, projectNumber, pool, findings, lines } = gke;
  const principal = (key: string): string =>
    renderPrincipal(
      { projectNumber, poolId: pool },
      { kind: "subject", subject: managedSubject(Subject.of(key)) },
    );
  const ofPool = grantsIn(answers.at(ASK.projectPolicy)).filter((grant) => isOfPool(grant, pool));
  const acting = new Set(findings.identities.flatMap(({ serviceAccounts }) => serviceAccounts));
  return ofPool.flatMap((grant) => {
    const { role, member, condition } = grant;
    const serviceAccount = serviceAccountOf(grant, principal);
    if (serviceAccount === undefined) {
      leftAlone(grant, project, "the member is not the principal of one service account", findings);
      return [];
    }
    findings.identities.push({ identity: member, serviceAccounts: [serviceAccount] });
    const parts = bindingPart(grant, gke);
    const may = new Call("googleAccess", "google", { roles: [stated({ project, role, condition })] });
    if (acting.has(serviceAccount))
      findings.notes.push(
        `${serviceAccount} has a Google service account and holds ${role} itself; there is no line for the latter`,
      );
    else if (parts.length > 0) lines.add(DIRECT, { serviceAccount, identity: member, settings: { may } });
    return parts;
  });
}
