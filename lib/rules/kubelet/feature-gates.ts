/*
 * The Kubernetes minors whose rules this library knows, and the defaults of the feature gates that change them
 * (kubernetes:pkg/features/kube_features.go, read at 1.31.14, 1.32.13, 1.33.13, 1.34.4, 1.35.4, 1.36.3 and 1.37.2).
 */

import { fail } from "../../errors";
import { compareVersions, minorOf } from "../../model/version";
import { nearMiss } from "../../model/nearest-name";
import { versionUnknown } from "../../model/problems";

/**
 * The kubelet and API server minors whose rules this library knows, oldest first. Add one only with the facts that changed in
 * it: the gates below, the rules in this folder, and the plugins that are released with it.
 */
export const knownKubernetesMinors: readonly string[] = [
  "1.31",
  "1.32",
  "1.33",
  "1.34",
  "1.35",
  "1.36",
  "1.37",
];

/** The newest known minor, whose rules apply if no version is stated. */
export const NEWEST_KUBERNETES: string = knownKubernetesMinors.at(-1) ?? "";

/** Feature gates that affect service account tokens for image pulls. */
export type FeatureGate =
  | "ExternalServiceAccountTokenSigner"
  | "KubeletEnsureSecretPulledImages"
  | "KubeletServiceAccountTokenForCredentialProviders"
  | "PodCertificateRequest"
  | "PreventStaticPodAPIReferences"
  | "ServiceAccountNodeAudienceRestriction"
  | "ServiceAccountTokenJTI"
  | "ServiceAccountTokenPodNodeInfo"
  | "TokenRequestServiceAccountUIDValidation";

/** The defaults of each gate, from which version on; before the first of these the gate does not exist. */
const DEFAULTS: Readonly<Record<FeatureGate, readonly (readonly [since: string, on: boolean])[]>> = {
  ExternalServiceAccountTokenSigner: [
    ["1.32", false],
    ["1.34", true],
  ],
  KubeletEnsureSecretPulledImages: [
    ["1.33", false],
    ["1.35", true],
  ],
  // Read by the kubelet and by kube-apiserver (node authorizer).
  KubeletServiceAccountTokenForCredentialProviders: [
    ["1.33", false],
    ["1.34", true],
  ],
  PodCertificateRequest: [
    ["1.34", false],
    ["1.37", true],
  ],
  PreventStaticPodAPIReferences: [["1.34", true]],
  // On in 1.32.0 and 1.32.1, switched off in 1.32.2 because CSI drivers broke (kubernetes issue 129935).
  ServiceAccountNodeAudienceRestriction: [
    ["1.32.0", true],
    ["1.32.2", false],
    ["1.33", true],
  ],
  ServiceAccountTokenJTI: [["1.29", true]],
  ServiceAccountTokenPodNodeInfo: [["1.29", true]],
  TokenRequestServiceAccountUIDValidation: [["1.34", true]],
};

/**
 * All gates of the known minors, and groups of gates, by the first and the last of these minors that have them; without
 * a last one the newest has them. A kubelet with any other gate does not start. Source: pkg/features, and
 * staging/src/k8s.io/{apiserver,client-go,component-base}, whose gates the kubelet has too.
 */
