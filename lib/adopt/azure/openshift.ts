/* What `ccoctl azure` created for a cluster (openshift/cloud-credential-operator, pkg/cmd/provisioning/azure). */

import type { CredentialsRequest } from "../../model/credentials-request";
import { Issuer } from "../../model/issuer";
import {
  planComponents,
  componentNames,
  type PlannedComponent,
  hasCustomRole,
} from "../../rules/azure/component";
import {
  resourceGroupScope,
  storageAccountId,
  storageContainerId,
  federatedCredentialId,
  roleAssignmentId,
  roleDefinitionImportId,
} from "../../rules/azure/ids";
import { ccoctlTags } from "../../rules/azure/tags";
import {
  type AdoptedPart,
  type Adoption,
  type AdoptionChoice,
  Code,
  AdoptionFindings,
  stated,
} from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";
import { ASK } from "../../rules/azure/commands";
import {
  type Identity,
  type Subscription,
  type Tags,
  subscriptionOf,
  heldBy,
  type Assignment,
} from "./answers";
import {
  type ClusterResourceGroups,
  componentScopes,
  scopeResourceGroup,
  statedScope,
} from "../../rules/azure/scope";
import { type ComponentAdoption, assignmentKey, assignmentKeys } from "../../rules/azure/adoption";

const CCOCTL_TAG = /^openshift\.io_cloud-credential-operator_(.+)$/;

export function ccoctlCluster(
  answers: CommandAnswer,
  choice: AdoptionChoice,
  requests: readonly CredentialsRequest[],
): Adoption {
  const findings = new AdoptionFindings();
  const subscription = subscriptionOf(answers, findings);
  const name =
    choice.name ??
    findings.choose(
      "the name that ccoctl was given",
      subscription.identities.flatMap(({ tags }) => namesIn(tags)),
      { none: `run \`az ${ASK.identities}\`, or give --name`, several: "choose one with --name" },
    );
  if (name === undefined || subscription.id === "") return findings.done(name ?? "unknown", undefined, []);
  const clusterIdentities = subscription.identities.filter(({ tags }) => namesIn(tags).includes(name));
  const place = placeOf(clusterIdentities, findings);
  const issuer = issuerOf(subscription, clusterIdentities, choice, findings);
  const groups = place && clusterGroups(subscription, clusterIdentities, name, requests, findings);
  if (place === undefined || groups === undefined || issuer === undefined)
    return findings.done(name, issuer, []);
  const tags = findings.extraTags("identities", "they", clusterIdentities.map(ownTags(name)));
  const host = issuerContainer(answers, { name, subscription, issuer, tags }, findings);
  const { installationResourceGroupName: installation } = groups;
  for (const each of new Set([place.group, installation]))
    findings.import("azurerm_resource_group", resourceGroupScope(subscription.id, each));
  const plan = planComponents(
    { clusterName: name, issuer: Issuer.of(issuer), requests },
    { naming: "ccoctl", resourceGroups: groups, overrides: {} },
  );
  const props = stated({
    subscriptionId: subscription.id,
    tenantId: subscription.tenantId,
    region: place.region,
    oidcResourceGroupName: place.group === `${name}-oidc` ? undefined : place.group,
    installationResourceGroupName: installation === name ? undefined : installation,
    networkResourceGroupName: groups.networkResourceGroupName,
    dnszoneResourceGroupName: groups.dnsZoneResourceGroupName,
    tags,
    adopt: adoption(answers, { subscription, own: clusterIdentities, plan }, findings),
  });
  const identities = { name: "identities", call: "componentIdentities", entry: "azure", props };
  return findings.done(name, issuer, [host ?? [], identities].flat());
}

/** ccoctl makes all identities in one resource group and region. */
function placeOf(
  identities: readonly Identity[],
  findings: AdoptionFindings,
): { readonly group: string; readonly region: string } | undefined {
  const none = `run \`az ${ASK.identities}\``;
  const several = "keep only this cluster's identities in the answers";
  const groups = identities.map((each) => each.group);
  const regions = identities.flatMap((each) => each.location ?? []);
  const group = findings.choose("the resource group of the identities", groups, { none, several });
  const region = findings.choose("the region", regions, { none, several });
  return group === undefined || region === undefined ? undefined : { group, region };
}

function namesIn(tags: Tags): readonly string[] {
  return Object.keys(tags).flatMap((key) => CCOCTL_TAG.exec(key)?.[1] ?? []);
}

/** The tags of an identity besides those of ccoctl. */
function ownTags(name: string): (identity: Identity) => Tags {
  const known = ccoctlTags(name);
  return ({ tags }) => Object.fromEntries(Object.entries(tags).filter(([key]) => !(key in known)));
}

function issuerOf(
  { credentials }: Subscription,
  identities: readonly Identity[],
  choice: AdoptionChoice,
  findings: AdoptionFindings,
): string | undefined {
  const issuers = identities.flatMap(({ id }) =>
    (credentials.get(id.toLowerCase()) ?? []).map(({ issuer }) => issuer),
  );
  if (choice.issuer !== undefined) return choice.issuer;
  return findings.choose("the issuer", issuers, {
    none: `run \`az ${ASK.credentials}\` for each identity`,
    several: "choose with --issuer the one that `oc get authentication cluster` shows",
  });
}

