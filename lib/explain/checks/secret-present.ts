import { broken, pass, seen, unknown } from "../answer";
import type { AccessCheck } from "./access-check";

/** Is the Secret that the component reads among the manifests? */
export const secretPresent: AccessCheck = {
  id: "secret-present",
  asks: "Is the Secret that the component reads among the manifests?",
  why: "In manual mode nobody else writes it, and the component waits for it without end.",
  run: ({ secret, secretKey, request, declared }) => {
    const asked = request === undefined ? [] : [seen(`CredentialsRequest ${request.name}`, request.source)];
    if (secret) return pass(`the Secret ${secretKey} exists`, seen("Secret", secret.source), ...asked);
    const gates = Object.keys(request?.annotations ?? {}).filter((key) => OPTIONAL.includes(key));
    if (!declared && gates.length > 0)
      return unknown(
        `the Secret ${secretKey} is not among what was read; its request is for some clusters only, by ${gates.join(", ")}`,
        "name its manifest as well, or leave the request out where the cluster does not have the component",
        ...asked,
      );
    return broken(
      `the Secret ${secretKey} is in none of the manifests`,
      "write it, or name the manifest that has it",
      `secret "${secretKey.split("/")[1] ?? ""}" not found`,
      ...asked,
    );
  },
};

/** Annotations by which a release's request is not for every cluster. */
const OPTIONAL: readonly string[] = [
  "capability.openshift.io/name",
  "release.openshift.io/feature-gate",
  "release.openshift.io/feature-set",
];
