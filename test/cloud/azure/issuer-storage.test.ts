import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import type { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  IssuerContainer,
  type IssuerContainerProps,
  IssuerWebsite,
  type IssuerWebsiteProps,
} from "../../../lib/cloud/azure";
import { Issuer } from "../../../lib/model/issuer";
import { SUBSCRIPTION } from "./components";
import { imports, newStack, resources } from "./synth";
import { refusal } from "../../support/refusal";
import { warnings } from "../../support/stacks";

interface Key {
  readonly pem: string;
  readonly jwk: { readonly kty: string; readonly kid: string };
}

const all = JSON.parse(
  readFileSync(resolve(__dirname, "../../fixtures/openid/keys.json"), "utf8"),
) as readonly Key[];
const rsa = all.filter(({ jwk }) => jwk.kty === "RSA");
const elliptic = all.filter(({ jwk }) => jwk.kty === "EC");
const pem = (keys: readonly Key[], index: number): string => keys[index]?.pem ?? "";

const ACCOUNT = "azurerm_storage_account";
const CONTAINER = "azurerm_storage_container";
const BLOB = "azurerm_storage_blob";
const WEBSITE = "azurerm_storage_account_static_website";
const GROUP = "azurerm_resource_group";
const WARNING = /storage account can be accessed with its keys/;
const KEPT = /documents keep their present content/;
const UNREAD = ["source_content", "parallelism", "size", "content_md5"];
const ONE_KEY = { keys: [{ publicKey: pem(rsa, 0), use: "current" }] } as const;

const PROPS = {
  storageAccountName: "issueracme",
  resourceGroupName: "acme-oidc",
  region: "westeurope",
  keys: [
    { publicKey: pem(rsa, 0), use: "current" },
    { publicKey: pem(rsa, 1), use: "next" },
  ],
} as const satisfies IssuerContainerProps;

function container(change: Partial<IssuerContainerProps> = {}, stack: TerraformStack = newStack()) {
  return { stack, host: new IssuerContainer(stack, "issuer", { ...PROPS, ...change }) };
}

function website(change: Partial<IssuerWebsiteProps> = {}, stack: TerraformStack = newStack()) {
  return { stack, host: new IssuerWebsite(stack, "issuer", { ...PROPS, ...change }) };
}

function only(stack: TerraformStack, type: string): Readonly<Record<string, unknown>> {
  const blocks = Object.values(resources(stack, type));
  expect(blocks).toHaveLength(1);
  return blocks[0] ?? {};
}

function document(stack: TerraformStack, name: string): Readonly<Record<string, unknown>> {
  return Object.values(resources(stack, BLOB)).find((blob) => blob["name"] === name) ?? {};
}

function discovery(stack: TerraformStack): Readonly<Record<string, unknown>> {
  const content = String(document(stack, ".well-known/openid-configuration")["source_content"]);
  return JSON.parse(content.replaceAll('"/")}', "'/')}")) as Readonly<Record<string, unknown>>;
}

/** Warnings of a host that match. */
function warned({ host }: { readonly host: IssuerContainer }, pattern: RegExp = WARNING): readonly string[] {
  return warnings(host).filter((text) => pattern.test(text));
}

