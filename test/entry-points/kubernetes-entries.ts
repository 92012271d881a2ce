import * as fleet from "../../lib/fleet";
import * as root from "../../lib/index";
import * as kubernetes from "../../lib/kubernetes";
import * as node from "../../lib/node";
import * as openshift from "../../lib/openshift";
import { credentialProviderEntries } from "../../lib/node";
import { type Entry, inChart, make, of } from "./entry";
import { CLUSTER, FILE, GRANT, ISSUER, OWN, PLUGIN, REQUESTS, WORKLOAD, type World, eks } from "./world";

const PLACE = { namespace: "shop", name: "web" };
const EXEC = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: "/plugins/own/own",
  args: [],
  env: [],
  provideClusterInfo: false,
};

/** Entry points of `.`. */
export const rootEntries: Readonly<Record<string, Entry>> = {
  nodeFile: of(root.nodeFile, ["path", "mode", "content"], () => FILE),
};

/** Entry points of `./kubernetes`. */
export const kubernetesEntries: Readonly<Record<string, Entry>> = {
  ConfigMap: inChart(kubernetes.ConfigMap, ["namespace", "name", "data"], () => ({
    ...PLACE,
    data: { a: "b" },
  })),
  Secret: inChart(kubernetes.Secret, ["namespace", "name"], () => ({
    ...PLACE,
    stringData: { a: "b" },
    data: { b: "Yg==" },
  })),
  ServiceAccount: inChart(kubernetes.ServiceAccount, ["namespace", "name"], () => ({
    ...PLACE,
    annotations: { a: "b" },
    labels: { a: "b" },
  })),
  ServiceAccountAnnotations: inChart(
    kubernetes.ServiceAccountAnnotations,
    ["namespace", "name", "annotations"],
    () => ({ ...PLACE, annotations: { a: "b" } }),
  ),
  TokenAudienceGrant: inChart(kubernetes.TokenAudienceGrant, ["audience", "apiServer"], () => ({
    audience: "sts.amazonaws.com",
    apiServer: "1.35",
    featureGates: { ServiceAccountNodeAudienceRestriction: true },
    serviceAccounts: ["shop/web"],
  })),
};

const IMAGES = {
  plugin: "ecr",
  name: "ecr-credential-provider",
  matchImages: ["*.dkr.ecr.*.amazonaws.com"],
  defaultCacheDuration: root.Duration.hours(12),
  args: [],
  nodeIdentityArgs: [],
  env: [{ name: "AWS_REGION", value: "eu-west-1" }],
  audience: "sts.amazonaws.com",
  cacheType: "ServiceAccount",
  annotationKeys: ["eks.amazonaws.com/ecr-role-arn"],
  needs: ["tokens"],
} as const;
const config = (): object => ({
  cluster: CLUSTER,
  providers: [IMAGES],
  settings: { ecr: { mode: "strict", env: [{ name: "A", value: "1" }] } },
});
const CONFIG_OPEN = ["cluster", "providers[0]"];

/** Entry points of `./node`. */
export const nodeEntries: Readonly<Record<string, Entry>> = {
  credentialProviderConfig: {
    ...of(node.credentialProviderConfig, ["cluster", "providers"], config),
    open: CONFIG_OPEN,
  },
  credentialProviderSetup: {
    ...of(node.credentialProviderSetup, ["cluster", "providers"], config),
    open: CONFIG_OPEN,
  },
  credentialProviderEntries: {
    settings: () => ({ mode: "strict", env: [{ name: "A", value: "1" }] }),
    required: [],
    call: (given) => credentialProviderEntries(CLUSTER, IMAGES, given as never),
  },
  kubernetes: of(node.kubernetes, ["name", "version", "issuer"], () => ({
    name: "prod",
    version: "1.35",
    issuer: ISSUER,
    plugins: { ecr: "1.35.2", gcp: { version: "36.3.8", abilities: ["custom-pools"] } },
    featureGates: { AllBeta: true },
  })),
  PlainCarrier: {
    settings: () => ({ name: "kubelet" }),
    required: [],
    call: (given) => (given === undefined ? new node.PlainCarrier() : make(node.PlainCarrier, given)),
  },
  k3s: { ...of(node.k3s, [], () => ({ name: "k3s", by: node.cloudInit() })), open: ["by"] },
  rke2: { ...of(node.rke2, [], () => ({ name: "rke2", by: node.ignition() })), open: ["by"] },
  microShift: of(node.microShift, ["version"], () => ({ version: "5.0", name: "edge" })),
  kubeadm: of(node.kubeadm, [], () => ({ version: "v1beta4", name: "kubeadm" })),
  kubeadmConfigTemplate: of(node.kubeadmConfigTemplate, ["name", "namespace"], () => ({
    name: "workers",
    namespace: "fleet",
    version: "v1beta2",
  })),
  talos: of(node.talos, ["version"], () => ({ version: "1.12", name: "talos" })),
  nodeadm: of(node.nodeadm, [], () => ({
    name: "nodes",
    parts: [{ contentType: "text/x-shellscript", content: "#!/bin/sh" }],
  })),
  ec2NodeClass: {
    ...of(node.ec2NodeClass, ["name", "spec"], () => ({ name: "default", spec: { amiFamily: "AL2023" } })),
    open: ["spec"],
  },
  kops: of(node.kops, [], () => ({ kubelet: "/usr/local/bin/kubelet", name: "kops" })),
  butane: of(node.butane, ["variant"], () => ({ variant: "flatcar" })),
  CredentialProviderConfigAlert: inChart(node.CredentialProviderConfigAlert, ["namespace", "hashes"], () => ({
    namespace: "monitoring",
    hashes: [`sha256:${"0".repeat(64)}`],
    labels: { release: "prometheus" },
  })),
};

