/*
 * Any registry whose password is a secret of Vault: the plugin logs in with the token by Vault's Kubernetes
 * authentication, and reads the secret.
 *
 * Source: simonostendorf/kubelet-credential-provider-vault v0.0.3; resources of the Terraform provider hashicorp/vault.
 */

import { fail } from "../errors";
import { namespacedName } from "../model/namespaced-name";
import type { Plugin } from "../model/plugin";
import type { TokenRegistry } from "../model/pulls";
import { type ObjectKind, checkGiven, object, optional, text } from "../model/shape";
import {
  OidcRegistry,
  REGISTRY_PROPS,
  type RegistryProps,
  pluginRow,
  resourceName,
  rowPlugin,
} from "./oidc-registry";

export const vaultPlugin: Plugin = pluginRow({
  executable: "kubelet-credential-provider-vault",
  entry: { cacheType: "ServiceAccount" },
});

/** Settings of {@link vaultSecret}. */
export interface VaultSecretProps extends RegistryProps {
  /** Address of Vault, `https://vault.example.com`. */
  readonly address: string;
  /** The role of Vault's Kubernetes authentication; it is the same for all service accounts of a cluster. */
  readonly role: string;
  /**
   * Mount of Vault's Kubernetes authentication.
   *
   * @defaultValue "kubernetes"
   */
  readonly authMount?: string;
  /** Mount of the secrets engine. */
  readonly secretMount: string;
  /** Name of the secret, which has `username` and `password`. */
  readonly secretName: string;
}

const VAULT_SECRET_PROPS: ObjectKind<VaultSecretProps> = object({
  ...REGISTRY_PROPS.shape,
  address: text,
  role: text,
  authMount: optional(text),
  secretMount: text,
  secretName: text,
});

/** Returns repositories of a registry whose password Vault holds; writes the role as Terraform JSON. */
export function vaultSecret(props: VaultSecretProps): OidcRegistry {
  checkGiven("vaultSecret()", VAULT_SECRET_PROPS, props);
  const {
    address,
    role,
    authMount = "kubernetes",
    secretMount,
    secretName,
    audience = address,
    ...others
  } = props;
  const args = [
    `--vault-addr=${address}`,
    `--vault-auth-mount=${authMount}`,
    `--vault-auth-role=${role}`,
    `--vault-secret-mount=${secretMount}`,
    `--vault-secret-name=${secretName}`,
  ];
  const plugin = { ...rowPlugin(vaultPlugin), args };
  const document = (_: string, registry: TokenRegistry): object => ({
    terraform: { required_providers: { vault: { source: "hashicorp/vault" } } },
    resource: {
      vault_kubernetes_auth_backend_role: {
        [resourceName(role)]: { backend: authMount, role_name: role, audience, ...boundAccounts(registry) },
      },
    },
  });
  return new OidcRegistry({ ...others, audience, plugin, identity: `role ${role} of Vault` }, document);
}

/** A role admits each of its names in each of its namespaces. */
function boundAccounts({ pulls }: TokenRegistry): object {
  const accounts = [...new Set(pulls.map(({ serviceAccount }) => serviceAccount))];
  const names = [...new Set(accounts.map((each) => namespacedName(each).name))];
  const namespaces = [...new Set(accounts.map((each) => namespacedName(each).namespace))];
  if (names.length * namespaces.length > accounts.length)
    fail("node-unsafe", {
      problem:
        "one role of Vault would admit more service accounts than pull: it admits each name in each namespace",
      value: accounts,
      allowed: "service accounts of one namespace, or of one name",
      remedy: "use another role, with the plugin under a second name (`executable`), for the others",
    });
  return { bound_service_account_names: names, bound_service_account_namespaces: namespaces };
}
