/*
 * The AuthenticationConfiguration of API servers in the forms of their distributions: the file, and the argument that names it.
 *
 * Sources: kubernetes:pkg/kubeapiserver/options/authentication.go (`--authentication-config`); kubernetes:cmd/kubeadm/app/apis/
 * kubeadm/v1beta3 and v1beta4 (HostPathMount: the static pod sees only what is mounted); k3s-io/k3s,
 * pkg/configfilearg/parser.go; rancher/rke2, pkg/podtemplate/podtemplate.go (ReadFiles mounts the files that arguments name);
 * siderolabs/talos, pkg/machinery/config/types/v1alpha1/v1alpha1_types.go (extraArgs, extraVolumes) and
 * v1alpha1_k8s_bridge.go (UseAuthenticationConfig is false with `cluster.apiServer`, so that the argument may be set);
 * pkg/machinery/constants/constants.go (KubernetesAPIServerRunUser is not root).
 */

import { fail } from "../../errors";
import type { NodeFile } from "../../model/node-file";
import { compareVersions } from "../../model/version";
import { AUTHENTICATION_FLAG } from "./issuers";
import type { KubeadmVersion } from "./kubeadm";
import { machineFile } from "./talos";

/** The part of kubeadm's ClusterConfiguration. */
export function kubeadmAuthentication({ path }: NodeFile, version: KubeadmVersion): object {
  return {
    apiVersion: `kubeadm.k8s.io/${version}`,
    kind: "ClusterConfiguration",
    apiServer: {
      extraArgs:
        version === "v1beta4"
          ? [{ name: AUTHENTICATION_FLAG, value: path }]
          : { [AUTHENTICATION_FLAG]: path },
      extraVolumes: [
        { name: AUTHENTICATION_FLAG, hostPath: path, mountPath: path, readOnly: true, pathType: "File" },
      ],
    },
  };
}

/** A file of K3s' or RKE2's configuration for its servers. */
export function rancherAuthentication(name: string, { path }: NodeFile): NodeFile {
  return {
    path: `/etc/rancher/${name}/config.yaml.d/60-authentication.yaml`,
    mode: 0o600,
    content: `kube-apiserver-arg+:\n  - ${AUTHENTICATION_FLAG}=${path}\n`,
  };
}

const TALOS_DOCUMENT_SINCE = "1.14";

/** A patch of Talos' machine configuration for control plane nodes; the file is below `/var`, readable for everyone. */
export function talosAuthentication(file: NodeFile, version: string): object {
  if (compareVersions(version, TALOS_DOCUMENT_SINCE) >= 0)
    return fail("node-unsupported", {
      problem: `Talos ${version} takes the AuthenticationConfiguration as a document if the machine configuration has one for the API server, and ignores this document otherwise`,
      value: version,
      allowed: "versions before 1.14",
      remedy:
        "leave `carrier` out, and put the configuration into KubeAuthenticationConfig, or into cluster.apiServer if the machine configuration has that",
    });
  const path = file.path.startsWith("/var/") ? file.path : `/var${file.path}`;
  const folder = path.replace(/\/[^/]*$/, "");
  return {
    machine: { files: [machineFile({ ...file, path, mode: 0o644 })] },
    cluster: {
      apiServer: {
        extraArgs: { [AUTHENTICATION_FLAG]: path },
        extraVolumes: [{ hostPath: folder, mountPath: folder, readonly: true }],
      },
    },
  };
}
