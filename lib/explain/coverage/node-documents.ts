/*
 * The keys of documents that configure nodes, by form: those that are read, and those that change neither the kubelet's
 * flags and files nor its program, whatever their value. With any other key the node's configuration is not known.
 *
 * Sources: canonical/cloud-init, cloudinit/config/schemas/schema-cloud-config-v1.json; coreos/ignition, config/v3_5/types;
 * coreos/butane, base/v0_6/schema.go; openshift/api, machineconfiguration/v1/types.go; siderolabs/talos,
 * types/v1alpha1/v1alpha1_types.go; kubernetes/kubernetes, cmd/kubeadm/app/apis/kubeadm/v1beta4/types.go,
 * staging/src/k8s.io/kubelet/config/v1beta1/types.go and cmd/kubelet/app/options; kubernetes-sigs/cluster-api,
 * api/bootstrap/kubeadm/v1beta2; kubernetes/kops, pkg/apis/kops/v1alpha2; awslabs/amazon-eks-ami, nodeadm/api/v1alpha1;
 * aws/karpenter-provider-aws, pkg/apis/v1/ec2nodeclass.go; k3s-io/k3s, pkg/cli/cmds; openshift/microshift, pkg/config.
 */

import { isRecord } from "../../model/record";
import { type Coverage, notUnderstood } from "./coverage";

/** Files are created by root, at once and whole. */
const FILE: Coverage["only"] = { owner: ["root:root", "root"], append: [false], defer: [false] };

const CLOUD_CONFIG: Coverage = {
  read: "bootcmd runcmd merge_how merge_type",
  harmless: `authkey_hash byobu_by_default ca-certs ca_certs chpasswd create_hostname_file disable_ec2_metadata disable_root
    disable_root_opts final_message fqdn groups growpart hostname keyboard locale manage_etc_hosts manage_resolv_conf
    no_ssh_fingerprints ntp package_reboot_if_required package_update package_upgrade packages password
    prefer_fqdn_over_hostname preserve_hostname resize_rootfs resolv_conf ssh ssh_authorized_keys ssh_deletekeys
    ssh_genkeytypes ssh_import_id ssh_keys ssh_publish_hostkeys ssh_pwauth ssh_quiet_keygen timezone user users yum_repos`,
  only: { output: [{ all: "| tee -a /var/log/cloud-init-output.log" }] },
  blocks: {
    write_files: { read: "path content encoding permissions", only: FILE },
    apt: { harmless: "http_proxy https_proxy preserve_sources_list primary proxy security sources" },
    swap: { harmless: "size maxsize", only: { filename: ["auto", "/swap.img", "/swapfile"] } },
  },
};

const IGNITION_FILE: Coverage = {
  read: "path mode",
  blocks: {
    contents: {
      read: "compression inline local source",
      harmless: "httpHeaders http_headers",
      blocks: { verification: { read: "hash" } },
    },
  },
  harmless: "overwrite",
  only: { user: [{ name: "root" }, { id: 0 }], group: [{ name: "root" }, { id: 0 }], append: [[]] },
};
const UNITS: Coverage = {
  read: "name contents contents_local mask",
  harmless: "enabled enable",
  blocks: { dropins: { read: "name contents contents_local" } },
};
const IGNITION: Coverage = {
  read: "variant version kernelArguments kernel_arguments",
  harmless: "passwd",
  blocks: {
    ignition: { read: "version", harmless: "proxy security timeouts" },
    storage: {
      blocks: {
        files: IGNITION_FILE,
        links: { read: "path", harmless: "target hard overwrite user group" },
        directories: { harmless: "path mode user group", only: { overwrite: [false] } },
      },
      only: Object.fromEntries(["disks", "filesystems", "luks", "raid", "trees"].map((key) => [key, [[]]])),
    },
    systemd: { blocks: { units: UNITS } },
  },
};

