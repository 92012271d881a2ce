/*
 * What `ccoctl azure create-all` did in one recorded run, and what this library declares for the same input with its
 * names: compared by meaning. Every difference is on the list below with its reason; any other one fails.
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { ComponentIdentities, IssuerContainer } from "../../../lib/cloud/azure";
import { SUBSCRIPTION, components, release } from "./components";
import { issuerKeys as keys } from "./keys";
import { newStack } from "./synth";

interface Golden {
  readonly inputs: {
    readonly region: string;
    readonly tenantId: string;
    readonly dnszoneResourceGroupName: string;
    readonly networkResourceGroupName: string;
    readonly tags: Readonly<Record<string, string>>;
  };
  readonly issuer: string;
  readonly documents: readonly {
    readonly url: string;
    readonly content: Readonly<Record<string, unknown>>;
  }[];
  readonly roleAssignments: readonly { readonly identity: string; readonly scope: string }[];
  readonly [part: string]: unknown;
}

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(resolve(__dirname, "../../fixtures", name), "utf8")) as T;
const golden = read<Golden>("ccoctl/azure.json");

/** What differs on purpose, by path, and why. */
const INTENDED: Readonly<Record<string, string>> = {
  "documents/.well-known/openid-configuration/contentType":
    "application/json, as OpenID Connect Discovery 4.2 asks; ccoctl leaves the SDK's application/octet-stream",
  "documents/openid/v1/jwks/contentType": "application/json, likewise",
  "documents/.well-known/openid-configuration/content/claims_supported":
    "one document serves all clouds; ccoctl writes the member on AWS and Google only",
  "roleDefinitions/mycluster-openshift-machine-api-azure-cloud-credentials/actions":
    "the request lists one permission twice; a role holds it once",
};

/** Why the hosting differs where nothing is adopted. */
const INTENDED_WHEN_NEW: Readonly<Record<string, string>> = {
  ...INTENDED,
  "container/mycluster/publicAccess": "blobs may be read, but not listed",
};

type Fact = Readonly<Record<string, unknown>>;
type Facts = Readonly<Record<string, Fact>>;

function declared(adopts: boolean): {
  readonly stack: TerraformStack;
  readonly host: IssuerContainer;
  readonly made: ComponentIdentities;
} {
  const stack = newStack();
  const { region, tenantId, tags, dnszoneResourceGroupName, networkResourceGroupName } = golden.inputs;
  const owned = { ...tags, "openshift.io_cloud-credential-operator_mycluster": "owned" };
  const host = new IssuerContainer(stack, "issuer", {
    storageAccountName: "mycluster",
    resourceGroupName: "mycluster-oidc",
    region,
    keys,
    ...(adopts
      ? { tags, adopt: { subscriptionId: SUBSCRIPTION, clusterName: "mycluster" } }
      : { tags: owned }),
  });
  const made = new ComponentIdentities(stack, "components", {
    ...components(...release("HEAD")),
    issuer: host.issuer,
    subscriptionId: SUBSCRIPTION,
    region,
    tenantId,
    tags,
    naming: "ccoctl",
    dnszoneResourceGroupName,
    networkResourceGroupName,
  });
  return { stack, host, made };
}