function issuerContainer(
  answers: CommandAnswer,
  {
    name,
    subscription,
    issuer,
    tags,
  }: { name: string; subscription: Subscription; issuer: string; tags: Tags | undefined },
  findings: AdoptionFindings,
): AdoptedPart | undefined {
  const [, account = "", container = ""] = /^https:\/\/([a-z0-9]+)\.blob\.[^/]+\/([^/]+)$/.exec(issuer) ?? [];
  const storage = answers
    .at(ASK.storage)
    .list()
    .find((each) => each.at("name").text() === account);
  const [resourceGroupName, region] = [storage?.at("resourceGroup").text(), storage?.at("location").text()];
  if (resourceGroupName === undefined || region === undefined) {
    findings.lacks(
      `the storage account of ${issuer}`,
      `run \`az ${ASK.storage}\`; an issuer hosted elsewhere is not declared`,
    );
    return undefined;
  }
  const place = { subscriptionId: subscription.id, resourceGroupName };
  findings.import("azurerm_storage_account", storageAccountId(place, account));
  findings.import("azurerm_storage_container", storageContainerId(place, account, container));
  for (const path of [".well-known/openid-configuration", "openid/v1/jwks"])
    findings.import("azurerm_storage_blob", `${issuer}/${path}`);
  const props = stated({
    storageAccountName: account,
    blobContainerName: container === account ? undefined : container,
    resourceGroupName,
    region,
    tags,
    keys: new Code("keys"),
    adopt: { subscriptionId: subscription.id, clusterName: name },
  });
  return { name: "issuer", call: "new IssuerContainer", entry: "azure", props };
}

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
    findings.import("azurerm_user_assigned_identity", identity.id);
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
    findings.import("azurerm_federated_identity_credential", federatedCredentialId(identity.id, name));
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
    findings.import("azurerm_role_definition", roleDefinitionImportId(existing.subscription.id, guid));
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
  const held = heldBy(principalId, subscription);
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
      findings.import(
        "azurerm_role_assignment",
        roleAssignmentId(statedScope(assignment.scope), assignment.guid),
      );
    return [key, assignment?.guid ?? ABSENT] as const;
  });
  for (const { role = "a role", scope } of byKey.values())
    findings.notes.push(`${name}: also holds ${role} at ${scope}, which is left alone`);
  return Object.fromEntries(entries);
}

const SURPLUS = "remove from the answers the role assignments that ccoctl did not make";

/**
 * Finds the cluster's resource groups by where its identities hold roles: every component in the installation's, those
 * that work on subnets also in the network's, and the ingress operator also in the DNS zone's.
 */
export function clusterGroups(
  subscription: Subscription,
  identities: readonly Identity[],
  name: string,
  requests: readonly CredentialsRequest[],
  findings: AdoptionFindings,
): ClusterResourceGroups | undefined {
  const held = heldGroups(subscription, identities, name, requests);
  const [first, ...others] = held;
  const everywhere = (first?.groups ?? []).filter((group) =>
    others.every(({ groups }) => groups.includes(group)),
  );
  const installation = findings.choose("the installation resource group", everywhere, {
    none: `run \`az ${ASK.assignments} --all\``,
    several: SURPLUS,
  });
  if (installation === undefined) return undefined;
  const beyond = (inDnsGroup: boolean): readonly string[] =>
    held
      .filter(({ request }) => worksOnDns(request, subscription.id) === inDnsGroup)
      .flatMap(({ groups }) => groups)
      .filter((group) => group !== installation);
  const network = atMostOne("the network's resource group", beyond(false), findings);
  const dns = atMostOne(
    "the DNS zone's resource group",
    beyond(true).filter((group) => group !== network),
    findings,
  );
  return {
    subscriptionId: subscription.id,
    installationResourceGroupName: installation,
    networkResourceGroupName: network,
    dnsZoneResourceGroupName: dns,
  };
}

/** The groups of an identity's custom role, which has the identity's name; of all its roles if there is none. */
function heldGroups(
  subscription: Subscription,
  identities: readonly Identity[],
  name: string,
  requests: readonly CredentialsRequest[],
) {
  const { id } = subscription;
  return componentNames(name, id, requests, "ccoctl").flatMap(({ request, identityName }) => {
    const principalId = identities.find((each) => each.name === identityName)?.principalId;
    const all = heldBy(principalId, subscription);
    const custom = all.filter(({ role }) => role === identityName);
    const groups = (custom.length > 0 ? custom : all).flatMap(
      ({ scope }) => scopeResourceGroup(scope, id) ?? [],
    );
    return groups.length > 0 ? [{ request: request.name, groups }] : [];
  });
}

function worksOnDns(request: string, subscriptionId: string): boolean {
  const groups = { subscriptionId, installationResourceGroupName: "i", dnsZoneResourceGroupName: "d" };
  return componentScopes(request, groups).includes(resourceGroupScope(subscriptionId, "d"));
}

function atMostOne(what: string, groups: readonly string[], findings: AdoptionFindings): string | undefined {
  return groups.length === 0 ? undefined : findings.choose(what, groups, { none: SURPLUS, several: SURPLUS });
}
