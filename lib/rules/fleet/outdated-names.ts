/*
 * Names of the drafts of KEP-5339 and of older builds, which today's programs ignore in silence.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { ADDITIONAL_ENVS_EXTENSION, PROVIDER_FILE_FLAG } from "./names";

/** Older names, and what replaced them. */
const OUTDATED: Readonly<Record<string, string>> = {
  credentialProviders: "accessProviders",
  "multicluster.x-k8s.io/clusterprofiles/auth/exec/additional-args": "one provider per spoke",
  "multicluster.x-k8s.io/clusterprofiles/auth/exec/additional-envs": ADDITIONAL_ENVS_EXTENSION,
  "--clusterprofile-creds-provider": PROVIDER_FILE_FLAG,
  "--cluster-profile-providers-file": PROVIDER_FILE_FLAG,
  "clusterprofile-creds-provider": "clusterprofile-provider-file",
  ClusterProfileSourcedCLIArgsPolicy: "profileSourcedCLIArgsPolicy",
  ClusterProfileSourcedEnvVarsPolicy: "profileSourcedEnvVarsPolicy",
  clusterProfileSourcedCLIArgsPolicy: "profileSourcedCLIArgsPolicy",
  clusterProfileSourcedEnvVarsPolicy: "profileSourcedEnvVarsPolicy",
  certificateAuthorityData: "certificate-authority-data",
  tlsServerName: "tls-server-name",
  insecureSkipTlsVerify: "insecure-skip-tls-verify",
  proxyUrl: "proxy-url",
  disableCompression: "disable-compression",
};

/** Name of a field or key that replaced an older one, `undefined` where the name is not an older one. */
export function currentNameOf(name: string): string | undefined {
  return Object.hasOwn(OUTDATED, name) ? OUTDATED[name] : undefined;
}

/** `fleet-name-outdated` for each older name; never throws. */
export function outdatedNames(names: readonly string[]): readonly WorkloadIdentityError[] {
  return names.flatMap((name) => {
    const now = currentNameOf(name);
    return now === undefined ? [] : [refusal("fleet-name-outdated", name, now)];
  });
}
