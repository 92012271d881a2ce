/*
 * The fields of the Kubernetes objects that are read. With any other field an object is not understood: kubectl and
 * server-side apply refuse what the API server does not know, other clients let it be dropped, and a field of a newer
 * Kubernetes may mean anything.
 *
 * Sources: kubernetes/api 0.37, core/v1, apps/v1, batch/v1 and rbac/v1; openshift/api, apps/v1, config/v1, operator/v1 and
 * v1alpha1, machineconfiguration/v1; openshift/cloud-credential-operator, pkg/apis/cloudcredential/v1;
 * openshift/hypershift, api/hypershift/v1beta1. MachineConfigs with the documents in them, and fleets, have tables and
 * schemas elsewhere.
 */

import { type Coverage, type Rows, words } from "./coverage";
import { KUBELET_CONFIGURATION } from "./node-documents";

/** An object with `deletionTimestamp` is on its way out of the cluster. */
const METADATA: Coverage = {
  read: "name namespace annotations labels generateName",
  harmless: `creationTimestamp deletionGracePeriodSeconds finalizers generation managedFields ownerReferences
    resourceVersion selfLink uid`,
};

/** Whether a program may read a file, by its mode and owner, is not judged. */
const ITEMS: Coverage = { read: "key path", harmless: "mode user" };
const CONFIG_MAP: Coverage = {
  read: "name optional",
  harmless: "defaultMode defaultUser",
  blocks: { items: ITEMS },
};

const VOLUME: Coverage = {
  read: "name ephemeral",
  harmless: `awsElasticBlockStore azureDisk azureFile cephfs cinder downwardAPI emptyDir fc flexVolume flocker
    gcePersistentDisk gitRepo glusterfs hostPath iscsi nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO secret
    storageos vsphereVolume`,
  blocks: {
    configMap: CONFIG_MAP,
    csi: { read: "driver", harmless: "readOnly fsType volumeAttributes nodePublishSecretRef" },
    image: { read: "reference pullPolicy" },
    persistentVolumeClaim: { read: "claimName", harmless: "readOnly" },
    projected: {
      harmless: "defaultMode defaultUser",
      blocks: {
        sources: {
          harmless: "clusterTrustBundle downwardAPI podCertificate secret",
          blocks: {
            configMap: CONFIG_MAP,
            serviceAccountToken: { read: "audience expirationSeconds path", harmless: "user" },
          },
        },
      },
    },
  },
};

const CONTAINER: Coverage = {
  read: "name image imagePullPolicy command args env envFrom",
  harmless: `lifecycle livenessProbe ports readinessProbe resizePolicy resources restartPolicy restartPolicyRules
    securityContext startupProbe stdin stdinOnce targetContainerName terminationMessagePath terminationMessagePolicy tty
    volumeDevices workingDir`,
  blocks: {
    volumeMounts: {
      read: "name mountPath subPath subPathExpr",
      harmless: "bindMountOptions mountPropagation readOnly recursiveReadOnly",
    },
  },
};

const POD_SPEC: Coverage = {
  read: "serviceAccountName serviceAccount imagePullSecrets nodeSelector affinity os hostNetwork",
  // The API server's own token is none that a cloud takes, and the kubelet pulls for every runtime and scheduler.
  harmless: `activeDeadlineSeconds automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks evictionResponders
    hostAliases hostIPC hostPID hostUsers hostname hostnameOverride nodeName overhead preemptionPolicy priority
    priorityClassName readinessGates resourceClaims resources restartPolicy runtimeClassName schedulerName schedulingGates
    schedulingGroup securityContext setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds
    tolerations topologySpreadConstraints`,
  blocks: {
    containers: CONTAINER,
    initContainers: CONTAINER,
    ephemeralContainers: CONTAINER,
    volumes: VOLUME,
  },
};

const objectWith = (row: Coverage, metadata: Coverage = METADATA): Coverage => ({
  ...row,
  read: `apiVersion kind ${row.read ?? ""}`,
  harmless: `status ${row.harmless ?? ""}`,
  blocks: { metadata, ...row.blocks },
});