export const KUBELET_CONFIGURATION: Coverage = {
  read: "apiVersion kind featureGates",
  harmless: `address allowedUnsafeSysctls authentication authorization cgroupDriver cgroupRoot cgroupsPerQOS clusterDNS
    clusterDomain configMapAndSecretChangeDetectionStrategy containerLogMaxFiles containerLogMaxSize
    containerLogMaxWorkers containerLogMonitorInterval containerRuntimeEndpoint contentType cpuCFSQuota
    cpuCFSQuotaPeriod cpuManagerPolicy cpuManagerPolicyOptions defaultPodSysctls cpuManagerReconcilePeriod crashLoopBackOff
    enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler enableDebuggingHandlers
    enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery enforceNodeAllocatable
    eventBurst eventRecordQPS evictionHard evictionMaxPodGracePeriod evictionMinimumReclaim
    evictionPressureTransitionPeriod evictionSoft evictionSoftGracePeriod failCgroupV1 failSwapOn fileCheckFrequency
    hairpinMode healthzBindAddress healthzPort httpCheckFrequency imageGCHighThresholdPercent
    imageGCLowThresholdPercent imageMaximumGCAge imageMinimumGCAge imageServiceEndpoint iptablesDropBit
    iptablesMasqueradeBit kernelMemcgNotification kubeAPIBurst kubeAPIQPS kubeletCgroups kubeReserved
    kubeReservedCgroup localStorageCapacityIsolation logging makeIPTablesUtilChains maxOpenFiles
    maxParallelImagePulls maxPods memoryManagerPolicy memorySwap memoryThrottlingFactor mergeDefaultEvictionSettings
    nodeLeaseDurationSeconds nodeStatusMaxImages nodeStatusReportFrequency nodeStatusUpdateFrequency oomScoreAdj
    podCIDR podLogsDir podPidsLimit podsPerCore port protectKernelDefaults providerID qosReserved readOnlyPort
    registerNode registerWithTaints registryBurst registryPullQPS reservedMemory reservedSystemCPUs resolvConf
    rotateCertificates runtimeRequestTimeout seccompDefault serializeImagePulls serverTLSBootstrap
    showHiddenMetricsForVersion shutdownGracePeriod shutdownGracePeriodByPodPriority shutdownGracePeriodCriticalPods
    singleProcessOOMKill staticPodPath streamingConnectionIdleTimeout syncFrequency systemCgroups systemReserved
    systemReservedCgroup tlsCertFile tlsCipherSuites tlsCurvePreferences tlsMinVersion tlsPrivateKeyFile
    topologyManagerPolicy topologyManagerPolicyOptions topologyManagerScope tracing userNamespaces volumePluginDir
    volumeStatsAggPeriod`,
};

/** Those of every minor that this library knows. */
const FLAGS: Coverage = {
  read: "config feature-gates image-credential-provider-bin-dir image-credential-provider-config",
  harmless: `address allowed-unsafe-sysctls anonymous-auth authentication-token-webhook authentication-token-webhook-cache-ttl
    authorization-mode authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
    bootstrap-kubeconfig cert-dir cgroup-driver cgroup-root cgroups-per-qos client-ca-file cloud-provider
    cluster-dns cluster-domain container-log-max-files container-log-max-size container-runtime-endpoint
    contention-profiling cpu-cfs-quota cpu-cfs-quota-period cpu-manager-policy cpu-manager-policy-options
    cpu-manager-reconcile-period enable-controller-attach-detach enable-debugging-handlers enable-server
    enforce-node-allocatable event-burst event-qps eviction-hard eviction-max-pod-grace-period
    eviction-minimum-reclaim eviction-pressure-transition-period eviction-soft eviction-soft-grace-period
    fail-cgroupv1 fail-swap-on file-check-frequency hairpin-mode healthz-bind-address healthz-port hostname-override
    http-check-frequency image-gc-high-threshold image-gc-low-threshold image-service-endpoint
    kernel-memcg-notification kube-api-burst kube-api-content-type kube-api-qps kube-reserved kube-reserved-cgroup
    kubeconfig kubelet-cgroups local-storage-capacity-isolation logging-format make-iptables-util-chains
    max-open-files max-pods maximum-dead-containers maximum-dead-containers-per-container memory-manager-policy
    minimum-container-ttl-duration minimum-image-ttl-duration node-ip node-labels node-status-max-images
    node-status-update-frequency oom-score-adj pod-cidr pod-manifest-path pod-max-pids
    pods-per-core port protect-kernel-defaults provider-id read-only-port register-node register-with-taints
    registry-burst registry-qps reserved-cpus reserved-memory resolv-conf root-dir rotate-certificates
    rotate-server-certificates runtime-cgroups runtime-request-timeout seccomp-default serialize-image-pulls
    streaming-connection-idle-timeout sync-frequency system-cgroups system-reserved system-reserved-cgroup
    tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file topology-manager-policy
    topology-manager-policy-options topology-manager-scope v vmodule volume-plugin-dir volume-stats-agg-period`,
};

