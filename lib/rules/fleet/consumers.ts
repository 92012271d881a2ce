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
import { listFormOf } from "./list-form";
import type { FleetPluginKey } from "./plugins";
import { checkGiven } from "../../model/shape";
import {
  ARGO_CD_PROPS,
  ArgoCdProps,
  CONSUMER_PROPS,
  CONTROLLER_PROPS,
  ConsumerProps,
  ControllerProps,
  MULTI_KUEUE_PROPS,
  MultiKueueProps,
} from "./consumers-props";

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
 * Argo CD reads cluster Secrets of its own namespace alone, and each stands beside its profile.
 *
 * Throws `fleet-consumer-too-old` before 3.5, `version-invalid`, and of bad workloads, also of
 * such in several namespaces.
 */
export function argoCd(props: ArgoCdProps): FleetConsumer {
  checkGiven("argoCd()", ARGO_CD_PROPS, props);
  atLeast("Argo CD", props.version, "3.5", "its cluster Secrets have no provideClusterInfo and no config");
  const workloads = props.workloads ?? [
    workload("StatefulSet", "argocd", "argocd-application-controller"),
    workload("Deployment", "argocd", "argocd-server"),
  ];
  const namespace = workloads[0]?.namespace ?? "argocd";
  const title = "Argo CD";
  const consumer = checked({
    ...PLAIN,
    title,
    workloads,
    reader: props.profileController ?? workload("Deployment", namespace, "argocd-clusterprofile-controller"),
    profileNamespace: namespace,
    plugins: ARGO_PLUGINS,
    onPath: ["argocd-k8s-auth"],
    isDistroless: false,
  });
  const elsewhere = workloads.find((each) => each.namespace !== namespace);
  return elsewhere
    ? fail("fleet-consumer-workload", title, `has workloads in ${namespace} and ${elsewhere.namespace}`)
    : consumer;
}

/**
 * MultiKueue. The list of providers is a part of Kueue's configuration; profiles stand in its namespace, and nothing
 * in a profile reaches the plugin but by the exec extension.
 *
 * Throws `fleet-consumer-too-old` before 0.15, `kueue-profile-namespace` for workloads outside kueue-system,
 * `version-invalid`, and of bad workloads.
 */
export function multiKueue(props: MultiKueueProps): FleetConsumer {
  checkGiven("multiKueue()", MULTI_KUEUE_PROPS, props);
  atLeast("Kueue", props.version, "0.15", "it does not know ClusterProfiles");
  const manager = workload("Deployment", KUEUE_NAMESPACE, "kueue-controller-manager", "manager");
  const workloads = props.workloads ?? [manager];
  const field = compareVersions(props.version, "0.19") >= 0 ? "accessProviders" : "credentialsProviders";
  const gateByFlag = props.featureGatesByFlag ?? false;
  const consumer = checked({
    ...PLAIN,
    title: "MultiKueue",
    workloads,
    reader: workloads[0] ?? manager,
    profileNamespace: KUEUE_NAMESPACE,
    form: { kind: "kueue", field, ...(gateByFlag && { gateByFlag }) },
    takesProfileEnv: false,
    readsProfiles: true,
  });
  const elsewhere = workloads.find(({ namespace }) => namespace !== KUEUE_NAMESPACE);
  return elsewhere ? fail("kueue-profile-namespace", elsewhere.namespace) : consumer;
}

/**
 * The Knative Operator. Throws `fleet-consumer-too-old` before 1.22, `version-invalid`, and of
 * bad workloads.
 */
export function knativeOperator(props: ConsumerProps): FleetConsumer {
  checkGiven("knativeOperator()", CONSUMER_PROPS, props);
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

/**
 * Any controller that uses the access library and reads its provider file; throws what bad workloads throw.
 */
export function controller(props: ControllerProps): FleetConsumer {
  checkGiven("controller()", CONTROLLER_PROPS, props);
  const { title, workloads, isDistroless = true, onPath = [], needsHealthy = false } = props;
  if (typeof literal(title, "title") !== "string" || title === "")
    return fail("fleet-consumer-workload", "a controller", "has no title");
  const [reader] = workloads;
  if (!reader) return fail("fleet-consumer-workload", title, "has no workload that runs the plugin");
  return checked({ ...PLAIN, title, workloads, reader, isDistroless, onPath, needsHealthy });
}

function atLeast(title: string, version: string, since: string, why: string): void {
  parseVersion(`version of ${title}`, version);
  if (compareVersions(version, since) < 0) fail("fleet-consumer-too-old", title, version, since, why);
}

function checked(consumer: FleetConsumer): FleetConsumer {
  const { title, reader } = consumer;
  const workloads = consumer.workloads;
  if (workloads.length === 0)
    return fail("fleet-consumer-workload", title, "has no workload that runs the plugin");
  for (const each of [...workloads, reader]) {
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
  if (twice !== undefined) return fail("fleet-consumer-workload", title, `names ${twice} twice`);
  return { ...consumer, form: listFormOf(consumer) };
}
