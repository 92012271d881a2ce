/*
 * Azure. The answers have the members that the reference of the Azure CLI and the REST API document: `az account show`,
 * `az identity list`, `az identity federated-credential list`, `az role definition list` (`name` is the GUID, `roleName`
 * the name), `az role assignment list`, `az storage account list` and `az aks show` (`oidcIssuerProfile.issuerUrl`).
 */

import { statedScope } from "../../rules/azure/scope";
import { ASK } from "../../rules/azure/commands";
import type { AdoptionFindings } from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";

export type Tags = Readonly<Record<string, string>>;

export interface Identity {
  readonly id: string;
  readonly name: string;
  readonly principalId: string | undefined;
  readonly clientId: string | undefined;
  readonly group: string;
  readonly location: string | undefined;
  readonly tags: Tags;
}

export interface Credential {
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
}

export interface Assignment {
  readonly guid: string;
  readonly id: string;
  readonly principalId: string | undefined;
  readonly definition: string;
  readonly role: string | undefined;
  readonly scope: string;
  readonly condition: string | undefined;
  readonly conditionVersion: string | undefined;
  readonly description: string | undefined;
}

export interface Subscription {
  readonly id: string;
  readonly tenantId: string | undefined;
  readonly identities: readonly Identity[];
  /** By the identity's id in lower case; an identity that the answers leave out has no entry. */
  readonly credentials: ReadonlyMap<string, readonly Credential[]>;
  readonly assignments: readonly Assignment[];
}

export function subscriptionOf(answers: CommandAnswer, findings: AdoptionFindings): Subscription {
  const id = answers.at(ASK.account, "id").text();
  if (id === undefined) findings.lacks("subscription and tenant", `run \`az ${ASK.account}\``);
  const credentials = answers
    .at(ASK.credentials)
    .entries()
    .map(([identity, list]) => [identity.toLowerCase(), list.list().map(credentialOf)] as const);
  return {
    id: id ?? "",
    tenantId: answers.at(ASK.account, "tenantId").text(),
    identities: answers.at(ASK.identities).list().map(identityOf),
    credentials: new Map(credentials),
    assignments: answers.at(ASK.assignments).list().map(assignmentOf),
  };
}

/** The roles of an identity; none if its principal is not known. */
export function heldBy(
  principalId: string | undefined,
  { assignments }: Pick<Subscription, "assignments">,
): readonly Assignment[] {
  return principalId === undefined ? [] : assignments.filter((each) => each.principalId === principalId);
}

function identityOf(answer: CommandAnswer): Identity {
  return {
    id: identityId(answer.at("id").text()),
    name: answer.at("name").text() ?? "",
    principalId: answer.at("principalId").text(),
    clientId: answer.at("clientId").text(),
    group: answer.at("resourceGroup").text() ?? "",
    location: answer.at("location").text(),
    tags: tagsOf(answer.at("tags")),
  };
}

function credentialOf(answer: CommandAnswer): Credential {
  const [name = "", issuer = "", subject = ""] = ["name", "issuer", "subject"].map((key) =>
    answer.at(key).text(),
  );
  return { name, issuer, subject, audiences: answer.at("audiences").texts() };
}

function assignmentOf(answer: CommandAnswer): Assignment {
  return {
    guid: answer.at("name").text() ?? "",
    id: answer.at("id").text() ?? "",
    principalId: answer.at("principalId").text(),
    definition: answer.at("roleDefinitionId").text() ?? "",
    role: answer.at("roleDefinitionName").text(),
    scope: answer.at("scope").text() ?? "",
    condition: answer.at("condition").text() || undefined,
    conditionVersion: answer.at("conditionVersion").text(),
    description: answer.at("description").text() || undefined,
  };
}

/** The command line prints `resourcegroups`, which azurerm does not import. */
function identityId(id: string | undefined): string {
  return id === undefined ? "" : statedScope(id);
}

function tagsOf(answer: CommandAnswer): Tags {
  return Object.fromEntries(answer.entries().map(([key, value]) => [key, value.text() ?? ""]));
}
