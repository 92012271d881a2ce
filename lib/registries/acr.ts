/*
 * Azure Container Registry. Source: kubernetes-sigs/cloud-provider-azure, cmd/acr-credential-provider; flags were tested
 * with a program built from the tag 1.36.5.
 */

import type { Plugin } from "../model/plugin";

/** The plugin for ACR. */
export const acr: Plugin<readonly [client: string, tenant: string]> = {
  executable: "acr-credential-provider",
  executables: /^acr-credential-provider(?![a-z0-9])/,
  annotations: ["kubernetes.azure.com/acr-client-id", "kubernetes.azure.com/acr-tenant-id"],
  // cloud-provider-azure has no v1.37.0 yet; its plugin is unchanged there since v1.36.5.
  newest: "1.36",
  abilities: {
    tokens: [
      {
        from: "0.0",
        outcome: "no",
        reason: "before v1.34.7 it ignores the token and silently uses the node identity",
      },
      {
        from: "1.34.7",
        outcome: "yes",
        reason: "since v1.34.7, v1.35.0 and v1.36.0 (cloud-provider-azure d82393af)",
      },
    ],
    "unannotated-node-identity": [
      { from: "0.0", outcome: "no", reason: "with a token it needs both annotations and never falls back" },
    ],
  },
  registries: ["io", "cn", "de", "us"].flatMap((tld) => [`*.azurecr.${tld}`, `*.*.geo.azurecr.${tld}`]),
  flags: {
    short: { h: "help", r: "registry-mirror", v: "v" },
    kinds: {
      help: "print",
      version: "print",
      v: "level",
      "registry-mirror": "string",
      "ib-sni-name": "string",

      "ib-default-client-id": "string",
      "ib-default-tenant-id": "string",
      "ib-apiserver-ip": "string",
      vmodule: "unread",
      "log-flush-frequency": "unread",
    },
  },
};
