import { PLUGINS } from "../plugins";
import { Duration } from "../../model/duration";
import type { ImageCredentialProvider } from "../../model/image-credential-provider";
import { isRecord } from "../../model/record";
import { type AzureCloud, type AzureCloudName, azureCloud, azureClouds } from "./clouds";
import { guid } from "./names";
import type { LoginServer } from "./registry";

/** Annotation with the identity's client id (kubernetes-sigs/cloud-provider-azure, pkg/credentialprovider/consts.go). */
export const CLIENT_ID_ANNOTATION: string = PLUGINS.acr.annotations[0];

/** Annotation with the identity's tenant id; as required as the client id, the plugin falls back to neither. */
export const TENANT_ID_ANNOTATION: string = PLUGINS.acr.annotations[1];

const CACHE_MINUTES = 10;

export interface AcrCredentialProviderOptions {
  /** The hosts that are pulled from; all of one cloud. */
  readonly loginServers: readonly LoginServer[];
  readonly audience: string;
  /** Path of the plugin's configuration file on the node. */
  readonly azureJsonPath: string;
}

/**
 * The kubelet's entry for the acr plugin.
 *
 * Patterns end at the cloud's own suffix: the plugin takes the suffix anywhere in an image name for a registry, so
 * a wider pattern would send tokens to foreign hosts. A star of `matchImages` covers one label, hence a pattern of
 * its own for regional hosts, only where one is pulled from.
 */
export function acrCredentialProvider(options: AcrCredentialProviderOptions): ImageCredentialProvider {
  return {
    plugin: "acr",
    name: PLUGINS.acr.executable,
    matchImages: [...new Set(options.loginServers.map(pattern))].sort(),
    defaultCacheDuration: Duration.minutes(CACHE_MINUTES),
    args: [options.azureJsonPath],
    // The file names no identity of the node, so it cannot serve the entry without token.
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

/** What the acr plugin's configuration file says. */
export interface AzureJson {
  readonly cloud: AzureCloudName;
  /** The one tenant of identities and registries; may be late. */
  readonly tenantId: string;
  /**
   * GUID of a subscription; the plugin does not read it, other readers of the file may.
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
 * The text of the file, keys sorted, no more than pulls with service account tokens need.
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
 * What keeps the acr plugin from exchanging service account tokens with a configuration file; empty when nothing.
 *
 * `document` is the parsed JSON or YAML; never throws. Source: kubernetes-sigs/cloud-provider-azure,
 * pkg/credentialprovider/azure_credentials.go: the token credential is built before, and thrown away without,
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
      "the exchange with the registry sends this tenant, not the annotation's; write the tenant of registry and identity",
    ],
    [
      "useManagedIdentityExtension",
      fields.get("useManagedIdentityExtension") === true,
      "unless it is true the plugin answers aadClientId and aadClientSecret, perhaps empty, and ignores the token; write true",
    ],
  ];
  return rows.flatMap(([field, good, message]) => (good ? [] : [{ field, message }]));
}

/**
 * What the acr plugin answers with a configuration file that does not let it use a token: the client ID and secret of
 * the file, `some` or `none`; `undefined` where it uses the token, or does not load the file. Never throws.
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
 * The cloud that a configuration file names; `undefined` where the plugin does not know its name. An absent name means
 * the public cloud, by design of the plugin; a wrong one does too, by accident. Never throws.
 */
export function azureJsonCloud(document: unknown): AzureCloud | undefined {
  const value = isRecord(document) ? document["cloud"] : undefined;
  if (value === undefined || value === "") return azureClouds[0];
  const name = typeof value === "string" ? value.trim().toLowerCase() : "";
  return azureClouds.find((cloud) => cloud.configNames.some((known) => known.toLowerCase() === name));
}

function unknownCloud(): string {
  const names = azureClouds.flatMap((cloud) => cloud.configNames).join(", ");
  return `the plugin silently takes an unknown cloud for AzurePublicCloud; write one of ${names}`;
}