const ALL: Readonly<Record<string, string>> = {
  "1.31-": `AllAlpha AllBeta APIResponseCompression APIServerIdentity APIServingWithRoutine
    AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests CPUManagerPolicyAlphaOptions
    CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDValidationRatcheting CSIVolumeHealth
    CloudControllerManagerWebhook ClusterTrustBundle ClusterTrustBundleProjection
    ConcurrentWatchObjectDecode ContainerCheckpoint ContextualLogging CoordinatedLeaderElection
    CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod CustomResourceFieldSelectors
    DisableAllocatorDualWrite DisableNodeKubeProxyVersion DynamicResourceAllocation EventedPLEG
    ExecProbeTimeout GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority HPAScaleToZero
    ImageMaximumGCAge ImageVolume InPlacePodVerticalScaling InformerResourceVersion JobManagedBy KMSv1
    KubeletCgroupDriverFromCRI KubeletInUserNamespace KubeletPodResourcesDynamicResources
    KubeletPodResourcesGet KubeletSeparateDiskGC KubeletTracing
    LocalStorageCapacityIsolationFSQuotaMonitoring LoggingAlphaOptions LoggingBetaOptions
    LoggingStableOptions MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread
    MaxUnavailableStatefulSet MemoryQoS MultiCIDRServiceAllocator MutatingAdmissionPolicy NFTablesProxyMode
    NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap OpenAPIEnums PodAndContainerStatsFromCRI
    PodDeletionCost PodReadyToStartContainersCondition PodSchedulingReadiness PortForwardWebsockets
    ProcMountType QOSReserved RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
    RelaxedEnvironmentVariableValidation ReloadKubeletServerCertificateFile ResourceHealthStatus
    RotateKubeletServerCertificate RuntimeClassInImageCriApi SELinuxMount SELinuxMountReadWriteOncePod
    SeparateCacheWatchRPC SeparateTaintEvictionController ServiceAccountTokenJTI
    ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
    StorageNamespaceIndex StorageVersionAPI StorageVersionHash StorageVersionMigrator
    SupplementalGroupsPolicy TopologyManagerPolicyAlphaOptions TopologyManagerPolicyBetaOptions
    TopologyManagerPolicyOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
    UnknownVersionInteroperabilityProxy UserNamespacesSupport VolumeAttributesClass
    WatchCacheInitializationPostStartHook WatchList WatchListClient WinDSR WinOverlay WindowsHostNetwork`,
  "1.31-1.36": `APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource
    AuthorizeNodeWithSelectors AuthorizeWithSelectors ConsistentListFromCache JobBackoffLimitPerIndex
    JobPodReplacementPolicy JobSuccessPolicy LogarithmicScaleDown OrderedNamespaceDeletion
    PodLifecycleSleepAction ResilientWatchCacheInitialization RetryGenerateName SchedulerQueueingHints
    SidecarContainers StructuredAuthenticationConfiguration`,
  "1.31-1.35": `CSIMigrationPortworx HonorPVReclaimPolicy InTreePluginPortworxUnregister MemoryManager
    ServiceTrafficDistribution StructuredAuthorizationConfiguration TopologyAwareHints
    WatchFromStorageWithoutResourceVersion`,
  "1.31-1.34": `AllowServiceLBStatusOnNonLB ComponentSLIs CronJobsScheduledAnnotation LoadBalancerIPMode
    PodIndexLabel SizeMemoryBackedVolumes StatefulSetAutoDeletePVC StrictCostEnforcementForVAP
    StrictCostEnforcementForWebhooks UserNamespacesPodSecurityStandards`,
  "1.31-1.33": "DevicePluginCDIDevices ElasticIndexedJob PodDisruptionConditions StatefulSetStartOrdinal",
  "1.31-1.32": `APIListChunking AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint AppArmor
    AppArmorFields CPUManager DisableCloudProviders DisableKubeletCloudCredentialProviders
    EfficientWatchResumption JobPodFailurePolicy KubeProxyDrainingTerminatingNodes
    PDBUnhealthyPodEvictionPolicy PersistentVolumeLastPhaseTransitionTime RemainingItemCount
    VolumeCapacityPriority WatchBookmark`,
  "1.31-1.31": `CloudDualStackNodeIPs DRAControlPlaneController HPAContainerMetrics KMSv2 KMSv2KDF
    LegacyServiceAccountTokenCleanUp MinDomainsInPodTopologySpread NewVolumeManagerReconstruction
    NodeOutOfServiceVolumeDetach PodHostIPs ServerSideApply ServerSideFieldValidation
    StableLoadBalancerNodeSet ValidatingAdmissionPolicy ZeroLimitedNominalConcurrencyShares`,
  "1.32-": `AllowOverwriteTerminationGracePeriodSeconds AllowUnsafeMalformedObjectDeletion
    CBORServingAndStorage ClientsAllowCBOR ClientsPreferCBOR ComponentFlagz ComponentStatusz DRAAdminAccess
    DRAResourceClaimDeviceStatus ExternalServiceAccountTokenSigner InPlacePodVerticalScalingExclusiveCPUs
    KubeletCrashLoopBackOffMax KubeletFineGrainedAuthz KubeletRegistrationGetOnExistsOnly PodLevelResources
    PodLogsQuerySplitStreams RemoteRequestHeaderUID SELinuxChangePolicy SchedulerAsyncPreemption
    ServiceAccountNodeAudienceRestriction SystemdWatchdog WindowsCPUAndMemoryAffinity
    WindowsGracefulNodeShutdown`,
  "1.32-1.36": "BtreeWatchCache PodLifecycleSleepActionAllowZero RelaxedDNSSearchValidation",
  "1.32-1.35": "InPlacePodVerticalScalingAllocatedStatus",
  "1.33-": `AggregatedDiscoveryRemoveBetaType AllowParsingUserUIDFromCertAuth ContainerStopSignals
    DRADeviceTaints DRAPartitionableDevices DRAPrioritizedList DeclarativeValidation
    DeclarativeValidationTakeover DeploymentReplicaSetTerminatingReplicas DisableCPUQuotaWithExclusiveCPUs
    GitRepoVolumeDriver HPAConfigurableTolerance InOrderInformers KubeletEnsureSecretPulledImages KubeletPSI
    KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot MutableCSINodeAllocatableCount
    PodObservedGenerationTracking PodTopologyLabelsAdmission PreferSameTrafficDistribution
    ReduceDefaultCrashLoopBackOffDecay SchedulerPopFromBackoffQ StorageCapacityScoring
    StrictIPCIDRValidation`,
  "1.33-1.36": "StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf",
  "1.33-1.33": "LegacySidecarContainers",
  "1.34-": `ClearingNominatedNodeNameAfterBinding ContainerRestartRules DRAConsumableCapacity
    DRADeviceBindingConditions DRAExtendedResource DRASchedulerFilterTimeout DetectCacheInconsistency
    EnvFiles HostnameOverride InPlacePodVerticalScalingExclusiveMemory KubeletPodResourcesListUseActivePods
    MatchLabelKeysInPodTopologySpreadSelectorMerge NominatedNodeNameForExpectation PodCertificateRequest
    RelaxedServiceNameValidation SchedulerAsyncAPICalls SizeBasedListCostEstimate
    StatefulSetSemanticRevisionComparison StructuredAuthenticationConfigurationEgressSelector
    TokenRequestServiceAccountUIDValidation`,
  "1.34-1.36": "PreventStaticPodAPIReferences",
  "1.34-1.34": "ProbeHostPodSecurityStandards",
  "1.35-": `AuthorizePodWebsocketUpgradeCreatePermission CRDObservedGenerationTracking
    CSIServiceAccountTokenSecrets ChangeContainerStatusOnKubeletRestart
    CloudControllerManagerWatchBasedRoutesReconciliation ConstrainedImpersonation DRADeviceTaintRules
    GenericWorkload InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling
    MutablePVNodeAffinity MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs
    NodeDeclaredFeatures OpportunisticBatching RestartAllContainersOnContainerExits
    StructuredAuthenticationConfigurationJWKSMetrics TaintTolerationComparisonOperators
    UserNamespacesHostNetworkSupport VolumeLimitScaling`,
  "1.35-1.36": "GangScheduling",
  "1.36-": `AllowServiceExternalIPs AtomicFIFO CRIListStreaming ClientsAllowCARotation ClientsAllowTLSCacheGC
    DRAListTypeAttributes DRANodeAllocatableResources DRAResourceClaimGranularStatusAuthorization
    DRAResourcePoolStatus DRAWorkloadResourceClaims DeclarativeValidationBeta ExtendWebSocketsToKubelet
    ImageVolumeWithDigest InPlacePodVerticalScalingInitContainers ManifestBasedAdmissionControlConfig
    NativeHistograms PLEGOnDemandRelist PersistentVolumeClaimUnusedSinceTime PodLevelResourceManagers
    PodsAPI ReloadKubeletClientCAFile ResourceHealthStatusMessage ServiceCIDRStatusFieldWiping
    ShardedListAndWatch StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob
    StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet
    TopologyAwareWorkloadScheduling UnlockWhileProcessingFIFO WorkloadWithJob`,
  "1.36-1.36": "WorkloadAwarePreemption",
  "1.37-": `APIServerWebhookAuthenticationToken AtomicWriteVolumeUserFields CompositePodGroup
    ConsistentListFromCacheSkipTimeoutFallback DRADerivedAttributes DRADeviceCompatibilityGroups
    DRAFractionalCapacityRange DRAOptionalNodeOperations DRAPartitionableDevicesType DefaultPodSysctls
    EmptyDirVolumeMode EtcdRangeStream EvictionRequestAPI ExcludeAdmissionWebhookVirtualResources
    GRPCContainerProbeTLS H2CContainerProbe HPAGeneration HPAOptimizedSelectorStore HugepageAwareEviction
    InPlacePodVerticalScalingMemoryBackedVolumes InPlacePodVerticalScalingSchedulerPreemption
    InterPodAffinityHostnameFastPath KubeProxyIPVS KubeProxyNFTablesLocalhostNodePorts
    KubeletAllocatedPodsEndpoint NFTablesNetlink NodeControllerLeaseCircuitBreaker NodeLifecycleConditions
    PodGroupPreemptionPolicy PodLevelResourcesFixDefaulting PodLevelResourcesFixKubeletQOSClass
    SchedulerPreQueueingHints StaleControllerConsistencyHPA StatefulSetRecreateStrategy
    VolumeBindMountOptions WatchListCompression WebhookRoundTripLoadBalancing`,
};

