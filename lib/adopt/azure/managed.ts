import { issuerOfTokens } from "../../model/aks-issuer";
import { serviceAccountText } from "../../model/namespaced-name";
import { federatedCredentialId } from "../../rules/azure/ids";
import { type AdoptedPart, type Adoption, AdoptionFindings, stated } from "../adoption";
import type { CommandAnswer } from "../answers";
import { ASK, type Credential, type Identity, type Subscription, subscriptionOf } from "./answers";

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
  if (!answers.entry(ASK.identities)) findings.lacks("the identities", `run \`az ${ASK.identities}\``);
  const unasked = subscription.identities.filter(({ id }) => !subscription.credentials.has(id.toLowerCase()));
  if (unasked.length > 0)
    findings.lacks(
      `the federated credentials of ${unasked.map((identity) => identity.name).join(", ")}`,
      `run \`az ${ASK.credentials}\` for each`,
    );
  if (!answers.entry(ASK.assignments))
    findings.lacks("the role assignments", `run \`az ${ASK.assignments} --all\``);
  const parts = subscription.identities.flatMap((identity) => {
    const all = subscription.credentials.get(identity.id.toLowerCase()) ?? [];
    const trusted = all.filter((each) => each.issuer === issuer);
    return trusted.length === 0 ? [] : [pullIdentity(identity, trusted, subscription, findings)];
  });
  return findings.done(name, issuer, parts);
}

function pullIdentity(
  { id: resourceId, name, group, clientId, principalId }: Identity,
  trusted: readonly Credential[],
  { identities, assignments, tenantId }: Subscription,
  findings: AdoptionFindings,
): AdoptedPart {
  const serviceAccounts = trusted.map(({ subject }) => serviceAccountText(subject)).sort();
  findings.identities.push({ identity: resourceId, serviceAccounts });
  findings.imports.push({ type: "azurerm_user_assigned_identity", id: resourceId });
  for (const each of trusted)
    findings.imports.push({
      type: "azurerm_federated_identity_credential",
      id: federatedCredentialId(resourceId, each.name),
    });
  for (const each of assignments)
    if (principalId !== undefined && each.principalId === principalId)
      findings.imports.push({ type: "azurerm_role_assignment", id: each.id });
  const isOnly = identities.filter((each) => each.name === name).length === 1;
  return {
    name: isOnly ? name : `${group}-${name}`,
    call: "PullIdentity.fromResourceId",
    entry: "azure",
    props: stated({ resourceId, clientId, principalId, tenantId }),
  };
}
