import { issuerOfTokens } from "../../model/aks-issuer";
import { serviceAccountText } from "../../model/namespaced-name";
import { Subject } from "../../model/subject";
import { type AccessRole, accessRoles } from "../../rules/azure/access";
import { azureCloud } from "../../rules/azure/clouds";
import { federatedCredentialId } from "../../rules/azure/ids";
import { parseIdentityId } from "../../rules/azure/names";
import { CONDITION_VERSION } from "../../rules/azure/permission";
import { checkedTags } from "../../rules/azure/tags";
import { type AdoptedPart, type Adoption, AdoptionFindings, Call, Code, stated } from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";
import { WorkloadLines, refusal } from "../workloads";
import { ASK } from "../../rules/azure/commands";
import {
  type Assignment,
  type Credential,
  type Identity,
  type Subscription,
  subscriptionOf,
  heldBy,
} from "./answers";

interface Aks {
  readonly name: string;
  readonly issuer: string;
  readonly subscription: Subscription;
  readonly lines: WorkloadLines;
  readonly findings: AdoptionFindings;
}

/** An AKS cluster: its issuer, and the identities whose credentials trust it. */
export function aksCluster(name: string, cluster: CommandAnswer, answers: CommandAnswer): Adoption {
  const findings = new AdoptionFindings();
  const subscription = subscriptionOf(answers, findings);
  const url = cluster.at("oidcIssuerProfile", "issuerUrl").text();
  if (url === undefined) {
    findings.lacks(
      `the issuer of ${name}`,
      `turn it on with \`az aks update --name ${name} --enable-oidc-issuer\`, and run \`az ${ASK.cluster}\` again`,
    );
    return findings.done(name, undefined, []);
  }
  const issuer = issuerOfTokens(url);
  nameUnasked(subscription, answers, findings);
  const hasWebhook = cluster.at("securityProfile", "workloadIdentity", "enabled").value === true;
  const facts = stated({ issuer, podIdentityWebhooks: hasWebhook ? ["azure"] : undefined });
  const lines = new WorkloadLines(name, "azure.workload.identity/client-id", facts, findings);
  const aks = { name: lines.cluster, issuer, subscription, lines, findings };
  const parts = subscription.identities.flatMap((identity) => {
    const all = subscription.credentials.get(identity.id.toLowerCase()) ?? [];
    const trusted = all.filter((each) => each.issuer === issuer);
    for (const each of all)
      if (each.issuer !== issuer && issuerOfTokens(each.issuer) === issuer)
        findings.notes.push(
          `${identity.name}: its credential ${each.name} trusts no token, as its issuer lacks the slash`,
        );
    return trusted.length === 0 ? [] : adoptedIdentity(identity, trusted, aks);
  });
  const identities = new Call("workloadIdentities", "azure", {});
  return findings.done(name, issuer, [...parts, ...lines.part("workloads", identities)]);
}

/** Names missing answers without which an identity may be overlooked. */
function nameUnasked(
  { identities, credentials }: Subscription,
  answers: CommandAnswer,
  findings: AdoptionFindings,
): void {
  if (!answers.entry(ASK.identities)) findings.lacks("the identities", `run \`az ${ASK.identities}\``);
  const unasked = identities.filter(({ id }) => !credentials.has(id.toLowerCase()));
  if (unasked.length > 0)
    findings.lacks(
      `the federated credentials of ${unasked.map((identity) => identity.name).join(", ")}`,
      `run \`az ${ASK.credentials}\` for each`,
    );
  if (!answers.entry(ASK.assignments))
    findings.lacks("the role assignments", `run \`az ${ASK.assignments} --all\``);
}