const SPANS = Object.entries(ALL).map(([span, names]) => {
  const [since = "", until = ""] = span.split("-");
  return { since, until, names: new Set(names.split(/\s+/)) };
});

/** Whether a minor has the gate, or any of the known ones. */
export function isFeatureGate(name: string, minor?: string): boolean {
  return SPANS.some(
    ({ since, until, names }) =>
      names.has(name) &&
      (minor === undefined ||
        (compareVersions(since, minor) <= 0 && (until === "" || compareVersions(minor, until) <= 0))),
  );
}

/** Warnings about gates that no version has, but nearly: a kubelet with one does not start. */
export function featureGateWarnings(gates: Readonly<Record<string, boolean>>): readonly string[] {
  const known = [...Object.keys(DEFAULTS), "ImageVolume", "AllAlpha", "AllBeta"];
  return Object.keys(gates).flatMap((gate) => {
    const nearest = nearMiss(gate, known);
    return nearest === undefined
      ? []
      : [
          `feature gate ${gate} is not known, but ${nearest} is; a kubelet or API server does not start with one that does not exist: correct it if ${nearest} is meant`,
        ];
  });
}

/** Gates whose default does not reveal their stage; for all others, off means alpha and on means beta. */
const OFF_IN_BETA: readonly FeatureGate[] = [
  "PodCertificateRequest",
  "ServiceAccountNodeAudienceRestriction",
];

