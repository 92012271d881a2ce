import { CREDENTIALS_API } from "../../rules/openshift/credentials-request";
import { own, text } from "./access";

/** The API that each kind is read from; the API server knows no other, and an object of another group is another kind. */
const APIS: Readonly<Record<string, string>> = {
  Authentication: "config.openshift.io/v1",
  CSIDriver: "storage.k8s.io/v1",
  ClusterRole: "rbac.authorization.k8s.io/v1",
  ClusterRoleBinding: "rbac.authorization.k8s.io/v1",
  ConfigMap: "v1",
  CredentialsRequest: CREDENTIALS_API,
  DeploymentConfig: "apps.openshift.io/v1",
  FeatureGate: "config.openshift.io/v1",
  HostedCluster: "hypershift.openshift.io/v1beta1",
  Image: "config.openshift.io/v1",
  ImageContentSourcePolicy: "operator.openshift.io/v1alpha1",
  ImageDigestMirrorSet: "config.openshift.io/v1",
  ImageTagMirrorSet: "config.openshift.io/v1",
  KubeletConfig: "machineconfiguration.openshift.io/v1",
  KubeletConfiguration: "kubelet.config.k8s.io/v1beta1",
  MachineConfig: "machineconfiguration.openshift.io/v1",
  NodePool: "hypershift.openshift.io/v1beta1",
  PersistentVolume: "v1",
  PersistentVolumeClaim: "v1",
  Pod: "v1",
  Role: "rbac.authorization.k8s.io/v1",
  RoleBinding: "rbac.authorization.k8s.io/v1",
  Secret: "v1",
  ServiceAccount: "v1",
};

/** True for an object of the API that its kind is read from, and for one whose kind is not read. */
export function isServed(value: unknown): boolean {
  const kind = text(own(value, "kind"));
  return !Object.hasOwn(APIS, kind) || APIS[kind] === own(value, "apiVersion");
}
