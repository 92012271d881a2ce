/*
 * Controllers of a hub that read ClusterProfiles, as values: each function refuses what its consumer does not support.
 * Sources: kubernetes-sigs/kueue:apis/config/v1beta2/configuration_types.go and Dockerfile; argoproj-labs/
 * clusterprofile-integration-for-argocd and argoproj/argo-cd PR 27976; Knative Operator 1.22 release notes.
 */

import { fail } from "../../errors";
import { type CloudName, cloudNames } from "../../model/clouds";
import { CONTROLLER_WORKLOAD, type ControllerWorkload } from "../../model/fleet";
import { isDnsLabel, isDnsSubdomain, namespaceName, serviceAccountName } from "../../model/kubernetes-name";
import { literal } from "../../model/late";
import {
  type ObjectKind,
  type Shape,
  boolean,
  checkGiven,
  example,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import { derivedName } from "../names";
import {
  type FleetConsumer,
  type NeededVersion,
  ARGO_CD,
  ARGO_CD_SECRETS,
  MULTI_KUEUE,
  atLeast,
  kueueField,
  profileNamespaceIssues,
} from "./consumer";
import type { FleetPluginKey } from "./plugins";

/** Properties of every consumer. */
export interface ConsumerProps {
  /** Version of the consumer, `0.19` or `3.5.1`. */
  readonly version: string;
  /**
   * The workloads that run the plugin. Names of workloads and containers must match the installation: Argo CD's
   * Helm chart calls its containers `application-controller` and `server`.
   *
   * @defaultValue - those of the consumer's own manifests (not of its Helm chart), in its usual namespace
   */
  readonly workloads?: readonly ControllerWorkload[];
}

const consumerShape = (version: string): Shape<ConsumerProps> => ({
  version: example(text, JSON.stringify(version)),
  workloads: optional(list(CONTROLLER_WORKLOAD)),
});
const KNATIVE_PROPS: ObjectKind<ConsumerProps> = object(consumerShape("1.22"));

/** Properties of `multiKueue()`. */
export interface MultiKueueProps extends ConsumerProps {
  /**
   * True if the manager has `--feature-gates` on its command line, as the Helm chart writes it for
   * `controllerManager.featureGates`. The flag must then contain `MultiKueueClusterProfile=true`; the configuration
   * gets no gates, because Kueue does not start with both.
   *
   * @defaultValue false
   */
  readonly featureGatesByFlag?: boolean;
}

const MULTI_KUEUE_PROPS: ObjectKind<MultiKueueProps> = object({
  ...consumerShape("0.19"),
  featureGatesByFlag: optional(boolean),
});

/** Properties of `argoCd()`. */
export interface ArgoCdProps extends ConsumerProps {
  /**
   * Workload of the controller that turns profiles into cluster Secrets and reads the provider file.
   *
   * @defaultValue - Deployment, container and service account `argocd-clusterprofile-controller` in the namespace of the workloads
   */
  readonly profileController?: ControllerWorkload;
  /**
   * True for an Argo CD without the cluster profile integration, from 3.0 on: each spoke is a cluster Secret without
   * credentials in Argo CD's namespace, instead of a ClusterProfile, and there is no list of access providers.
   *
   * @defaultValue false
   */
  readonly clusterSecrets?: boolean;
}

const ARGO_CD_PROPS: ObjectKind<ArgoCdProps> = object({
  ...consumerShape("3.5"),
  profileController: optional(CONTROLLER_WORKLOAD),
  clusterSecrets: optional(boolean),
});

/** Properties of `controller()`. */
export interface ControllerProps {
  /** Display name, for example `fleet-controller`. */
  readonly title: string;
  /** The workloads that run the plugin; the first one reads profiles and the file. */
  readonly workloads: readonly ControllerWorkload[];
  /**
   * False if the image has a shell and the usual libraries.
   *
   * @defaultValue true
   */
  readonly isDistroless?: boolean;
  /**
   * Programs on the image's PATH that can be used as command without a mount.
   *
   * @defaultValue - none
   */
  readonly onPath?: readonly string[];
  /**
   * True if it waits for the condition ControlPlaneHealthy, as multicluster-runtime does.
   *
   * @defaultValue false
   */
  readonly needsHealthy?: boolean;
}

const CONTROLLER_PROPS: ObjectKind<ControllerProps> = object({
  title: text,
  workloads: list(CONTROLLER_WORKLOAD),
  isDistroless: optional(boolean),
  onPath: optional(list(text)),
  needsHealthy: optional(boolean),
});

const STATIC_PLUGINS: Readonly<Record<CloudName | "kubernetes", FleetPluginKey>> = {
  aws: "aws-iam-authenticator",
  azure: "kubelogin",
  google: "gcp-auth-plugin",
  kubernetes: "projected-token",
};

const PLAIN = {
  profileNamespace: undefined,
  form: {
    kind: "file",
    configMap: "clusterprofile-provider-file",
    key: "clusterprofile-provider-file.json",
  },
  kind: "other",
  plugins: STATIC_PLUGINS,
  onPath: [],
  isDistroless: true,
  takesProfileEnv: true,
  needsHealthy: false,
  imageVolumeOnly: false,
  readsProfiles: false,
} as const;

const KNATIVE: NeededVersion = {
  title: "Knative Operator",
  since: "1.22",
  why: "it has no clusterProfileRef",
};

function workload(
  kind: ControllerWorkload["kind"],
  namespace: string,
  name: string,
  container = name,
): ControllerWorkload {
  return { kind, namespace, name, container, serviceAccount: name };
}

/**
 * Argo CD with the cluster profile integration, or with cluster Secrets. The integration's controller writes the
 * provider's exec configuration into cluster Secrets; the application controller and the server run the plugin, with
 * the binary in Argo CD's image.
 *
 * Argo CD reads cluster Secrets only in its own namespace, and each Secret is created in the namespace of its profile.
 * Throws before 3.5, with `clusterSecrets` before 3.0.
 */
export function argoCd(props: ArgoCdProps): FleetConsumer {
  checkGiven("argoCd()", ARGO_CD_PROPS, props);
  const { clusterSecrets = false, profileController } = props;
  atLeast(clusterSecrets ? ARGO_CD_SECRETS : ARGO_CD, props.version);
  const controller = workload("StatefulSet", "argocd", "argocd-application-controller");
  const workloads = props.workloads ?? [controller, workload("Deployment", "argocd", "argocd-server")];
  if (clusterSecrets && profileController)
    return fail("fleet-unused", {
      problem:
        "`profileController` has no effect with `clusterSecrets`: Argo CD reads the cluster Secrets itself",
      value: `${profileController.namespace}/${profileController.name}`,
      allowed: "profileController without clusterSecrets",
      remedy: "remove one of the two",
    });
  const namespace = workloads[0]?.namespace ?? "argocd";
  const plugin = "argocd-k8s-auth";
  const consumer = checked({
    ...PLAIN,
    kind: "argocd",
    title: ARGO_CD.title,
    workloads,
    reader: clusterSecrets
      ? (workloads[0] ?? controller)
      : (profileController ?? workload("Deployment", namespace, "argocd-clusterprofile-controller")),
    ...(clusterSecrets && { form: { kind: "secrets" }, readsProfiles: true }),
    profileNamespace: namespace,
    plugins: { ...STATIC_PLUGINS, ...Object.fromEntries(cloudNames.map((cloud) => [cloud, plugin])) },
    onPath: [plugin],
    isDistroless: false,
  });
  const elsewhere = workloads.find((each) => each.namespace !== namespace);
  return elsewhere
    ? badWorkload(ARGO_CD.title, `has workloads in ${namespace} and ${elsewhere.namespace}`)
    : consumer;
}

/**
 * MultiKueue. The list of providers is part of Kueue's configuration; profiles must be in Kueue's namespace, and only
 * the exec extension of a profile reaches the plugin. Throws before 0.15.
 */
export function multiKueue(props: MultiKueueProps): FleetConsumer {
  checkGiven("multiKueue()", MULTI_KUEUE_PROPS, props);
  atLeast({ ...MULTI_KUEUE, title: "Kueue" }, props.version);
  const manager = workload("Deployment", "kueue-system", "kueue-controller-manager", "manager");
  const workloads = props.workloads ?? [manager];
  const consumer = checked({
    ...PLAIN,
    kind: "kueue",
    title: MULTI_KUEUE.title,
    workloads,
    reader: workloads[0] ?? manager,
    profileNamespace: MULTI_KUEUE.profileNamespace,
    form: {
      kind: "kueue",
      field: kueueField(props.version),
      ...(props.featureGatesByFlag === true && { gateByFlag: true }),
    },
    takesProfileEnv: false,
    readsProfiles: true,
  });
  const [issue] = workloads.flatMap(({ namespace }) => profileNamespaceIssues(consumer, namespace));
  if (issue) throw issue;
  return consumer;
}

/** The Knative Operator. Throws before 1.22. */
export function knativeOperator(props: ConsumerProps): FleetConsumer {
  checkGiven("knativeOperator()", KNATIVE_PROPS, props);
  atLeast(KNATIVE, props.version);
  const operator = workload("Deployment", "knative-operator", "knative-operator");
  const workloads = props.workloads ?? [operator];
  return checked({
    ...PLAIN,
    kind: "knative",
    title: KNATIVE.title,
    workloads,
    reader: workloads[0] ?? operator,
    needsHealthy: true,
    imageVolumeOnly: true,
  });
}

/** Any controller that uses the access library and reads its provider file. */
export function controller(props: ControllerProps): FleetConsumer {
  checkGiven("controller()", CONTROLLER_PROPS, props);
  const { title, workloads, isDistroless = true, onPath = [], needsHealthy = false } = props;
  if (typeof literal(title, "title") !== "string" || title === "")
    return badWorkload("a controller", "has no title");
  const [reader] = workloads;
  if (!reader) return badWorkload(title, "has no workload that runs the plugin");
  return checked({ ...PLAIN, title, workloads, reader, isDistroless, onPath, needsHealthy });
}

function badWorkload(consumer: string, reason: string): never {
  return fail("fleet-invalid", {
    problem: `${consumer} ${reason}`,
    allowed: "kind, namespace, name, container and serviceAccount of every workload that opens connections",
    remedy: "state the workloads as shown by `kubectl get deployments,statefulsets -o wide`",
  });
}

function checked(consumer: FleetConsumer): FleetConsumer {
  const { title, reader, workloads, form } = consumer;
  if (workloads.length === 0) return badWorkload(title, "has no workload that runs the plugin");
  for (const each of [...workloads, reader]) {
    namespaceName(each.namespace);
    serviceAccountName(each.serviceAccount);
    literal(each, `workload of ${title}`);
    if (!isDnsSubdomain(each.name) || !isDnsLabel(each.container))
      return badWorkload(title, `has a workload or container with a bad name: ${each.name}`);
  }
  const keys = workloads.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  if (twice !== undefined) return badWorkload(title, `names ${twice} twice`);
  if (form.kind !== "file") return consumer;
  // Two controllers of a namespace need separate ConfigMaps: in a shared one, both would read the list applied last.
  const parts = [form.configMap, reader.name];
  const plain = parts.join("-");
  const name = { max: 253, allowed: /[a-z0-9.-]/, separator: "-" } as const;
  const configMap = isDnsSubdomain(plain) ? plain : derivedName(parts, name);
  return { ...consumer, form: { ...form, configMap } };
}