const REGISTRATION: Coverage = {
  blocks: {
    nodeRegistration: {
      read: "kubeletExtraArgs",
      harmless: "criSocket ignorePreflightErrors imagePullPolicy imagePullSerial name taints",
    },
  },
  harmless: `apiVersion bootstrapTokens caCertPath certificateKey controlPlane discovery dryRun kind localAPIEndpoint
    timeouts`,
  only: { skipPhases: [[], ["addon/kube-proxy"]] },
};
const KUBEADM_SPEC: Coverage = {
  read: "bootCommands preKubeadmCommands postKubeadmCommands",
  harmless: "clusterConfiguration format ntp useExperimentalRetryJoin users verbosity",
  blocks: {
    files: { read: "path content contentFormat contentFrom encoding permissions", only: FILE },
    initConfiguration: REGISTRATION,
    joinConfiguration: REGISTRATION,
  },
};

const KOPS_KUBELET: Coverage = {
  read: "featureGates",
  harmless: `${KUBELET_CONFIGURATION.harmless ?? ""} anonymousAuth authenticationTokenWebhook authorizationMode
    cloudProvider eventQPS logFormat logLevel nodeLabels podManifestPath taints`,
};
const KOPS: Coverage = {
  harmless: "apiVersion kind metadata",
  blocks: {
    spec: {
      harmless: `additionalPolicies additionalSans additionalSecurityGroups api associatePublicIp authentication
        authorization autoscale certManager channel cloudConfig cloudControllerManager cloudLabels cloudProvider
        clusterAutoscaler configBase configStore dnsZone etcdClusters iam image instanceMetadata instanceProtection
        instanceRequirements karpenter kubeAPIServer kubeControllerManager kubeDNS kubeProxy kubeScheduler
        kubernetesApiAccess kubernetesVersion machineType maxPrice maxSize metricsServer minSize mixedInstancesPolicy
        networkCIDR networkID networking nodeLabels nodePortAccess nodeProblemDetector nodeTerminationHandler
        nonMasqueradeCIDR project role rootVolume rootVolumeEncryption rootVolumeSize rootVolumeType rollingUpdate
        secretStore securityGroupOverride serviceAccountIssuerDiscovery serviceClusterIPRange snapshotController
        sshAccess sshKeyName subnets taints tenancy topology updatePolicy zones`,
      blocks: {
        fileAssets: { read: "path content isBase64 mode", harmless: "name", only: { roles: [[]] } },
        hooks: { read: "manifest", harmless: "name before requires", only: { roles: [[]] } },
        kubelet: KOPS_KUBELET,
      },
    },
  },
};

const TALOS: Coverage = {
  read: "apiVersion kind version configuration",
  harmless: "cluster debug persist",
  blocks: {
    machine: {
      read: "registries",
      harmless: `acceptedCAs ca certSANs controlPlane features install kernel logging network nodeAnnotations nodeLabels
        nodeTaints seccompProfiles sysctls sysfs systemDiskEncryption time token type`,
      blocks: {
        files: { read: "path content permissions op" },
        kubelet: {
          read: "credentialProviderConfig extraArgs extraConfig extraMounts image",
          harmless: `clusterDNS defaultRuntimeSeccompProfileEnabled disableManifestsDirectory nodeIP registerWithFQDN
            skipNodeRegistration`,
        },
      },
    },
  },
};

const NODE_CONFIG: Coverage = {
  read: "apiVersion kind",
  harmless: "metadata",
  blocks: {
    spec: {
      harmless: "cluster featureGates",
      blocks: {
        containerd: { read: "config", harmless: "baseRuntimeSpec" },
        instance: { harmless: "localStorage network" },
        kubelet: {
          read: "flags",
          harmless: "maxPodsExpression",
          blocks: { config: KUBELET_CONFIGURATION },
        },
      },
    },
  },
};
const NODE_CLASS: Coverage = {
  read: "apiVersion kind",
  harmless: "metadata status",
  blocks: {
    spec: {
      read: "amiFamily amiSelectorTerms userData",
      harmless: `associatePublicIPAddress blockDeviceMappings capacityReservationSelectorTerms context detailedMonitoring
        instanceProfile instanceStorePolicy metadataOptions role securityGroupSelectorTerms subnetSelectorTerms tags`,
      blocks: {
        kubelet: {
          harmless: `clusterDNS cpuCFSQuota evictionHard evictionMaxPodGracePeriod evictionSoft evictionSoftGracePeriod
            imageGCHighThresholdPercent imageGCLowThresholdPercent kubeReserved maxPods podsPerCore systemReserved`,
        },
      },
    },
  },
};

