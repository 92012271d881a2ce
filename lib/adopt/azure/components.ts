/* What `ccoctl azure` created for each component: identity, credentials, custom role and assignments. */

import { type ComponentAdoption, assignmentKey, assignmentKeys } from "../../rules/azure/adoption";
import { type PlannedComponent, hasCustomRole } from "../../rules/azure/component";
import { federatedCredentialId, roleAssignmentId, roleDefinitionImportId } from "../../rules/azure/ids";
import { statedScope } from "../../rules/azure/scope";
import type { AdoptionFindings } from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";
import { ASK } from "../../rules/azure/commands";
import type { Assignment, Identity, Subscription } from "./answers";

const ABSENT = "absent";

interface Found {
  readonly subscription: Subscription;
  readonly own: readonly Identity[];
  readonly plan: readonly PlannedComponent[];
}

/** The setting `adopt`: a GUID for what exists, `absent` for what does not. */
export function adoption(
  answers: CommandAnswer,
  existing: Found,
  findings: AdoptionFindings,
): ComponentAdoption {
  const { plan, own: identities } = existing;
  const roleDefinitions: Record<string, string> = {};
  const roleAssignments: Record<string, Readonly<Record<string, string>>> = {};
  const absent: string[] = [];
  for (const component of plan) {
    const { name } = component.request;
    const identity = identities.find((each) => each.name === component.identityName);
    if (!identity) {
      absent.push(name);
      findings.notes.push(`${name}: has no identity ${component.identityName}; it will be created`);
      continue;
    }
    findings.imports.push({
      type: "azurerm_user_assigned_identity",
      id: identity.id,
    });
    absent.push(...absentCredentials(component, identity, existing, findings));
    const definition = hasCustomRole(component.permissions)
      ? customRole(answers, component, existing, findings)
      : undefined;
    if (definition !== undefined) roleDefinitions[name] = definition;
    roleAssignments[name] = assignmentsOf(component, identity, definition, existing, findings);
  }
  for (const { name } of identities)
    if (!plan.some((each) => each.identityName === name))
      findings.notes.push(`ccoctl made the identity ${name}, but no request needs it; it is left alone`);
  if (!answers.at(ASK.definitions).exists)
    findings.lacks("the custom roles", `run \`az ${ASK.definitions} --custom-role-only\``);
  return { roleDefinitions, roleAssignments, absent };
}

function absentCredentials(
  { request, credentials }: PlannedComponent,
  identity: Identity,
  { subscription }: Found,
  findings: AdoptionFindings,
): readonly string[] {
  const existing = subscription.credentials.get(identity.id.toLowerCase());
  if (!existing)
    findings.lacks(`the credentials of ${identity.name}`, `run \`az ${ASK.credentials}\` for it`);
  const names = new Set(existing?.map((each) => each.name));
  const here = credentials.filter((each) => names.has(each.name));
  for (const { name } of here)
    findings.imports.push({
      type: "azurerm_federated_identity_credential",
      id: federatedCredentialId(identity.id, name),
    });
  const surplus = [...names].filter((name) => !credentials.some((each) => each.name === name));
  if (surplus.length > 0)
    findings.notes.push(`${identity.name}: its other credentials are left alone: ${surplus.join(", ")}`);
  return credentials.filter((each) => !names.has(each.name)).map(({ name }) => `${request.name}/${name}`);
}

function customRole(
  answers: CommandAnswer,
  { request, roleName }: PlannedComponent,
  existing: Found,
  findings: AdoptionFindings,
): string | undefined {
  const roles = answers
    .at(ASK.definitions)
    .list()
    .filter((each) => each.at("roleName").text() === roleName);
  if (roles.length === 0) {
    if (answers.at(ASK.definitions).exists)
      findings.notes.push(`${request.name}: has no custom role ${roleName}; it will be created`);
    return answers.at(ASK.definitions).exists ? ABSENT : undefined;
  }
  const guid = findings.choose(
    `the custom role ${roleName}`,
    roles.flatMap((each) => each.at("name").text() ?? []),
    {
      none: `run \`az ${ASK.definitions} --custom-role-only\``,
      several: "state the GUID of this cluster's role in `adopt.roleDefinitions`",
    },
  );
  if (guid !== undefined)
    findings.imports.push({
      type: "azurerm_role_definition",
      id: roleDefinitionImportId(existing.subscription.id, guid),
    });
  return guid;
}

function assignmentsOf(
  component: PlannedComponent,
  { name, principalId }: Identity,
  definition: string | undefined,
  { subscription }: Found,
  findings: AdoptionFindings,
): Readonly<Record<string, string>> {
  if (principalId === undefined)
    findings.lacks(`the principal id of ${name}`, `run \`az ${ASK.identities}\``);
  const held = subscription.assignments.filter(
    (each) => principalId !== undefined && each.principalId === principalId,
  );
  const keyOf = (each: Assignment): string => {
    const isCustom =
      definition !== undefined && each.definition.toLowerCase().endsWith(`/${definition.toLowerCase()}`);
    return assignmentKey(isCustom ? undefined : each.role, each.scope, subscription.id);
  };
  const byKey = new Map(held.map((each) => [keyOf(each).toLowerCase(), each]));
  const keys = assignmentKeys(component, subscription.id);
  const entries = keys.map((key) => {
    const assignment = byKey.get(key.toLowerCase());
    byKey.delete(key.toLowerCase());
    if (assignment)
      findings.imports.push({
        type: "azurerm_role_assignment",
        id: roleAssignmentId(statedScope(assignment.scope), assignment.guid),
      });
    return [key, assignment?.guid ?? ABSENT] as const;
  });
  for (const { role = "a role", scope } of byKey.values())
    findings.notes.push(`${name}: also holds ${role} at ${scope}, which is left alone`);
  return Object.fromEntries(entries);
}