const NODES = { version: "4.22", platform: "aws" };

/** Entry points of `./openshift`. */
export const openshiftEntries: Readonly<Record<string, Entry>> = {
  credentialsRequestsOf: {
    refuses: "openshift-missing",
    settings: () => ({ cloud: "aws", featureSet: "Default", capabilities: "all" }),
    required: [],
    call: (given) => openshift.credentialsRequestsOf([], given as never),
  },
  credentialsRequests: {
    refuses: "openshift-invalid",
    settings: () => ({ cloud: "aws" }),
    required: [],
    call: (given) => openshift.credentialsRequests("test/entry-points", given as never),
  },
  hostedOpenShift: of(
    openshift.hostedOpenShift,
    ["name", "version", "platform", "issuer", "nodePools"],
    () => ({
      ...NODES,
      name: "prod",
      issuer: ISSUER,
      nodePools: ["a"],
    }),
  ),
  MachineConfig: inChart(openshift.MachineConfig, ["name", "machineRole", "files"], () => ({
    name: "99-worker-a",
    machineRole: "worker",
    files: [FILE],
  })),
  MachineConfigCarrier: {
    settings: () => ({ ...NODES, pools: ["worker"], nodeDisruptionPolicy: true }),
    required: ["version", "platform", "pools"],
    call: (given) => make(openshift.MachineConfigCarrier, given),
  },
  CrioCredentialProviderConfig: inChart(
    openshift.CrioCredentialProviderConfig,
    ["version", "platform", "matchImages"],
    () => ({
      version: "4.23",
      platform: "aws",
      matchImages: ["quay.io"],
      serviceAccounts: ["shop/web"],
      roleName: "mirrors",
    }),
  ),
  NodeDisruptionPolicy: inChart(openshift.NodeDisruptionPolicy, ["paths"], () => ({ paths: ["/etc/a"] })),
  NodePoolCarrier: {
    settings: () => ({ ...NODES, nodePools: ["a"], namespace: "clusters" }),
    required: ["version", "platform", "nodePools", "namespace"],
    call: (given) => make(openshift.NodePoolCarrier, given),
  },
  NodePoolConfigMap: inChart(openshift.NodePoolConfigMap, ["name", "namespace", "machineConfig"], () => ({
    name: "a",
    namespace: "clusters",
    machineConfig: { name: "99-a", files: [FILE] },
  })),
  openShift: of(openshift.openShift, ["name", "version", "platform", "issuer", "pools"], () => ({
    ...NODES,
    name: "prod",
    issuer: ISSUER,
    pools: ["worker"],
    machineConfigName: "99-<pool>-zz-kubelet-credential-provider",
    crioCredentialProvider: { matchImages: ["registry.example.com"] },
  })),
  ServiceAccountIssuer: inChart(openshift.ServiceAccountIssuer, ["issuer"], () => ({ issuer: ISSUER })),
  UpgradeableTo: inChart(openshift.UpgradeableTo, ["version"], () => ({ version: "4.23" })),
  joinedCredentialsRequests: {
    settings: () => REQUESTS.aws,
    required: ["requests", "skipped"],
    call: (given) => openshift.joinedCredentialsRequests(given as never, REQUESTS.aws),
    open: [
      ...REQUESTS.aws.requests.flatMap((_, index) => [`requests[${index}]`]),
      ...REQUESTS.aws.skipped.map((_, index) => `skipped[${index}]`),
    ],
  },
};

