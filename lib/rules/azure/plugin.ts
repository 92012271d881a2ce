import { acr } from "../../registries/acr";
import { Duration } from "../../model/duration";
import type { ImageCredentialProvider } from "../../model/image-credential-provider";
import { type Known, allOf, map, whether } from "../../model/known";
import { type Tree, childOf, isTreeObject } from "../../model/tree";
import { type AzureCloud, type AzureCloudName, azureCloud, azureClouds } from "./clouds";
import { guid } from "./names";
import type { LoginServer } from "./registry";

/** Annotation with the identity's client id (kubernetes-sigs/cloud-provider-azure, pkg/credentialprovider/consts.go). */
export const CLIENT_ID_ANNOTATION: string = acr.annotations[0];

/** Annotation with the identity's tenant id; required like the client id, since the plugin has no default for them. */
export const TENANT_ID_ANNOTATION: string = acr.annotations[1];

/** The two annotations that the plugin reads; both are required and must not be empty. */
export function pluginAnnotations({
  clientId,
  tenantId,
}: {
  readonly clientId: string;
  readonly tenantId: string;
}): Readonly<Record<string, string>> {
  return { [CLIENT_ID_ANNOTATION]: clientId, [TENANT_ID_ANNOTATION]: tenantId };
}

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
    name: acr.executable,
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
  /** False if the value is not known. */
  readonly isCertain: boolean;
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
 * What keeps the acr plugin from exchanging service account tokens with a configuration file, or may do so where a value
 * is not known; empty if nothing does.
 *
 * Source: kubernetes-sigs/cloud-provider-azure, pkg/credentialprovider/azure_credentials.go: the token credential is
 * created first, but discarded without `useManagedIdentityExtension`; the exchange sends the file's `tenantId`, not the
 * annotation's.
 */
export function azureJsonFindings(document: Tree): readonly AzureJsonFinding[] {
  const isObject = whether(document, isTreeObject);
  const notAnObject = "the file is not an object; the plugin exits with failed to load config";
  if (isObject !== "yes") return [{ field: "", message: notAnObject, isCertain: isObject === "no" }];
  const rows: readonly (readonly [field: string, isGood: (value: unknown) => boolean, message: string])[] = [
    ["cloud", (value) => cloudNamed(value) !== undefined, unknownCloud()],
    [
      "tenantId",
      isText,
      "the exchange with the registry sends this tenant, not the annotation's; use the tenant of registry and identity",
    ],
    [
      "useManagedIdentityExtension",
      (value) => value === true,
      "unless it is true, the plugin ignores the token and returns aadClientId and aadClientSecret, which may be empty; set it to true",
    ],
  ];
  return rows.flatMap(([field, isGood, message]) => {
    const isMet = whether(childOf(document, field), isGood);
    return isMet === "yes" ? [] : [{ field, message, isCertain: isMet === "no" }];
  });
}

/**
 * What the acr plugin returns with a configuration file that keeps it from using a token: the file's client ID and
 * secret, `none`, or `some`, also where these are not known; `undefined` if it uses the token, may do so, or does not
 * load the file.
 */
export function clientAnswered(document: Tree): "some" | "none" | undefined {
  if (whether(document, isTreeObject) !== "yes") return undefined;
  const isOff = whether(childOf(document, "useManagedIdentityExtension"), (value) =>
    [undefined, null, false].includes(value as undefined),
  );
  if (isOff !== "yes") return undefined;
  const isNone = allOf(
    ["aadClientId", "aadClientSecret"].map((key) =>
      whether(childOf(document, key), (value) => !isText(value)),
    ),
  );
  return isNone === "yes" ? "none" : "some";
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * The cloud that a configuration file names; `undefined` if the plugin does not know its name. A missing name means
 * the public cloud, by the plugin's design; so does a wrong one, by accident.
 */
export function azureJsonCloud(document: Tree): Known<AzureCloud | undefined> {
  return map(childOf(document, "cloud"), cloudNamed);
}

function cloudNamed(value: unknown): AzureCloud | undefined {
  if (value === undefined || value === "") return azureClouds[0];
  const name = typeof value === "string" ? value.trim().toLowerCase() : "";
  return azureClouds.find((cloud) => cloud.configNames.some((known) => known.toLowerCase() === name));
}

function unknownCloud(): string {
  const names = azureClouds.flatMap((cloud) => cloud.configNames).join(", ");
  return `the plugin silently treats an unknown cloud as AzurePublicCloud; use one of ${names}`;
}
