/* What `ccoctl gcp` created for a cluster (openshift/cloud-credential-operator, pkg/cmd/provisioning/gcp). */

import type { CredentialsRequest } from "../../model/credentials-request";
import { CCOCTL_DESCRIPTION, ccoctlDisplayName, ccoctlRoleId } from "../../rules/google/component";
import {
  type AdoptedPart,
  type Adoption,
  type AdoptionChoice,
  Code,
  AdoptionFindings,
  stated,
} from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";
import { ASK } from "../../rules/google/commands";
import { type Account, type Project, accountsOf, lastPart, projectOf, usersIn } from "./answers";

export function ccoctlCluster(
  answers: CommandAnswer,
  choice: AdoptionChoice,
  requests: readonly CredentialsRequest[],
): Adoption {
  const findings = new AdoptionFindings();
  const project = projectOf(answers, findings);
  const pools = answers
    .at(ASK.pools)
    .list()
    .filter(
      (pool) => pool.at("description").text() === CCOCTL_DESCRIPTION && pool.at("state").text() !== "DELETED",
    )
    .map((pool) => lastPart(pool.at("name").text()));
  const name =
    choice.name ??
    findings.choose("the name that ccoctl was given", pools, {
      none: `run \`gcloud ${ASK.pools} --location=global\`, or give --name`,
      several: "choose one with --name",
    });
  if (name === undefined || project.id === undefined)
    return findings.done(name ?? "unknown", choice.issuer, []);
  const issuer = choice.issuer ?? importPool(answers, name, project.id, pools, findings);
  const host = issuerBucket(answers, name, project.id, findings);
  const identities = componentAccounts(answers, name, project, requests, findings);
  return findings.done(name, issuer, [...(host ? [host] : []), identities]);
}

function componentAccounts(
  answers: CommandAnswer,
  name: string,
  project: Project,
  requests: readonly CredentialsRequest[],
  findings: AdoptionFindings,
): AdoptedPart {
  const accounts = serviceAccounts(answers, name, requests, findings);
  const roles = customRoles(answers, project.id ?? "", requests, findings);
  const adopted = [...accounts.keys()].sort();
  const absent = requests
    .map((each) => each.name)
    .filter((each) => !accounts.has(each))
    .sort();
  for (const each of absent) findings.notes.push(`${each}: has no service account; it will be created`);
  const props = stated({
    project: project.id,
    projectNumber: project.number,
    keys: new Code("keys"),
    naming: "ccoctl",
    ccoctlName: name,
    accountIds: Object.fromEntries(adopted.map((each) => [each, accounts.get(each)?.email.split("@")[0]])),
    absentAccounts: absent,
    serviceAccounts: otherUsers(answers, name, requests, findings),
    adopt: true,
    adoptRoles: roles && roles.join() !== adopted.join() ? roles : undefined,
  });
  return { name: "identities", call: "componentServiceAccounts", entry: "google", props };
}

function importPool(
  answers: CommandAnswer,
  name: string,
  project: string,
  pools: readonly string[],
  findings: AdoptionFindings,
): string | undefined {
  if (!pools.includes(name))
    findings.lacks(`the pool ${name} of ccoctl`, `run \`gcloud ${ASK.pools} --location=global\``);
  const provider = answers
    .at(ASK.providers, name)
    .list()
    .find((each) => lastPart(each.at("name").text()) === name);
  if (!provider)
    findings.lacks(
      `the pool provider ${name}`,
      `run \`gcloud ${ASK.providers} --location=global --workload-identity-pool=${name}\``,
    );
  const pool = `projects/${project}/locations/global/workloadIdentityPools/${name}`;
  findings.import("google_iam_workload_identity_pool", pool);
  findings.import("google_iam_workload_identity_pool_provider", `${pool}/providers/${name}`);
  return provider?.at("oidc", "issuerUri").text();
}