/** Higher than every real patch level: a bare minor means its newest patch. */
const NEWEST_PATCH = 999;

/** The minor of a version, `1.35` of `v1.35.2`; `what` names the component in the message. */
export function knownMinor(
  what: string,
  version: string,
  allowed: string = knownKubernetesMinors.join(", "),
): string {
  const minor = minorOf(what, version);
  return knownKubernetesMinors.includes(minor)
    ? minor
    : fail("version-unknown", versionUnknown(what, version, allowed));
}

/**
 * The default of a gate in a version: `"1.32"` (its newest patch) or `"1.32.1"`. `undefined` if the gate does not
 * exist in it.
 */
export function featureGateDefault(gate: FeatureGate, version: string): boolean | undefined {
  const minor = knownMinor("Kubernetes", version);
  const exact = /^v?\d+\.\d+\.\d/.test(version) ? version : `${minor}.${NEWEST_PATCH}`;
  return DEFAULTS[gate].filter(([since]) => compareVersions(since, exact) <= 0).at(-1)?.[1];
}

/**
 * Whether a gate is on in a version with these gates set: by its own name, else by `AllAlpha` or `AllBeta`, else by its
 * default. Never on if the version does not have the gate.
 *
 * Source: kubernetes:staging/src/k8s.io/component-base/featuregate/feature_gate.go, `SetFromMap`.
 */
export function featureGateOn(
  gate: FeatureGate,
  version: string,
  gates: Readonly<Record<string, boolean>>,
): boolean {
  const usual = featureGateDefault(gate, version);
  if (usual === undefined) return false;
  // What a gate did stays on once the gate is gone.
  if (!isFeatureGate(gate, knownMinor("Kubernetes", version))) return usual;
  const stage = OFF_IN_BETA.includes(gate) ? undefined : gates[usual ? "AllBeta" : "AllAlpha"];
  return gates[gate] ?? stage ?? usual;
}

/** Negative, zero or positive like a sort function, for known minors. */
export function isAtLeast(minor: string, since: string): boolean {
  return compareVersions(minor, since) >= 0;
}

/** If kube-apiserver has either gate on, its node authorizer allows `get` of a pod's service account. */
const GATES = ["KubeletServiceAccountTokenForCredentialProviders", "PodCertificateRequest"] as const;

/**
 * Whether `system:nodes` needs RBAC `get` on `serviceaccounts`, because the API server's node authorizer itself does
 * not allow it: in 1.33 and older unless the gate is switched on, never by default from 1.34 on.
 *
 * `version` is that of kube-apiserver, `featureGates` are its gates that differ from the defaults. Source:
 * `authorizeServiceAccount` in kubernetes:plugin/pkg/auth/authorizer/node/node_authorizer.go, 1.31 to 1.37.
 */
export function nodeNeedsServiceAccountGet(
  version: string,
  featureGates: Readonly<Record<string, boolean>> = {},
): boolean {
  knownMinor("kube-apiserver", version);
  return !GATES.some((gate) => featureGateOn(gate, version, featureGates));
}
