/*
 * Harbor. Upstream takes no service account tokens (goharbor/harbor#17520, #22027). Harbor Next does with a federated
 * identity provider (container-registry/harbor-workload-identity-federation, plugin v0.0.1); a bridge in the cluster
 * exchanges tokens for those of robot accounts of any Harbor (AetherizeGmbH/harbor-workload-identity-bridge, v0.3.7).
 */

import { fail } from "../errors";
import { namespacedName } from "../model/namespaced-name";
import type { Plugin } from "../model/plugin";
import type { TokenPull, TokenRegistry } from "../model/pulls";
import { type ObjectKind, checkGiven, object, optional, text } from "../model/shape";
import {
  OidcRegistry,
  REGISTRY_PROPS,
  type RegistryProps,
  pluginRow,
  rowPlugin,
  subjectOf,
} from "./oidc-registry";

/** Returns the token itself, whatever the registry. Talos' system extension has the other name. */
export const harborPlugin: Plugin = pluginRow({
  executable: "credential-provider-harbor",
  executables: /^(?:credential-provider-harbor|harbor-credential-provider)(?![a-z0-9])/,
  entry: { cacheType: "Token", echoesToken: true, args: ["--username=jwt"] },
});

/** Asks the bridge for a token of a robot account. */
export const harborBridgePlugin: Plugin = pluginRow({
  executable: "harbor-bridge-plugin",
  newest: "0.3",
  entry: { cacheType: "ServiceAccount" },
});

/** A bridge in the cluster that holds robot accounts of Harbor. */
export interface HarborBridge {
  /** Its address on every node: `https://127.0.0.1:30443`, the NodePort of its service. */
  readonly endpoint: string;
  /** Path of the bridge's CA certificate on the nodes. */
  readonly caBundle: string;
}

/** Settings of {@link harbor}. */
export interface HarborProps extends RegistryProps {
  /**
   * The bridge, for a Harbor that takes no tokens itself.
   *
   * @defaultValue - Harbor Next with a federated identity provider
   */
  readonly bridge?: HarborBridge;
}

const HARBOR_PROPS: ObjectKind<HarborProps> = object({
  ...REGISTRY_PROPS.shape,
  bridge: optional(object<HarborBridge>({ endpoint: text, caBundle: text })),
});

/**
 * Returns repositories of Harbor, whose permissions are per project: each of them begins with the name of one.
 *
 * Writes what Harbor's administrator enters, the identity provider and the claim rules of robot accounts, or the
 * HarborAccess objects of the bridge, to `registries/<host>.json`.
 */
export function harbor(props: HarborProps): OidcRegistry {
  checkGiven("harbor()", HARBOR_PROPS, props);
  const { bridge, audience = props.host, ...others } = props;
  for (const repository of props.repositories ?? ["*"]) projectOf(repository);
  if (bridge === undefined)
    return new OidcRegistry({ ...others, audience, plugin: rowPlugin(harborPlugin) }, claimRules);
  const env = [
    { name: "HARBOR_BRIDGE_ENDPOINT", value: bridge.endpoint },
    { name: "HARBOR_BRIDGE_CA_BUNDLE", value: bridge.caBundle },
  ];
  return new OidcRegistry(
    { ...others, audience, plugin: { ...rowPlugin(harborBridgePlugin), env } },
    accesses,
  );
}

function claimRules(_: string, { issuer, audience, pulls }: TokenRegistry): object {
  return {
    federatedIdentityProvider: { issuer, audience },
    robotAccounts: pulls.map((pull) => ({
      claimRules: { iss: issuer, aud: audience, sub: subjectOf(pull.serviceAccount) },
      permissions: projectsOf(pull).map((project) => ({ project, action: "pull" })),
    })),
  };
}

function accesses(_: string, { issuer, audience, pulls }: TokenRegistry): object {
  return {
    apiVersion: "v1",
    kind: "List",
    items: pulls.map((pull) => {
      const { namespace, name } = namespacedName(pull.serviceAccount);
      return {
        apiVersion: "harbor.aetherize.io/v1alpha1",
        kind: "HarborAccess",
        metadata: { name: `${namespace}.${name}`, namespace: "harbor-bridge-system" },
        spec: {
          serviceAccountRef: { namespace, name },
          trustPolicy: { issuer, audience },
          permissions: projectsOf(pull).map((project) => ({ project, action: "pull" })),
        },
      };
    }),
  };
}

function projectsOf({ repositories }: TokenPull): readonly string[] {
  return [...new Set(repositories.map(projectOf))];
}

function projectOf(repository: string): string {
  const [project = "", ...rest] = repository.split("/");
  if (project !== "" && !project.includes("*") && rest.length > 0) return project;
  return fail("node-invalid", {
    problem: "repositories of Harbor are in projects, and robot accounts pull from whole projects",
    value: repository,
    allowed: "<project>/<repository>, or <project>/*",
    remedy: "state the project in `repositories`",
  });
}