/** The most common form of objects. */
const withSpec = (spec: Coverage, metadata?: Coverage): Coverage =>
  objectWith({ blocks: { spec } }, metadata);

/** Dates in a template are dropped. */
const LEAVING: Coverage = { ...METADATA, harmless: `${METADATA.harmless ?? ""} deletionTimestamp` };
const TEMPLATE: Coverage = { blocks: { metadata: LEAVING, spec: POD_SPEC } };

const creating = (harmless: string, others: Coverage = {}): Coverage =>
  withSpec({ ...others, harmless, blocks: { template: TEMPLATE } });

const JOB: Coverage = {
  harmless: `activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions manualSelector
    maxFailedIndexes parallelism podFailurePolicy podReplacementPolicy scheduling selector successPolicy suspend
    ttlSecondsAfterFinished`,
  // Another controller may let its pods run in another cluster.
  only: { managedBy: ["kubernetes.io/job-controller"] },
  blocks: { template: TEMPLATE },
};

const RULES: Coverage = { read: "verbs apiGroups resources resourceNames nonResourceURLs" };
const ROLE: Coverage = objectWith({ blocks: { rules: RULES } });
const BINDING: Coverage = objectWith({
  blocks: {
    roleRef: { read: "apiGroup kind name" },
    subjects: { read: "kind apiGroup name namespace" },
  },
});

export const KINDS: Rows = {
  Authentication: withSpec({
    read: "serviceAccountIssuer",
    harmless: "oauthMetadata oidcProviders type webhookTokenAuthenticator webhookTokenAuthenticators",
  }),
  ClusterRole: { ...ROLE, blocks: { ...ROLE.blocks, aggregationRule: { read: "clusterRoleSelectors" } } },
  ClusterRoleBinding: BINDING,
  ConfigMap: objectWith({ read: "data", harmless: "binaryData immutable" }),
  CredentialsRequest: withSpec({ read: "cloudTokenPath providerSpec secretRef serviceAccountNames" }),
  CronJob: withSpec({
    harmless: `concurrencyPolicy failedJobsHistoryLimit schedule startingDeadlineSeconds successfulJobsHistoryLimit
          suspend timeZone`,
    blocks: { jobTemplate: { blocks: { metadata: LEAVING, spec: JOB } } },
  }),
  DaemonSet: creating("minReadySeconds revisionHistoryLimit selector updateStrategy"),
  Deployment: creating(
    "minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector strategy",
  ),
  DeploymentConfig: creating(
    "minReadySeconds paused replicas revisionHistoryLimit selector strategy test",
    // Other triggers put other images into the template.
    { only: { triggers: [[], [{ type: "ConfigChange" }]] } },
  ),
  Job: withSpec(JOB),
  // What `unsupportedConfigOverrides` sets takes precedence over everything.
  KubeAPIServer: withSpec({
    harmless: `eventTTLMinutes failedRevisionLimit forceRedeploymentReason logLevel managementState observedConfig
          operatorLogLevel succeededRevisionLimit`,
  }),
  Pod: withSpec(POD_SPEC, LEAVING),
  ReplicaSet: creating("minReadySeconds replicas selector"),
  ReplicationController: creating("minReadySeconds replicas selector"),
  Role: ROLE,
  RoleBinding: BINDING,
  Secret: objectWith({ read: "data stringData type", harmless: "immutable" }),
  ServiceAccount: objectWith({
    read: "imagePullSecrets",
    harmless: "automountServiceAccountToken secrets",
  }),
  StatefulSet: creating(
    `minReadySeconds ordinals persistentVolumeClaimRetentionPolicy podManagementPolicy replicas revisionHistoryLimit
      selector serviceName updateStrategy`,
    { read: "volumeClaimTemplates" },
  ),
};

/** Annotations with which a controller of OpenShift puts other images into containers. */
export const IMAGE_CHANGERS: readonly string[] = [
  "alpha.image.policy.openshift.io/resolve-names",
  "image.openshift.io/triggers",
];