describe("IssuerContainer", () => {
  it.each([
    [undefined, "https://issueracme.blob.core.windows.net/issueracme"],
    ["AzureUSGovernmentCloud", "https://issueracme.blob.core.usgovcloudapi.net/issueracme"],
    ["AzureChinaCloud", "https://issueracme.blob.core.chinacloudapi.cn/issueracme"],
  ] as const)("knows the issuer in cloud %s at synth", (cloud, url) => {
    const { host, stack } = container(cloud && { cloud });
    expect(host.issuer.url).toBe(url);
    expect(discovery(stack)).toMatchObject({ issuer: url, jwks_uri: `${url}/openid/v1/jwks` });
  });

  it("publishes both keys of a rotation as JSON, cached for no longer than five minutes", () => {
    const { stack, host } = container();
    const jwks = document(stack, "openid/v1/jwks");
    const { keys } = JSON.parse(String(jwks["source_content"])) as { keys: { kid: string }[] };
    expect(keys.map(({ kid }) => kid)).toEqual([rsa[0]?.jwk.kid, rsa[1]?.jwk.kid].sort());
    for (const blob of Object.values(resources(stack, BLOB)))
      expect(blob).toMatchObject({
        type: "Block",
        content_type: "application/json",
        cache_control: "public, max-age=300",
        storage_container_name: "issueracme",
        depends_on: [`${CONTAINER}.${host.container.friendlyUniqueId}`],
      });
    expect(host.node.defaultChild).toBe(host.account);
  });

  it("lets the public read blobs but not list them, over TLS 1.2", () => {
    const { stack } = container({ tags: { team: "x" } });
    expect(only(stack, CONTAINER)).toMatchObject({ name: "issueracme", container_access_type: "blob" });
    const [group] = Object.keys(resources(stack, GROUP));
    expect(only(stack, ACCOUNT)).toEqual({
      name: "issueracme",
      resource_group_name: "acme-oidc",
      location: "westeurope",
      account_kind: "StorageV2",
      account_tier: "Standard",
      account_replication_type: "LRS",
      min_tls_version: "TLS1_2",
      https_traffic_only_enabled: true,
      allow_nested_items_to_be_public: true,
      shared_access_key_enabled: true,
      tags: { team: "x" },
      depends_on: [`${GROUP}.${group}`],
      lifecycle: { prevent_destroy: true },
    });
    expect(only(stack, GROUP)).toEqual({ name: "acme-oidc", location: "westeurope", tags: { team: "x" } });
    expect(resources(container({ resourceGroup: "existing" }).stack, GROUP)).toEqual({});
  });

  it("turns the account's keys off where Terraform writes blobs without them, and warns otherwise", () => {
    const stack = newStack();
    new AzurermProvider(stack, "azurerm", { features: [{}], storageUseAzuread: true });
    const off = container({}, stack);
    expect([only(stack, ACCOUNT)["shared_access_key_enabled"], warned(off)]).toEqual([false, []]);
    const on = container();
    expect(warned(on)).toHaveLength(1);
    const stated = container({ sharedAccessKeyEnabled: false });
    expect([only(stated.stack, ACCOUNT)["shared_access_key_enabled"], warned(stated)]).toEqual([false, []]);
  });

  it("publishes for an issuer that something else serves, also from a private container", () => {
    const issuerUrl = "https://issuer.acme.example";
    const { stack, host } = container({ issuerUrl, containerAccessType: "private" });
    expect(host.issuer.url).toBe(issuerUrl);
    expect(discovery(stack)).toMatchObject({ issuer: issuerUrl, jwks_uri: `${issuerUrl}/openid/v1/jwks` });
    expect(only(stack, CONTAINER)["container_access_type"]).toBe("private");
    expect(only(stack, ACCOUNT)["allow_nested_items_to_be_public"]).toBe(false);
    const slash = container({ issuerUrl: Issuer.exactly(`${issuerUrl}/`) });
    expect(discovery(slash.stack)).toMatchObject({
      issuer: `${issuerUrl}/`,
      jwks_uri: `${issuerUrl}/openid/v1/jwks`,
    });
  });

  it("takes over what ccoctl made, with its tag and access, and keeps the documents' content", () => {
    const adopt = { subscriptionId: SUBSCRIPTION, clusterName: "acme" };
    const adopted = container({ ...ONE_KEY, blobContainerName: "keys", adopt, tags: { team: "x" } });
    const { stack } = adopted;
    const group = `/subscriptions/${SUBSCRIPTION}/resourceGroups/acme-oidc`;
    const account = `${group}/providers/Microsoft.Storage/storageAccounts/issueracme`;
    expect(Object.values(imports(stack)).sort()).toEqual([
      group,
      account,
      `${account}/blobServices/default/containers/keys`,
      "https://issueracme.blob.core.windows.net/keys/.well-known/openid-configuration",
      "https://issueracme.blob.core.windows.net/keys/openid/v1/jwks",
    ]);
    const tags = { "openshift.io_cloud-credential-operator_acme": "owned", team: "x" };
    expect([only(stack, ACCOUNT)["tags"], only(stack, GROUP)["tags"]]).toEqual([tags, tags]);
    expect(only(stack, CONTAINER)["container_access_type"]).toBe("container");
    const kept = Object.values(resources(stack, BLOB)).map((blob) => blob["lifecycle"]);
    // hashicorp/terraform-provider-azurerm, storage_blob_resource.go: each has ForceNew and is not read back
    expect(kept).toEqual([{ ignore_changes: UNREAD }, { ignore_changes: UNREAD }]);
    expect(warned(adopted, KEPT)).toHaveLength(1);
  });

  it("imports nothing from another subscription than its provider's", () => {
    const stack = newStack();
    const subscriptionId = SUBSCRIPTION.replace(/^./, (digit) => (digit === "1" ? "2" : "1"));
    new AzurermProvider(stack, "own", { features: [{}], subscriptionId });
    expect(() => container({ adopt: { subscriptionId: SUBSCRIPTION } }, stack)).toThrowError(
      refusal("azure-mismatch: subscriptionId of adopt is in another subscription"),
    );
  });

  it("does not keep documents through a rotation, whose keys would never be published", () => {
    expect(() => container({ adopt: { subscriptionId: SUBSCRIPTION } })).toThrowError(
      refusal("azure-mismatch: adopt keeps", {
        remedy: expect.stringMatching(/documents: "replace"/) as string,
      }),
    );
  });

  it("writes what a person wrote as text, never as a template of Terraform", () => {
    const { stack } = container({ cacheControl: "${x.y}", tags: { note: '${file("x")} %{if true}' } });
    expect(document(stack, "openid/v1/jwks")["cache_control"]).toBe("$${x.y}");
    const tags = { note: '$${file("x")} %%{if true}' };
    expect([only(stack, ACCOUNT)["tags"], only(stack, GROUP)["tags"]]).toEqual([tags, tags]);
  });

  it("refuses a second host of one account, which Azure has once", () => {
    const { stack } = container();
    expect(
      () => new IssuerContainer(stack, "second", { ...PROPS, blobContainerName: "second" }),
    ).toThrowError(refusal("azure-conflict: declares the storage account"));
    expect(Object.keys(resources(stack, ACCOUNT))).toHaveLength(1);
  });

  it("replaces the content of documents when told to", () => {
    const adopted = container({ adopt: { subscriptionId: SUBSCRIPTION, documents: "replace" } });
    const { stack } = adopted;
    expect(warned(adopted, KEPT)).toEqual([]);
    const kept = Object.values(resources(stack, BLOB)).map((blob) => blob["lifecycle"]);
    expect(kept).toEqual([undefined, undefined]);
    expect(Object.keys(imports(stack))).toHaveLength(5);
  });

  it.each<readonly [string, Partial<IssuerContainerProps>]>([
    ["azure-invalid: is not a valid name", { storageAccountName: "my-cluster" }],
    ["azure-invalid: is not a valid name", { storageAccountName: "a".repeat(25) }],
    ["azure-invalid: is not a valid name", { blobContainerName: "a--b" }],
    ["azure-invalid: is not a valid name", { resourceGroupName: "a/b" }],
    ["azure-invalid: cacheControl", { cacheControl: "" }],
    ["azure-invalid: the tag is not valid in Azure", { tags: { "a/b": "x" } }],
    ["azure-invalid: private container", { containerAccessType: "private" }],
    ["property-invalid", { containerAccessType: "public" as "blob" }],
    ["property-invalid", { accountReplicationType: "XRS" as "LRS" }],
    ["property-invalid", { resourceGroup: "made" as "declared" }],
    ["azure-unknown: the Azure cloud", { cloud: "AzureMoonCloud" as "AzureChinaCloud" }],
    ["azure-invalid: is not a GUID", { adopt: { subscriptionId: "mine" } }],
    ["property-invalid", { adopt: { subscriptionId: SUBSCRIPTION, documents: "drop" as "keep" } }],
    ["cluster-invalid", { adopt: { subscriptionId: SUBSCRIPTION, clusterName: "A B" } }],
    ["issuer-unsupported", { issuerUrl: "https://kubernetes.default.svc" }],
    ["issuer-invalid", { issuerUrl: "https://issuer.example.com/" }],
    ["issuer-missing", { keys: [] }],
    ["issuer-invalid", { keys: [{ publicKey: pem(rsa, 0), use: "next" }] }],
    ["issuer-unsupported", { keys: [{ publicKey: pem(elliptic, 0), use: "current" }] }],
  ])("refuses with %s before anything is declared: %j", (code, change) => {
    const stack = newStack();
    expect(() => container(change, stack)).toThrowError(
      refusal(code, { message: expect.stringMatching(/^test\/issuer: /) as string }),
    );
    expect([ACCOUNT, GROUP, BLOB].flatMap((type) => Object.keys(resources(stack, type)))).toEqual([]);
  });
});

