import { fail } from "../../errors";
import type { ComponentNaming } from "./component-names";
import { type ClusterTrust, type FederatedCredential, federatedCredentials } from "./federated-credential";

const CREDENTIAL_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{2,119}$/;

/**
 * The credentials of a component's service accounts. `ccoctl` names each as its service account, without the cluster's
 * name, which two clusters could not do on one identity.
 *
 * Throws `azure-service-accounts-empty`, `azure-ccoctl-name`, and what `federatedCredentials` throws.
 */
export function componentCredentials(
  trust: ClusterTrust,
  naming: ComponentNaming,
): readonly FederatedCredential[] {
  if (trust.subjects.length === 0) fail("azure-service-accounts-empty");
  const credentials = federatedCredentials(trust);
  if (naming === "unique") return credentials;
  return credentials.map((credential) => {
    const name = credential.subject.slice(credential.subject.lastIndexOf(":") + 1);
    return CREDENTIAL_NAME.test(name)
      ? { ...credential, name }
      : fail("azure-ccoctl-name", "a federated identity credential", name);
  });
}
