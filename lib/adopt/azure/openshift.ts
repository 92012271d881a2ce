/* What `ccoctl azure` created for a cluster (openshift/cloud-credential-operator, pkg/cmd/provisioning/azure). */

import type { CredentialsRequest } from "../../model/credentials-request";
import { Issuer } from "../../model/issuer";
import { planComponents } from "../../rules/azure/component";
import { resourceGroupScope, storageAccountId, storageContainerId } from "../../rules/azure/ids";
import { ccoctlTags } from "../../rules/azure/tags";
import {
  type AdoptedPart,
  type Adoption,
  type AdoptionChoice,
  Code,
  AdoptionFindings,
  stated,
} from "../adoption";
import { type CommandAnswer, only } from "../../model/command-answer";
import { ASK } from "../../rules/azure/commands";
import { type Identity, type Subscription, type Tags, subscriptionOf } from "./answers";
import { adoption } from "./components";
import { clusterGroups } from "./groups";

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
  const tags = extraTags(clusterIdentities, name, findings);
  const host = issuerContainer(answers, { name, subscription, issuer, tags }, findings);
  const { installationResourceGroupName: installation } = groups;
  for (const each of new Set([place.group, installation]))
    findings.imports.push({ type: "azurerm_resource_group", id: resourceGroupScope(subscription.id, each) });
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

function extraTags(own: readonly Identity[], name: string, findings: AdoptionFindings): Tags | undefined {
  const texts = own.map(({ tags }) =>
    JSON.stringify(
      Object.entries(tags)
        .filter(([key]) => !(key in ccoctlTags(name)))
        .sort(),
    ),
  );
  const same = only(texts);
  if (same === undefined && texts.length > 0)
    findings.missing.push({
      what: "the tags of the identities",
      remedy: "they differ, and Terraform removes tags that are not stated: make them equal, or state `tags`",
      candidates: [...new Set(texts)].sort(),
    });
  const tags = Object.fromEntries(JSON.parse(same ?? "[]") as [string, string][]);
  return Object.keys(tags).length > 0 ? tags : undefined;
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
  findings.imports.push({ type: "azurerm_storage_account", id: storageAccountId(place, account) });
  findings.imports.push({
    type: "azurerm_storage_container",
    id: storageContainerId(place, account, container),
  });
  for (const path of [".well-known/openid-configuration", "openid/v1/jwks"])
    findings.imports.push({ type: "azurerm_storage_blob", id: `${issuer}/${path}` });
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