/** An identity, with the credentials and role assignments that can be taken over, and the lines of its service accounts. */
function adoptedIdentity(
  identity: Identity,
  trusted: readonly Credential[],
  aks: Aks,
): readonly AdoptedPart[] {
  const { findings, lines } = aks;
  const { id, name } = identity;
  const serviceAccounts = trusted.map(({ subject }) => serviceAccountText(subject)).sort();
  findings.identities.push({ identity: id, serviceAccounts });
  findings.import("azurerm_user_assigned_identity", id);
  const credentials = trusted.filter((credential) => {
    findings.import("azurerm_federated_identity_credential", federatedCredentialId(id, credential.name));
    return isLine(credential, name, findings);
  });
  const roles = rolesOf(identity, aks);
  if (credentials.length === 0) return [];
  const constant = lines.nameFor("identity", name);
  const part = identityPart(constant, identity, credentials, roles, aks);
  const line = { identity: id, settings: { as: new Code(constant) } };
  for (const { subject } of credentials)
    lines.add("workloads", { ...line, serviceAccount: serviceAccountText(subject) });
  return [part];
}

/** Whether a credential is for a service account; names the others. */
function isLine(
  { name, subject, audiences }: Credential,
  identity: string,
  { notes }: AdoptionFindings,
): boolean {
  const why = refusal(() => Subject.of(serviceAccountText(subject)));
  const isUsual = audiences.length === 1 && audiences[0] === azureCloud("AzurePublicCloud").audience;
  const reason = why ?? (isUsual ? undefined : `the webhook requests no token for ${audiences.join(", ")}`);
  if (reason !== undefined)
    notes.push(`${identity}: its credential ${name} for ${JSON.stringify(subject)} is left alone: ${reason}`);
  return reason === undefined;
}

/** The roles of an identity; those that this library would refuse are named and left alone. */
function rolesOf({ name, principalId }: Identity, { subscription, findings }: Aks): readonly AccessRole[] {
  return heldBy(principalId, subscription).flatMap((assignment) => {
    findings.import("azurerm_role_assignment", assignment.id);
    const role = roleOf(assignment);
    const version = assignment.condition === undefined ? CONDITION_VERSION : assignment.conditionVersion;
    const reason =
      version === CONDITION_VERSION
        ? refusal(() => accessRoles([role]))
        : `its condition has version ${version}`;
    if (reason === undefined) return accessRoles([role]);
    findings.notes.push(
      `${name}: also holds ${role.role} at ${assignment.scope}, which is left alone: ${reason}`,
    );
    return [];
  });
}

function roleOf({ role, definition, scope, condition, description, guid }: Assignment): AccessRole {
  return {
    role: role === undefined || role === "" ? definition : role,
    scope,
    ...(description !== undefined && { reason: description }),
    ...(condition !== undefined && { condition }),
    assignment: guid,
  };
}

function identityPart(
  name: string,
  identity: Identity,
  credentials: readonly Credential[],
  roles: readonly AccessRole[],
  { name: clusterName, issuer, subscription: { tenantId, id: subscriptionId } }: Aks,
): AdoptedPart {
  const {
    id: resourceId,
    name: identityName,
    group: resourceGroupName,
    location,
    clientId,
    principalId,
  } = identity;
  const serviceAccounts = credentials.map(({ subject }) => serviceAccountText(subject)).sort();
  const trusts = [{ clusterName, issuer, serviceAccounts }];
  const tags = Object.keys(identity.tags).length > 0 ? identity.tags : undefined;
  const unknown = [
    location === undefined ? "its location is not among the answers" : undefined,
    roles.length === 0
      ? "it holds no role among the answers, so that nothing here shows what it may do"
      : undefined,
  ].find((each) => each !== undefined);
  const why = unknown ?? refusal(() => parseIdentityId(resourceId)) ?? refusal(() => checkedTags(tags));
  if (why !== undefined)
    return {
      name,
      why: `${identityName} is not taken over: ${why}`,
      call: "WorkloadIdentity.fromResourceId",
      entry: "azure",
      props: stated({ resourceId, clientId, principalId, tenantId, declareTrust: false }),
    };
  const names = credentials.map((each) => [serviceAccountText(each.subject), each.name]);
  const adopt = { subscriptionId, credentials: Object.fromEntries(names) };
  const props = stated({ identityName, resourceGroupName, location, tenantId, tags, trusts, roles, adopt });
  return { name, call: "new WorkloadIdentity", entry: "azure", props };
}
