import { type Adoption, AdoptionFindings } from "../adoption";
import type { CommandAnswer } from "../answers";
import { ASK, type Account, WORKLOAD_USER, accountsOf, projectOf, usersIn } from "./answers";

/** A GKE cluster: the Google service accounts that Kubernetes service accounts of its pool act as. */
export function gkeCluster(name: string, cluster: CommandAnswer, answers: CommandAnswer): Adoption {
  const findings = new AdoptionFindings();
  const project = projectOf(answers, findings);
  const place = [project.id, cluster.at("location").text(), cluster.at("name").text()] as const;
  const issuer = place.every((part) => part !== undefined)
    ? `https://container.googleapis.com/v1/projects/${place[0]}/locations/${place[1]}/clusters/${place[2]}`
    : undefined;
  const pool = cluster.at("workloadIdentityConfig", "workloadPool").text();
  if (pool === undefined) {
    findings.lacks(
      `the workload pool of ${name}`,
      `turn on Workload Identity Federation with \`gcloud container clusters update ${name} --workload-pool=${project.id ?? "PROJECT"}.svc.id.goog\`, and run \`gcloud ${ASK.cluster}\` again`,
    );
    return findings.done(name, issuer, []);
  }
  const accounts = accountsOf(answers);
  nameUnasked(answers, accounts, findings);
  for (const { email, name: id } of accounts) {
    const members = usersIn(answers.at(ASK.policy, email));
    const keys = members.flatMap((member) => {
      const prefix = `serviceAccount:${pool}[`;
      return member.startsWith(prefix) ? [member.slice(prefix.length, -1)] : [];
    });
    if (keys.length === 0) continue;
    findings.identities.push({ identity: email, serviceAccounts: [...new Set(keys)].sort() });
    findings.imports.push({ type: "google_service_account", id });
    for (const key of new Set(keys))
      findings.imports.push({
        type: "google_service_account_iam_member",
        id: `${id} ${WORKLOAD_USER} serviceAccount:${pool}[${key}]`,
      });
  }
  directGrants(answers, project.id, pool, findings);
  findings.notes.push(`Google manages the pool ${pool}, one per project; it is not imported`);
  return findings.done(name, issuer, []);
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

/** Adds the roles that principals of the pool hold in the project directly, not through a Google service account. */
function directGrants(
  answers: CommandAnswer,
  project: string | undefined,
  pool: string,
  findings: AdoptionFindings,
): void {
  for (const binding of answers.at(ASK.projectPolicy, "bindings").list()) {
    const role = binding.at("role").text() ?? "";
    for (const member of binding.at("members").texts()) {
      const [, subject = ""] = member.split(`/workloadIdentityPools/${pool}/subject/`);
      const [, namespace, account] = /^ns\/([^/]+)\/sa\/(.+)$/.exec(subject) ?? [];
      if (namespace === undefined || project === undefined) continue;
      findings.identities.push({ identity: member, serviceAccounts: [`${namespace}/${account}`] });
      findings.imports.push({ type: "google_project_iam_member", id: `${project} ${role} ${member}` });
    }
  }
}