// azurerm makes the account in the cloud that `environment` names (hashicorp/go-azure-sdk, sdk/environments).
describe("the cloud of an issuer", () => {
  const GOV = "AzureUSGovernmentCloud";
  const adopt = { subscriptionId: SUBSCRIPTION };
  const issuerUrl = "https://issuer.example.com";
  const inCloud = (environment: string, metadataHost?: string): TerraformStack => {
    const stack = newStack();
    new AzurermProvider(stack, "azurerm", { features: [{}], environment, metadataHost });
    return stack;
  };

  it.each<[string, typeof container | typeof website, Partial<IssuerWebsiteProps>]>([
    ["usgovernment", container, {}],
    ["USGovernment", container, {}],
    ["dod", container, { cloud: "AzureChinaCloud" }],
    ["public", container, { cloud: GOV }],
    ["public", container, { cloud: GOV, issuerUrl }],
    ["china", container, { ...ONE_KEY, adopt, issuerUrl }],
    ["china", website, { cloud: GOV }],
    ["china", website, { ...ONE_KEY, adopt }],
  ])("is refused where the provider's environment is %s: %o %j", (environment, declare, change) => {
    const stack = inCloud(environment);
    expect(() => declare(change, stack)).toThrowError(refusal("azure-mismatch: issuer's cloud"));
    expect(resources(stack, ACCOUNT)).toEqual({});
  });

  it.each<[string, typeof container | typeof website, Partial<IssuerWebsiteProps>, string?]>([
    ["usgovernment", container, { cloud: GOV }],
    ["usgovernmentl5", container, { cloud: GOV }],
    ["global", container, {}],
    ["${var.environment}", container, { cloud: GOV }],
    ["somewhere", container, {}],
    ["usgovernment", container, {}, "metadata.example.com"],
    ["usgovernment", container, { issuerUrl }],
    ["usgovernment", website, {}],
  ])("is taken where the provider's environment is %s: %o %j", (environment, declare, change, host) => {
    expect(() => declare(change, inCloud(environment, host))).not.toThrow();
  });

  it("says what to do, and looks at the provider that is given", () => {
    const stack = inCloud("public");
    const provider = new AzurermProvider(stack, "gov", {
      features: [{}],
      alias: "gov",
      environment: "usgovernment",
    });
    expect(() => container({ cloud: GOV }, stack)).toThrowError(
      "test/issuer: the issuer's cloud differs from that of the azurerm provider, whose environment is public, got " +
        '"AzureUSGovernmentCloud"; allowed: AzurePublicCloud; state the same cloud in both, or pass the azurerm provider of ' +
        "this cloud as `provider`",
    );
    const given = new IssuerContainer(stack, "given", { ...PROPS, cloud: GOV, provider });
    expect(given.issuer.url).toBe("https://issueracme.blob.core.usgovcloudapi.net/issueracme");
  });
});

