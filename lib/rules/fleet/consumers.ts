/*
 * Controllers of a hub that read ClusterProfiles, as values: each function checks what its consumer cannot do.
 * Sources: kubernetes-sigs/kueue:apis/config/v1beta2/configuration_types.go and Dockerfile; argoproj-labs/
 * clusterprofile-integration-for-argocd and argoproj/argo-cd PR 27976; Knative Operator 1.22 release notes.
 */

import { fail } from "../../errors";
import type { ControllerWorkload } from "../../model/fleet";
import { isDnsLabel, isDnsSubdomain, namespaceName, serviceAccountName } from "../../model/kubernetes-name";
import { literal } from "../../model/late";
import { compareVersions, parseVersion } from "../../model/version";
import type { FleetConsumer, ProviderListForm } from "./consumer";
import type { FleetPluginKey } from "./plugins";

/** What all consumers can be told. */
export interface ConsumerProps {
  /** Version of the consumer, `0.19` or `3.5.1`. */
  readonly version: string;
  /**
   * The workloads that run the plugin.
   *
   * @defaultValue - those of the consumer's own manifests, in its usual namespace
   */
  readonly workloads?: readonly ControllerWorkload[];
}

/** What {@link argoCd} is told. */
export interface ArgoCdProps extends ConsumerProps {
  /**
   * Workload of the controller that turns profiles into cluster Secrets and reads the provider file.
   *
   * @defaultValue - Deployment, container and service account `argocd-clusterprofile-controller` in `argocd`
   */
  readonly profileController?: ControllerWorkload;
}

/** What {@link controller} is told. */
export interface ControllerProps {
  /** Name for people, for example `fleet-controller`. */
  readonly title: string;
  /** The workloads that run the plugin; the first one reads profiles and the file. */
  readonly workloads: readonly ControllerWorkload[];
  /**
   * False where the image has a shell and the usual libraries.
   *
   * @defaultValue true
   */
  readonly isDistroless?: boolean;
  /**
   * Programs on the image's PATH that can stand as command without a mount.
   *
   * @defaultValue - none
   */
  readonly onPath?: readonly string[];
  /**
   * True where it waits for the condition ControlPlaneHealthy, as multicluster-runtime does.
   *
   * @defaultValue false
   */
  readonly needsHealthy?: boolean;
}

const FILE: ProviderListForm = {
  kind: "file",
  configMap: "clusterprofile-provider-file",
  key: "clusterprofile-provider-file.json",
};

const STATIC_PLUGINS: Readonly<Record<string, FleetPluginKey>> = {
  aws: "aws-iam-authenticator",
  azure: "kubelogin",
  google: "gcp-auth-plugin",
  kubernetes: "projected-token",
};

const ARGO_PLUGINS: Readonly<Record<string, FleetPluginKey>> = {
  aws: "argocd-k8s-auth",
  azure: "argocd-k8s-auth",
  google: "argocd-k8s-auth",
  kubernetes: "projected-token",
};

const PLAIN = {
  profileNamespace: undefined,
  form: FILE,
  plugins: STATIC_PLUGINS,
  onPath: [],
  isDistroless: true,
  takesProfileEnv: true,
  needsHealthy: false,
  imageVolumeOnly: false,
  readsProfiles: false,
} as const;

const KUEUE_NAMESPACE = "kueue-system";

function workload(
  kind: ControllerWorkload["kind"],
  namespace: string,
  name: string,
  container = name,
): ControllerWorkload {
  return { kind, namespace, name, container, serviceAccount: name };
}

/**
 * Argo CD with the cluster profile integration. Its controller writes the provider's exec configuration into cluster
 * Secrets; the application controller and the server run the plugin, with the binary that is in Argo CD's image.
 *
 * Throws `fleet-consumer-too-old` before 3.5, `version-invalid`, and of bad workloads.
 */
export function argoCd(props: ArgoCdProps): FleetConsumer {
  atLeast("Argo CD", props.version, "3.5", "its cluster Secrets have no provideClusterInfo and no config");
  const workloads = props.workloads ?? [
    workload("StatefulSet", "argocd", "argocd-application-controller"),
    workload("Deployment", "argocd", "argocd-server"),
  ];
  const reader =
    props.profileController ?? workload("Deployment", "argocd", "argocd-clusterprofile-controller");
  return checked({
    ...PLAIN,
    title: "Argo CD",
    workloads,
    reader,
    plugins: ARGO_PLUGINS,
    onPath: ["argocd-k8s-auth"],
    isDistroless: false,
  });
}

/**
 * MultiKueue. The list of providers is a part of Kueue's configuration; profiles stand in its namespace, and nothing
 * in a profile reaches the plugin but by the exec extension.
 *
 * Throws `fleet-consumer-too-old` before 0.15, `version-invalid`, and of bad workloads.
 */
export function multiKueue(props: ConsumerProps): FleetConsumer {
  atLeast("Kueue", props.version, "0.15", "it does not know ClusterProfiles");
  const manager = workload("Deployment", KUEUE_NAMESPACE, "kueue-controller-manager", "manager");
  const workloads = props.workloads ?? [manager];
  const field = compareVersions(props.version, "0.19") >= 0 ? "accessProviders" : "credentialsProviders";
  return checked({
    ...PLAIN,
    title: "MultiKueue",
    workloads,
    reader: workloads[0] ?? manager,
    profileNamespace: workloads[0]?.namespace ?? KUEUE_NAMESPACE,
    form: { kind: "kueue", field },
    takesProfileEnv: false,
    readsProfiles: true,
  });
}

/**
 * The Knative Operator. Throws `fleet-consumer-too-old` before 1.22, `version-invalid`, and of bad workloads.
 */
export function knativeOperator(props: ConsumerProps): FleetConsumer {
  atLeast("Knative Operator", props.version, "1.22", "it has no clusterProfileRef");
  const operator = workload("Deployment", "knative-operator", "knative-operator");
  const workloads = props.workloads ?? [operator];
  return checked({
    ...PLAIN,
    title: "Knative Operator",
    workloads,
    reader: workloads[0] ?? operator,
    needsHealthy: true,
    imageVolumeOnly: true,
  });
}

/** Any controller that uses the access library and reads its provider file; throws of bad workloads. */
export function controller(props: ControllerProps): FleetConsumer {
  const { title, workloads, isDistroless = true, onPath = [], needsHealthy = false } = props;
  const [reader] = workloads;
  if (!reader) return fail("fleet-consumer-workload", title, "has no workload that runs the plugin");
  return checked({ ...PLAIN, title, workloads, reader, isDistroless, onPath, needsHealthy });
}

function atLeast(title: string, version: string, since: string, why: string): void {
  parseVersion(`version of ${title}`, version);
  if (compareVersions(version, since) < 0) fail("fleet-consumer-too-old", title, version, since, why);
}

function checked(consumer: FleetConsumer): FleetConsumer {
  const { title, workloads } = consumer;
  if (workloads.length === 0)
    return fail("fleet-consumer-workload", title, "has no workload that runs the plugin");
  for (const each of [...workloads, consumer.reader]) {
    namespaceName(each.namespace);
    serviceAccountName(each.serviceAccount);
    literal(each, `workload of ${title}`);
    if (!isDnsSubdomain(each.name) || !isDnsLabel(each.container))
      return fail(
        "fleet-consumer-workload",
        title,
        `has a workload or container with a bad name: ${each.name}`,
      );
  }
  const keys = workloads.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  return twice === undefined ? consumer : fail("fleet-consumer-workload", title, `names ${twice} twice`);
}
