/*
 * The fields of the objects with which OpenShift configures nodes and their runtime, and of those with which HyperShift
 * describes a cluster and its pools. MachineConfigs and the documents in them have a table of their own.
 *
 * Sources: openshift/api, machineconfiguration/v1 (types.go), config/v1 (types_feature.go, types_image.go and those of
 * mirrors and image policies) and operator/v1alpha1; openshift/hypershift, api/hypershift/v1beta1.
 */

import type { Coverage, Rows } from "./coverage";
import { objectWith } from "./kinds";
import { KUBELET_CONFIGURATION } from "./node-documents";

const MIRRORS = { read: "source mirrors mirrorSourcePolicy" };
/** Signatures are a condition of their own; only for which images they are required is judged. */
const IMAGE_POLICY = objectWith({ blocks: { spec: { read: "scopes", harmless: "policy" } } });

/** Objects on which every pull in the cluster rests, and nothing else. */
export const NODE_KINDS: Rows = {
  ClusterImagePolicy: IMAGE_POLICY,
  FeatureGate: objectWith({
    blocks: { spec: { read: "featureSet", blocks: { customNoUpgrade: { read: "enabled disabled" } } } },
  }),
  Image: objectWith({
    blocks: {
      spec: {
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
      },
    },
  }),
  ImageContentSourcePolicy: objectWith({
    blocks: { spec: { blocks: { repositoryDigestMirrors: MIRRORS } } },
  }),
  ImageDigestMirrorSet: objectWith({ blocks: { spec: { blocks: { imageDigestMirrors: MIRRORS } } } }),
  ImagePolicy: IMAGE_POLICY,
  ImageTagMirrorSet: objectWith({ blocks: { spec: { blocks: { imageTagMirrors: MIRRORS } } } }),
  KubeletConfig: objectWith({
    blocks: {
      spec: {
        harmless:
          "autoSizingReserved logLevel machineConfigPoolSelector systemGomaxprocsBehavior tlsSecurityProfile",
        blocks: { kubeletConfig: KUBELET_CONFIGURATION },
      },
    },
  }),
  MachineConfigPool: objectWith({
    blocks: {
      spec: {
        read: "machineConfigSelector paused",
        // The operator itself writes `configuration`.
        harmless: "configuration maxUnavailable nodeSelector pinnedImageSets",
      },
    },
  }),
  NodePool: objectWith({
    blocks: {
      spec: {
        read: "clusterName config",
        harmless: `arch autoScaling management nodeDrainTimeout nodeLabels nodeVolumeDetachTimeout platform replicas taints
          tuningConfig`,
        blocks: { release: { read: "image" } },
      },
    },
  }),
};

/** An object on which every chain in the hosted cluster rests. What it says of images and gates is judged as theirs. */
export const HOSTED_CLUSTER: Coverage = objectWith({
  blocks: {
    spec: {
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
    },
  },
});