function issuerBucket(
  answers: CommandAnswer,
  name: string,
  project: string,
  findings: AdoptionFindings,
): AdoptedPart | undefined {
  const bucket = `${name}-oidc`;
  const bucketAnswer = answers
    .at(ASK.bucket)
    .entries()
    .find(([each]) => each === bucket);
  if (!bucketAnswer)
    findings.lacks(`whether there is a bucket ${bucket}`, `run \`gcloud ${ASK.bucket} gs://${bucket}\``);
  // A pool provider with uploaded keys needs no bucket.
  if (bucketAnswer?.[1].exists !== true) return undefined;
  const location = bucketAnswer[1].at("location").text();
  if (location === undefined)
    findings.lacks(`the location of the bucket ${bucket}`, `run \`gcloud ${ASK.bucket} gs://${bucket}\``);
  findings.import("google_storage_bucket", `${project}/${bucket}`);
  const props = stated({ bucket, project, location, keys: new Code("keys"), adopt: true, listing: true });
  return { name: "issuer", call: "new IssuerBucket", entry: "google", props };
}

/** The service account of each request, found by its display name as ccoctl does. */
function serviceAccounts(
  answers: CommandAnswer,
  name: string,
  requests: readonly CredentialsRequest[],
  findings: AdoptionFindings,
): ReadonlyMap<string, Account> {
  if (!answers.at(ASK.accounts).exists)
    findings.lacks("the service accounts", `run \`gcloud ${ASK.accounts}\``);
  const all = accountsOf(answers);
  const accounts = requests.flatMap((request): readonly (readonly [string, Account])[] => {
    const candidates = all.filter((each) => each.displayName === ccoctlDisplayName(name, request.name));
    const [account] = candidates;
    if (!account) return [];
    if (candidates.length === 1) {
      findings.import("google_service_account", account.name);
      return [[request.name, account]];
    }
    findings.missing.push({
      what: `the service account of ${request.name}`,
      remedy: "state the id that the component's Secret names in `accountIds`",
      candidates: candidates.map((each) => each.email).sort(),
    });
    return [];
  });
  return new Map(accounts);
}

/** Requests whose custom role exists; `undefined` if that is not known. */
function customRoles(
  answers: CommandAnswer,
  project: string,
  requests: readonly CredentialsRequest[],
  findings: AdoptionFindings,
): readonly string[] | undefined {
  if (!answers.at(ASK.roles).exists) {
    findings.lacks("the custom roles", `run \`gcloud ${ASK.roles} --project=${project}\``);
    return undefined;
  }
  const ids = new Set(
    answers
      .at(ASK.roles)
      .list()
      .map((each) => each.at("name").text()),
  );
  const roles = requests.flatMap((request) => {
    const id = `projects/${project}/roles/${ccoctlRoleId(project, request.name)}`;
    if (!ids.has(id)) return [];
    findings.import("google_project_iam_custom_role", id);
    return [request.name];
  });
  return roles.sort();
}

/** Kubernetes service accounts that use the pool but belong to no component. */
function otherUsers(
  answers: CommandAnswer,
  name: string,
  requests: readonly CredentialsRequest[],
  findings: AdoptionFindings,
): readonly string[] {
  if (!answers.at(ASK.policy).exists)
    findings.lacks(
      "who else uses the pool provider",
      `run \`gcloud ${ASK.policy}\` for each service account of the project`,
    );
  const requested = new Set(requests.flatMap(({ subjects }) => subjects.map(({ key }) => key)));
  const members = answers
    .at(ASK.policy)
    .entries()
    .flatMap(([, policy]) => usersIn(policy));
  const ofPool = members.filter((member) => member.includes(`/workloadIdentityPools/${name}/`));
  const wide = ofPool.filter((member) => member.startsWith("principalSet:"));
  if (wide.length > 0)
    findings.missing.push({
      what: "service accounts that use the pool provider through a set of principals",
      remedy: "list those that do in `serviceAccounts`",
      candidates: [...new Set(wide)].sort(),
    });
  const keys = ofPool.flatMap((member) => {
    const [, namespace, account] = /\/subject\/system:serviceaccount:([^:]+):([^]+)$/.exec(member) ?? [];
    return namespace === undefined || account === undefined ? [] : [`${namespace}/${account}`];
  });
  return [...new Set(keys)].filter((key) => !requested.has(key)).sort();
}
