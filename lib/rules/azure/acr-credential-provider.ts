import { PLUGINS } from "../plugins";
import { Duration } from "../../model/duration";
import type { ImageCredentialProvider } from "../../model/image-credential-provider";
import { azureCloud } from "./clouds";
import type { LoginServer } from "./registry";

/** Annotation with the identity's client id (kubernetes-sigs/cloud-provider-azure, pkg/credentialprovider/consts.go). */
export const CLIENT_ID_ANNOTATION: string = PLUGINS.acr.annotations[0];

/** Annotation with the identity's tenant id; as required as the client id, the plugin falls back to neither. */
export const TENANT_ID_ANNOTATION: string = PLUGINS.acr.annotations[1];

const CACHE_MINUTES = 10;

/** What decides the kubelet's entry. */
export interface AcrCredentialProviderOptions {
  /** The hosts that are pulled from; all of one cloud. */
  readonly loginServers: readonly LoginServer[];
  /** The audience of the service account tokens. */
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