/** What was declared, in the words of Azure's API. */
function declaredFacts({ stack, host, made }: ReturnType<typeof declared>): Facts {
  const { resource } = JSON.parse(Testing.synth(stack)) as { resource: Readonly<Record<string, Facts>> };
  const all = (type: string): readonly Fact[] => Object.values(resource[type] ?? {});
  const nameOf = (type: string, reference: unknown): unknown => {
    const [, id = ""] = new RegExp(`^\\$\\{${type}\\.([^.]+)\\.`).exec(String(reference)) ?? [];
    return resource[type]?.[id]?.["name"];
  };
  const group = ["resource_group_name"] as const;
  const [account] = all("azurerm_storage_account");
  return keyed({
    resourceGroups: all("azurerm_resource_group").map(({ name, location, tags }) => ({
      name,
      location,
      tags,
    })),
    storageAccount: [
      {
        name: account?.["name"],
        resourceGroup: account?.[group[0]],
        kind: account?.["account_kind"],
        location: account?.["location"],
        sku: `${String(account?.["account_tier"])}_${String(account?.["account_replication_type"])}`,
        allowBlobPublicAccess: account?.["allow_nested_items_to_be_public"],
        tags: account?.["tags"],
      },
    ],
    container: all("azurerm_storage_container").map((container) => ({
      name: container["name"],
      publicAccess: capitalised(String(container["container_access_type"])),
    })),
    documents: all("azurerm_storage_blob").map((blob) => ({
      url: `https://mycluster.blob.core.windows.net/${String(blob["storage_container_name"])}/${String(blob["name"])}`,
      contentType: blob["content_type"],
      type: `${String(blob["type"])}Blob`,
      content: JSON.parse(String(blob["source_content"])) as unknown,
    })),
    identities: all("azurerm_user_assigned_identity").map(({ name, location, tags, ...identity }) => ({
      name,
      resourceGroup: identity[group[0]],
      location,
      tags,
    })),
    roleDefinitions: all("azurerm_role_definition").map((role) => {
      const [permissions] = role["permissions"] as readonly Fact[];
      return {
        name: role["name"],
        description: role["description"],
        type: "CustomRole",
        scope: role["scope"],
        assignableScopes: role["assignable_scopes"],
        actions: permissions?.["actions"] ?? [],
        dataActions: permissions?.["data_actions"] ?? [],
      };
    }),
    roleAssignments: all("azurerm_role_assignment").map((assignment) => ({
      identity: nameOf("azurerm_user_assigned_identity", assignment["principal_id"]),
      role: nameOf("azurerm_role_definition", assignment["role_definition_id"]),
      scope: assignment["scope"],
    })),
    credentials: all("azurerm_federated_identity_credential").map((credential) => ({
      identity: nameOf("azurerm_user_assigned_identity", credential["parent_id"]),
      name: credential["name"],
      issuer: credential["issuer"],
      subject: credential["subject"],
      audiences: credential["audience"],
    })),
    secrets: [
      ...made.grants.map(({ secret }) => ({
        ...secret,
        file: `${secret.namespace}-${secret.name}-credentials`,
      })),
      ...made.secrets,
    ].map(({ file, namespace, name, stringData }) => ({
      file,
      namespace,
      name,
      stringData: Object.entries(stringData ?? {}).map(([key, value]) =>
        key === "azure_client_id" ? [key, "<client id>"] : [key, value],
      ),
    })),
    issuer: [{ name: host.issuer.url }],
  });
}

function goldenFacts(): Facts {
  const { inputs: _, issuer, storageAccount, container, ...lists } = golden;
  const parts = lists as Readonly<Record<string, readonly Fact[]>>;
  return keyed({
    ...parts,
    storageAccount: [storageAccount as Fact],
    container: [container as Fact],
    issuer: [{ name: issuer }],
  });
}

const KEYS: Readonly<Record<string, (fact: Fact) => string>> = {
  documents: ({ url }) => String(url).replace("https://mycluster.blob.core.windows.net/mycluster/", ""),
  roleAssignments: ({ identity, scope }) => `${String(identity)} ${String(scope)}`,
  credentials: ({ identity, name }) => `${String(identity)} ${String(name)}`,
  secrets: ({ file }) => String(file),
};

/** By part and name, so that order does not count, and everything that one side lacks does. */
function keyed(parts: Readonly<Record<string, readonly Fact[]>>): Facts {
  const entries = Object.entries(parts).flatMap(([part, facts]) =>
    facts.map((fact): readonly [string, Fact] => [
      `${part}/${(KEYS[part] ?? (({ name }: Fact) => String(name)))(fact)}`,
      fact,
    ]),
  );
  expect(new Set(entries.map(([path]) => path)).size).toBe(entries.length);
  return Object.fromEntries(entries);
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Paths of what differs; of an object its members, of documents' content the members of that. */
function differences(theirs: unknown, ours: unknown, path = ""): readonly string[] {
  if (JSON.stringify(theirs) === JSON.stringify(ours)) return [];
  if (!isObject(theirs) || !isObject(ours)) return [path];
  return [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].flatMap((key) =>
    differences(theirs[key], ours[key], path === "" ? key : `${path}/${key}`),
  );
}

function isObject(value: unknown): value is Fact {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

describe("agreement with ccoctl", () => {
  const adopted = declaredFacts(declared(true));

  it("declares what ccoctl made, but for the differences on the list, where its hosting is adopted", () => {
    expect([...differences(goldenFacts(), adopted)].sort()).toEqual(Object.keys(INTENDED).sort());
  });

  it("declares the same for a new cluster, with a narrower container", () => {
    expect([...differences(goldenFacts(), declaredFacts(declared(false)))].sort()).toEqual(
      Object.keys(INTENDED_WHEN_NEW).sort(),
    );
  });

  it("removes nothing but a repetition from the role of machine-api", () => {
    const name = "roleDefinitions/mycluster-openshift-machine-api-azure-cloud-credentials";
    const [theirs, ours] = [goldenFacts()[name], adopted[name]].map(
      (fact) => fact?.["actions"] as readonly string[],
    );
    expect(ours).toEqual([...new Set(theirs)]);
    expect(theirs).toHaveLength((ours?.length ?? 0) + 1);
  });

  it("compares something of each kind", () => {
    const kinds = new Set(Object.keys(goldenFacts()).map((path) => path.split("/", 1)[0]));
    expect([...kinds].sort().join()).toBe(
      "container,credentials,documents,identities,issuer,resourceGroups,roleAssignments,roleDefinitions,secrets,storageAccount",
    );
  });
});
