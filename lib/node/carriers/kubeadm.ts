import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { namespaceName, objectName } from "../../model/kubernetes-name";
import type { IManifestSink } from "../../model/manifest-sink";
import type { INodeCarrier } from "../../model/node-carrier";
import type { NodeSetup } from "../../model/node-file";
import { type ObjectKind, checkGiven, choice, object, optional, text } from "../../model/shape";
import { CLOUD_INIT } from "../../rules/node/cloud-init";
import {
  KUBEADM_VERSIONS,
  type KubeadmVersion,
  checkKubeadm,
  kubeadmDocuments,
  kubeadmTemplateSpec,
} from "../../rules/node/kubeadm";
import { kubeadmAuthentication } from "../../rules/node/authentication";
import { kubeadmControlPlaneIssuers, kubeadmIssuers } from "../../rules/node/issuers";
import { HOST_CARRIER_PROPS, type HostCarrierProps } from "./host";
import { writeIssuers } from "./issuers";

/** Which configuration kubeadm reads, and how files get to the nodes. */
export interface KubeadmProps extends HostCarrierProps {
  /**
   * Version of kubeadm's configuration: `v1beta3` up to Kubernetes 1.36, `v1beta4` from 1.31 on.
   *
   * @defaultValue "v1beta4"
   */
  readonly version?: KubeadmVersion;
}

const KUBEADM_PROPS: ObjectKind<KubeadmProps> = object({
  ...HOST_CARRIER_PROPS.shape,
  version: optional(choice(KUBEADM_VERSIONS)),
});

const KUBEADM_COMMENT: readonly string[] = [
  "Put nodeRegistration into the files that `kubeadm init --config` and `kubeadm join --config` are given. A node that has",
  "joined keeps its flags: change them in /var/lib/kubelet/kubeadm-flags.env and restart kubelet.service.",
];

/** kubeadm nodes: the files, and next to them `nodes/<name>-config.yaml` with the kubelet's extra arguments. */
export function kubeadm(props: KubeadmProps = {}): INodeCarrier<Construct> {
  checkGiven("kubeadm()", KUBEADM_PROPS, props);
  const { name = "kubeadm", by = CLOUD_INIT, version = "v1beta4" } = props;
  return {
    checkKubelet: (kubelet) => checkKubeadm(version, kubelet),
    carry: (sink, setup) => {
      sink.nodeDocument(name, by.document(setup.files, setup.executables ?? []));
      const content = kubeadmDocuments(setup, version);
      sink.nodeDocument(`${name}-config`, {
        form: "kubeadm",
        extension: "yaml",
        content,
        comment: KUBEADM_COMMENT,
      });
    },
    carryIssuers: (sink, issuers) =>
      writeIssuers(sink, name, kubeadmIssuers(issuers, version), ISSUERS_COMMENT),
    authentication: (file) => [
      by.document([file], []),
      {
        form: "kubeadm",
        extension: "yaml",
        content: [kubeadmAuthentication(file, version)],
        comment: ISSUERS_COMMENT,
      },
    ],
  };
}

const ISSUERS_COMMENT: readonly string[] = [
  "Put apiServer into the ClusterConfiguration that `kubeadm init --config` is given. In a cluster that runs, put it into the",
  "ConfigMap kube-system/kubeadm-config too, and write the manifest anew on each control plane node:",
  "`kubeadm init phase control-plane apiserver --config <file>`.",
];

/** Name and version of a {@link kubeadmConfigTemplate}. */
export interface KubeadmConfigTemplateProps {
  /** Name of the template. Templates are immutable, so changed contents need a new name. */
  readonly name: string;
  /** Namespace of the cluster's objects, on the management cluster. */
  readonly namespace: string;
  /**
   * Version of `bootstrap.cluster.x-k8s.io`; `v1beta2` from Cluster API 1.11 on.
   *
   * @defaultValue "v1beta1"
   */
  readonly version?: "v1beta1" | "v1beta2";
}

const TEMPLATE_PROPS: ObjectKind<KubeadmConfigTemplateProps> = object({
  name: text,
  namespace: text,
  version: optional(choice(["v1beta1", "v1beta2"])),
});

const TEMPLATE_COMMENT: readonly string[] = [
  "Belongs to the management cluster. Takes effect when a MachineDeployment or MachinePool names the template; it then rolls",
  "its machines out; KubeadmControlPlane has the same fields below spec.kubeadmConfigSpec.",
];

/** Cluster API machines: a KubeadmConfigTemplate with files and the kubelet's extra arguments. */
export function kubeadmConfigTemplate(props: KubeadmConfigTemplateProps): INodeCarrier<Construct> {
  checkGiven("kubeadmConfigTemplate()", TEMPLATE_PROPS, props);
  const { name, namespace, version = "v1beta1" } = props;
  const metadata = { name: objectName(name), namespace: namespaceName(namespace) };
  return {
    carry: (sink, setup) => writeTemplate(sink, setup, metadata, version),
    carryIssuers: (sink, issuers) =>
      writeIssuers(sink, name, kubeadmControlPlaneIssuers(issuers, version), CONTROL_PLANE_COMMENT),
  };
}

const CONTROL_PLANE_COMMENT: readonly string[] = [
  "Merge spec into the cluster's KubeadmControlPlane on the management cluster, which then replaces the control plane's machines.",
];

function writeTemplate(
  sink: IManifestSink<Construct>,
  setup: NodeSetup,
  metadata: { readonly name: string; readonly namespace: string },
  version: "v1beta1" | "v1beta2",
): void {
  const options = { order: 50, appliesTo: "management-cluster", comment: TEMPLATE_COMMENT } as const;
  const template = {
    apiVersion: `bootstrap.cluster.x-k8s.io/${version}`,
    kind: "KubeadmConfigTemplate",
    metadata,
    spec: kubeadmTemplateSpec(setup, { version }),
  };
  new ApiObject(sink.chart("kubeadm-config-template", options), metadata.name, template);
}