const COMMANDS = { "aws-iam-authenticator": "/plugins/aws-iam-authenticator/aws-iam-authenticator" };
const file = (world: World): object => ({
  consumer: OWN,
  spokes: [world.spoke],
  plugins: { aws: "aws-iam-authenticator" },
  commands: COMMANDS,
  additionalProviders: [{ name: "own", execConfig: EXEC }],
});
const AUTHENTICATION = {
  spoke: "spoke-k",
  apiServer: "1.35",
  issuer: ISSUER,
  hub: "hub",
  audience: "spoke-k",
  serviceAccounts: ["fleet/own"],
};
const CONSUMER = ["consumer"];

/** Entry points of `./fleet`. */
export const fleetEntries: Readonly<Record<string, Entry>> = {
  AccessProvidersFile: {
    ...inChart(fleet.AccessProvidersFile, ["consumer", "spokes"], file),
    open: [...CONSUMER, "additionalProviders[0]"],
  },
  ClusterSecret: {
    ...inChart(fleet.ClusterSecret, ["spoke", "provider"], (world) => ({
      spoke: world.spoke,
      provider: { name: "own", execConfig: EXEC },
    })),
    open: ["provider"],
  },
  ClusterInventory: inChart(fleet.ClusterInventory, ["namespace", "clusterManager"], (world) => ({
    namespace: "fleet",
    clusterManager: "platform-iac",
    statusScope: world.chart,
  })),
  HubConsumer: {
    ...inChart(fleet.HubConsumer, ["consumer", "hub", "spokes", "identities"], (world) => ({
      consumer: OWN,
      hub: { version: "1.35" },
      spokes: [world.spoke],
      identities: { aws: [GRANT] },
      plugins: [PLUGIN],
      pluginByCloud: { aws: "aws-iam-authenticator" },
    })),
    open: [...CONSUMER, "identities.aws[0]"],
  },
  MultiKueueCluster: inChart(fleet.MultiKueueCluster, ["spoke"], (world) => ({
    spoke: new fleet.SpokeCluster(
      new fleet.ClusterInventory(world.chart, world.id, {
        namespace: "kueue-system",
        clusterManager: "platform-iac",
      }),
      "spoke-a",
      { access: eks() },
    ),
  })),
  selfManagedSpoke: {
    ...of(
      fleet.selfManagedSpoke,
      ["spoke", "apiServer", "issuer", "hub", "audience", "serviceAccounts", "endpoint"],
      () => ({
        ...AUTHENTICATION,
        endpoint: { server: "https://k.example.com", publicCertificate: true },
        additionalAuthenticators: [
          {
            issuer: { url: "https://people.example.com", audiences: ["spoke-k"] },
            claimMappings: { username: { claim: "sub", prefix: "people:" } },
          },
        ],
      }),
    ),
    open: ["additionalAuthenticators[0]"],
  },
  selfManagedUsers: {
    settings: () => ({ hub: "hub" }),
    required: ["hub"],
    call: (given) => fleet.selfManagedUsers(["fleet/own"], given as never),
    open: [""],
  },
  SpokeCluster: {
    settings: () => ({ access: eks(), labels: { a: "b" }, properties: { a: "b" } }),
    required: ["access"],
    call: (given, { inventory, id }) =>
      given === undefined
        ? make(fleet.SpokeCluster, inventory, id)
        : make(fleet.SpokeCluster, inventory, id, given),
    open: ["access"],
  },
  SpokeRoleBinding: {
    ...inChart(fleet.SpokeRoleBinding, ["spoke", "hub", "consumer", "users", "clusterRole"], () => ({
      spoke: "spoke-a",
      hub: "hub",
      consumer: OWN,
      users: [{ subject: "fleet/own", user: "u", groups: [], authorized: false }],
      clusterRole: "view",
    })),
    open: ["consumer"],
  },
  StatusWriter: inChart(fleet.StatusWriter, ["spoke", "kubectlVersion"], (world) => ({
    spoke: world.spoke,
    kubectlVersion: "1.35.0",
    annotations: { a: "b" },
  })),
  argoCd: of(fleet.argoCd, ["version"], () => ({ version: "3.5", profileController: WORKLOAD })),
  controller: of(fleet.controller, ["title", "workloads"], () => ({ title: "own", workloads: [WORKLOAD] })),
  knativeOperator: of(fleet.knativeOperator, ["version"], () => ({ version: "1.22", workloads: [WORKLOAD] })),
  multiKueue: of(fleet.multiKueue, ["version"], () => ({
    version: "0.19",
    workloads: [{ ...WORKLOAD, namespace: "kueue-system" }],
  })),
  mountedPlugin: {
    settings: () => PLUGIN,
    required: ["plugin", "image"],
    call: (given) => fleet.mountedPlugin(given as never, { version: "1.35" }, OWN),
  },
};