describe("IssuerWebsite", () => {
  it("has the website's URL without its final slash as issuer, known after apply", () => {
    const { stack, host } = website();
    const account = `${ACCOUNT}.${host.account.friendlyUniqueId}`;
    const url = `https://\${${account}.primary_web_host}`;
    expect(host.issuer.late).toBe(true);
    expect(discovery(stack)).toMatchObject({ issuer: url, jwks_uri: `${url}/openid/v1/jwks` });
    expect(only(stack, WEBSITE)).toEqual({
      storage_account_id: `\${${account}.id}`,
      index_document: "index.html",
    });
    expect(Object.values(resources(stack, BLOB))).toMatchObject([
      { storage_container_name: "$web", depends_on: [`${WEBSITE}.${host.website.friendlyUniqueId}`] },
      { storage_container_name: "$web" },
    ]);
  });

  it("keeps the final slash for clusters whose tokens have it, without a second one in jwks_uri", () => {
    const { stack, host } = website({ trailingSlash: true });
    const url = `https://\${${ACCOUNT}.${host.account.friendlyUniqueId}.primary_web_host}/`;
    expect(discovery(stack)).toMatchObject({ issuer: url, jwks_uri: `${url}openid/v1/jwks` });
  });

  it("is literal with issuerUrl", () => {
    const issuerUrl = "https://issueracme.z6.web.core.windows.net";
    const { stack, host } = website({ issuerUrl });
    expect([host.issuer.url, discovery(stack)["jwks_uri"]]).toEqual([
      issuerUrl,
      `${issuerUrl}/openid/v1/jwks`,
    ]);
    const exact = website({ issuerUrl: Issuer.exactly(`${issuerUrl}/`) });
    expect(discovery(exact.stack)).toMatchObject({
      issuer: `${issuerUrl}/`,
      jwks_uri: `${issuerUrl}/openid/v1/jwks`,
    });
  });

  it("does without public access to blobs", () => {
    expect(only(website().stack, ACCOUNT)["allow_nested_items_to_be_public"]).toBe(false);
  });

  it("takes over an existing website", () => {
    const { stack } = website({ ...ONE_KEY, adopt: { subscriptionId: SUBSCRIPTION } });
    const group = `/subscriptions/${SUBSCRIPTION}/resourceGroups/acme-oidc`;
    const account = `${group}/providers/Microsoft.Storage/storageAccounts/issueracme`;
    expect(Object.values(imports(stack)).sort()).toEqual([
      group,
      account,
      account,
      "https://issueracme.blob.core.windows.net/$web/.well-known/openid-configuration",
      "https://issueracme.blob.core.windows.net/$web/openid/v1/jwks",
    ]);
  });

  it.each<readonly [string, Partial<IssuerWebsiteProps>]>([
    ["azure-unused: trailingSlash", { issuerUrl: "https://issuer.example.com", trailingSlash: true }],
    ["azure-invalid: is not a valid name", { storageAccountName: "Acme" }],
  ])("refuses with %s before anything is declared", (code, change) => {
    const stack = newStack();
    expect(() => website(change, stack)).toThrowError(refusal(code));
    expect(resources(stack, ACCOUNT)).toEqual({});
  });
});
