import { PLUGINS } from "../plugins";
import { Duration } from "../../model/duration";
import type { ImageCredentialProvider } from "../../model/image-credential-provider";
import { isRecord } from "../../model/record";
import { type AzureCloud, type AzureCloudName, azureCloud, azureClouds } from "./clouds";
import { guid } from "./names";
import type { LoginServer } from "./registry";

/** Annotation with the identity's client id (kubernetes-sigs/cloud-provider-azure, pkg/credentialprovider/consts.go). */
export const CLIENT_ID_ANNOTATION: string = PLUGINS.acr.annotations[0];

/** Annotation with the identity's tenant id; required like the client id, since the plugin has no default for them. */
export const TENANT_ID_ANNOTATION: string = PLUGINS.acr.annotations[1];

const CACHE_MINUTES = 10;

export interface AcrCredentialProviderOptions {
  /** The hosts from which images are pulled, all of one cloud. */
  readonly loginServers: readonly LoginServer[];
  readonly audience: string;
  /** Path of the plugin's configuration file on the node. */
  readonly azureJsonPath: string;
}

/**
 * The kubelet's entry for the acr plugin.
 *
 * Patterns end at the cloud's own suffix: the plugin recognises the suffix anywhere in an image name, so a wider
 * pattern would send tokens to foreign hosts. A star of `matchImages` covers one label, so regional hosts need a
 * separate pattern, which is added only if one is used.
 */
export function acrCredentialProvider(options: AcrCredentialProviderOptions): ImageCredentialProvider {
  return {
    plugin: "acr",
    name: PLUGINS.acr.executable,
    matchImages: [...new Set(options.loginServers.map(pattern))].sort(),
    hosts: [...new Set(options.loginServers.map(({ host }) => host))].sort(),
    defaultCacheDuration: Duration.minutes(CACHE_MINUTES),
    args: [options.azureJsonPath],
    // The file names no identity of the node, so the entry without tokens cannot use it.
    nodeIdentityArgs: undefined,
    env: [],
    audience: options.audience,
    cacheType: "ServiceAccount",
    annotationKeys: [CLIENT_ID_ANNOTATION, TENANT_ID_ANNOTATION],
    needs: ["tokens"],
  };
}

function pattern({ cloud, region }: LoginServer): string {
  const { acrSuffix } = azureCloud(cloud);
  return region === undefined ? `*.${acrSuffix}` : `*.*.geo.${acrSuffix}`;
}

/** The contents of the acr plugin's configuration file. */
export interface AzureJson {
  readonly cloud: AzureCloudName;
  /** The tenant of all identities and registries; may be late. */
  readonly tenantId: string;
  /**
   * GUID of a subscription; the plugin does not read it, but other readers of the file may.
   *
   * @defaultValue - left out
   */
  readonly subscriptionId?: string | undefined;
}

/** Something in the file that breaks pulls with service account tokens. */
export interface AzureJsonFinding {
  readonly field: string;
  readonly message: string;
}

const INDENT = 2;

/**
 * The text of the file with sorted keys, limited to what pulls with service account tokens need.
 *
 * Source: kubernetes-sigs/cloud-provider-azure, pkg/azclient/arm_conf.go and auth_conf.go.
 */
export function renderAzureJson({ cloud, tenantId, subscriptionId }: AzureJson): string {
  const document = {
    cloud: azureCloud(cloud).name,
    ...(subscriptionId === undefined ? {} : { subscriptionId: guid("subscriptionId", subscriptionId) }),
    tenantId: guid("tenantId", tenantId),
    useManagedIdentityExtension: true,
  };
  return `${JSON.stringify(document, null, INDENT)}\n`;
}

/**
 * What keeps the acr plugin from exchanging service account tokens with a configuration file; empty if nothing does.
 *
 * `document` is the parsed JSON or YAML; never throws. Source: kubernetes-sigs/cloud-provider-azure,
 * pkg/credentialprovider/azure_credentials.go: the token credential is created first, but discarded without
 * `useManagedIdentityExtension`; the exchange sends the file's `tenantId`, not the annotation's.
 */
export function validateAzureJson(document: unknown): readonly AzureJsonFinding[] {
  if (typeof document !== "object" || document === null || Array.isArray(document))
    return [{ field: "", message: "the file is not an object; the plugin exits with failed to load config" }];
  const fields = new Map<string, unknown>(Object.entries(document));
  const rows: readonly (readonly [string, boolean, string])[] = [
    ["cloud", azureJsonCloud(document) !== undefined, unknownCloud()],
    [
      "tenantId",
      isText(fields.get("tenantId")),
      "the exchange with the registry sends this tenant, not the annotation's; use the tenant of registry and identity",
    ],
    [
      "useManagedIdentityExtension",
      fields.get("useManagedIdentityExtension") === true,
      "unless it is true, the plugin ignores the token and returns aadClientId and aadClientSecret, which may be empty; set it to true",
    ],
  ];
  return rows.flatMap(([field, good, message]) => (good ? [] : [{ field, message }]));
}

/**
 * What the acr plugin returns with a configuration file that keeps it from using a token: the file's client ID and
 * secret, `some` or `none`; `undefined` if it uses the token or does not load the file. Never throws.
 */
export function clientAnswered(document: unknown): "some" | "none" | undefined {
  if (!isRecord(document)) return undefined;
  const { useManagedIdentityExtension: extension, aadClientId, aadClientSecret } = document;
  if (extension !== undefined && extension !== null && extension !== false) return undefined;
  return isText(aadClientId) || isText(aadClientSecret) ? "some" : "none";
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * The cloud that a configuration file names; `undefined` if the plugin does not know its name. A missing name means
 * the public cloud, by the plugin's design; so does a wrong one, by accident. Never throws.
 */
export function azureJsonCloud(document: unknown): AzureCloud | undefined {
  const value = isRecord(document) ? document["cloud"] : undefined;
  if (value === undefined || value === "") return azureClouds[0];
  const name = typeof value === "string" ? value.trim().toLowerCase() : "";
  return azureClouds.find((cloud) => cloud.configNames.some((known) => known.toLowerCase() === name));
}

function unknownCloud(): string {
  const names = azureClouds.flatMap((cloud) => cloud.configNames).join(", ");
  return `the plugin silently treats an unknown cloud as AzurePublicCloud; use one of ${names}`;
}