/**
 * Kinds that are not read and bring other programs to nodes or other authorizers to API servers. Sources: openshift/api,
 * machineconfiguration/v1 (its `containerFile` makes the nodes' image); kubernetes, apiserver.config.k8s.io.
 */
export const NODE_CHANGERS: readonly string[] = ["AuthorizationConfiguration", "MachineOSConfig"];

/** Kinds that are not read and only use the service accounts that they name, or record something about them. */
export const USERS: ReadonlySet<string> = new Set(
  words(`Alertmanager AnalysisTemplate AppProject Application ApplicationSet ClusterIssuer ClusterSecretStore
    ClusterServiceVersion ClusterWorkflowTemplate ControllerRevision CronWorkflow Event ExternalSecret InferenceService
    Issuer JobSet Kustomization MPIJob OpenTelemetryCollector Pipeline PipelineRun PodTemplate Prometheus PrometheusAgent
    PyTorchJob RayCluster RayJob RayService Rollout ScaledJob SecretStore SecurityContextConstraints Service
    SparkApplication SubjectAccessReview Task TaskRun ThanosRuler TokenRequest TokenReview VaultAuth Workflow
    WorkflowTemplate`),
);

const MIRRORS = { read: "source mirrors mirrorSourcePolicy" };
/** Signatures are a condition of their own; only for which images they are required is judged. */
const IMAGE_POLICY = withSpec({ read: "scopes", harmless: "policy" });

/** Objects on which every pull in the cluster rests, and nothing else. */
export const NODE_KINDS: Rows = {
  ClusterImagePolicy: IMAGE_POLICY,
  FeatureGate: withSpec({ read: "featureSet", blocks: { customNoUpgrade: { read: "enabled disabled" } } }),
  Image: withSpec({
    // Imports into image streams are no pulls of a kubelet.
    harmless:
      "additionalTrustedCA allowedRegistriesForImport externalRegistryHostnames imageStreamImportMode",
    blocks: {
      registrySources: {
        read: "allowedRegistries blockedRegistries",
        // Search registries are for names without a registry.
        harmless: "containerRuntimeSearchRegistries insecureRegistries",
      },
    },
  }),
  ImageContentSourcePolicy: withSpec({ blocks: { repositoryDigestMirrors: MIRRORS } }),
  ImageDigestMirrorSet: withSpec({ blocks: { imageDigestMirrors: MIRRORS } }),
  ImagePolicy: IMAGE_POLICY,
  ImageTagMirrorSet: withSpec({ blocks: { imageTagMirrors: MIRRORS } }),
  KubeletConfig: withSpec({
    harmless:
      "autoSizingReserved logLevel machineConfigPoolSelector systemGomaxprocsBehavior tlsSecurityProfile",
    blocks: { kubeletConfig: KUBELET_CONFIGURATION },
  }),
  MachineConfigPool: withSpec({
    read: "machineConfigSelector paused",
    // The operator itself writes `configuration`.
    harmless: "configuration maxUnavailable nodeSelector pinnedImageSets",
  }),
  NodePool: withSpec({
    read: "clusterName config",
    harmless: `arch autoScaling management nodeDrainTimeout nodeLabels nodeVolumeDetachTimeout platform replicas taints
          tuningConfig`,
    blocks: { release: { read: "image" } },
  }),
};

/** An object on which every chain in the hosted cluster rests. What it says of images and gates is judged as theirs. */
export const HOSTED_CLUSTER: Coverage = withSpec({
  read: "issuerURL imageContentSources",
  harmless: `additionalTrustBundle auditWebhook autoscaling capabilities channel clusterID controlPlaneRelease
        controllerAvailabilityPolicy dns etcd fips infraID infrastructureAvailabilityPolicy kubeAPIServerDNSName labels
        monitoring networking nodeSelector olmCatalogPlacement operatorConfiguration platform pullSecret release
        secretEncryption serviceAccountSigningKey services sshKey tolerations updateService`,
  blocks: {
    configuration: {
      read: "featureGate image",
      // HyperShift ignores the issuer in `authentication`.
      harmless: "apiServer authentication ingress network oauth operatorhub proxy scheduler",
    },
  },
});