/** With + at its end, a key extends the lists of other files. */
const extending = (keys: string): string => keys.replace(/\S+/g, "$& $&+");

const RANCHER: Coverage = {
  read: extending("image-credential-provider-bin-dir image-credential-provider-config kubelet-arg"),
  harmless:
    extending(`advertise-address advertise-port agent-token agent-token-file audit-policy-file bind-address cloud-provider-config
    cloud-provider-name cluster-cidr cluster-dns cluster-domain cluster-init cni control-plane-resource-limits
    control-plane-resource-requests datastore-cafile datastore-certfile datastore-endpoint datastore-keyfile debug
    default-local-storage-path disable disable-cloud-controller disable-helm-controller disable-kube-proxy
    disable-network-policy disable-scheduler egress-selector-mode enable-servicelb etcd-arg etcd-disable-snapshots
    etcd-expose-metrics etcd-s3 etcd-s3-access-key etcd-s3-bucket etcd-s3-endpoint etcd-s3-endpoint-ca etcd-s3-folder
    etcd-s3-insecure etcd-s3-region etcd-s3-secret-key etcd-s3-skip-ssl-verify etcd-s3-timeout etcd-snapshot-compress
    etcd-snapshot-dir etcd-snapshot-name etcd-snapshot-retention etcd-snapshot-schedule-cron flannel-backend
    flannel-external-ip flannel-iface flannel-ipv6-masq helm-job-image https-listen-port ingress-controller
    kube-apiserver-arg kube-cloud-controller-manager-arg kube-controller-manager-arg kube-proxy-arg kube-scheduler-arg
    lb-server-port log node-external-ip node-ip node-label node-name node-taint pause-image
    pod-security-admission-config-file prefer-bundled-bin profile protect-kernel-defaults resolv-conf
    secrets-encryption selinux server service-cidr service-node-port-range servicelb-namespace snapshotter
    system-default-registry tls-san tls-san-security token token-file v vmodule with-node-id write-kubeconfig
    write-kubeconfig-group write-kubeconfig-mode`),
};

const MICROSHIFT: Coverage = {
  harmless: "apiServer debugging dns etcd ingress manifests network node storage telemetry",
  blocks: {
    kubelet: {
      ...KUBELET_CONFIGURATION,
      read: `${KUBELET_CONFIGURATION.read ?? ""} imageCredentialProviderBinDir imageCredentialProviderConfigPath`,
    },
  },
};

/** A row for each form of `rules/node/forms.ts`, and for documents within them. */
const NODE_DOCUMENTS = {
  butane: IGNITION,
  "cloud-init": CLOUD_CONFIG,
  files: {
    read: "kubeletFlags",
    blocks: { executables: { read: "path url sha256" }, files: { read: "path content mode" } },
  },
  flags: FLAGS,
  ignition: IGNITION,
  kops: KOPS,
  kubeadm: REGISTRATION,
  "kubeadm-config-template": {
    harmless: "apiVersion kind metadata status",
    blocks: {
      spec: {
        ...KUBEADM_SPEC,
        blocks: {
          ...KUBEADM_SPEC.blocks,
          template: { harmless: "metadata", blocks: { spec: KUBEADM_SPEC } },
        },
      },
    },
  },
  KubeletConfiguration: KUBELET_CONFIGURATION,
  MachineConfig: {
    read: "apiVersion kind metadata",
    blocks: {
      spec: {
        read: "kernelArguments",
        harmless: "extensions fips kernelType",
        only: { osImageURL: [""], baseOSExtensionsContainerImage: [""] },
        blocks: { config: IGNITION },
      },
    },
  },
  microshift: MICROSHIFT,
  nodeadm: NODE_CLASS,
  NodeConfig: NODE_CONFIG,
  rancher: RANCHER,
  talos: TALOS,
} as const satisfies Readonly<Record<string, Coverage>>;

/** The first key that explain does not understand in a document of a form; `undefined` if it understands all of it. */
export function unknownKey(form: string, document: unknown): string | undefined {
  const row = (NODE_DOCUMENTS as Readonly<Record<string, Coverage>>)[form];
  // User data of nodeadm is a text with other documents in it.
  if (form === "nodeadm" && typeof document === "string") return undefined;
  if (!isRecord(document)) return document === null || document === undefined ? undefined : "";
  return row === undefined ? Object.keys(document)[0] : notUnderstood(document, row, "written")[0];
}
