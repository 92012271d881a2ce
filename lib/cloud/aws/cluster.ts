import type { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import type { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import type { Construct } from "constructs";
import { at } from "../../errors";
import type { ICluster } from "../../model/cluster";
import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { clusterName } from "../../model/kubernetes-name";
import { isLate } from "../../model/late";
import { type ObjectKind, checkGiven, list, object, optional, text } from "../../model/shape";
import { minorOf } from "../../model/version";
import { eksIssuer, eksPlugins, eksStockProvider } from "../../rules/aws/cluster";
import { NODEADM_PLACES } from "../../rules/node/host";
import { partitionOf } from "../../rules/aws/partitions";
import { type StatedPlugins, STATED_PLUGINS, notNewer, pluginFacts } from "../../rules/kubelet/node-facts";
import { asData } from "../../model/node-carrier";
import { statedOrInput } from "../shared/managed-cluster";
import { checkClusterRegion } from "./place";
import { EKS_CLUSTER } from "./spoke";

/** The facts of an EKS cluster. */
export interface EksProps {
  /**
   * The cluster, declared or looked up: its literal attributes need not be stated again.
   *
   * @defaultValue - none; everything must be stated
   */
  readonly cluster?: EksCluster | DataAwsEksCluster;
  /**
   * DNS label; becomes part of the names of roles. State it if the name in EKS is no DNS label (`Prod_EU`).
   *
   * @defaultValue - the cluster's name in EKS
   */
  readonly name?: string;
  /**
   * Version of the nodes' kubelets, for example `1.35`; image pulls need 1.34.
   *
   * @defaultValue - the version of the control plane
   */
  readonly version?: string;
  /**
   * Version of the control plane, at least that of the kubelets.
   *
   * @defaultValue - the version in `cluster`, or else `version`
   */
  readonly apiServerVersion?: string;
  /**
   * The issuer, `https://oidc.eks.<region>.amazonaws.com/id/<id>`. EKS chooses the id when it creates the cluster:
   * state it for an existing cluster, so that trust policies are literal and can be checked before apply.
   *
   * @defaultValue - `identity[0].oidc[0].issuer` of the cluster, known after apply
   */
  readonly issuer?: GivenIssuer;
  /**
   * Region of the cluster; determines the registry of its system images.
   *
   * @defaultValue - the region in `cluster`
   */
  readonly region?: string;
  /**
   * The plugins on the nodes by key; a text is the version, as in `{ ecr: "1.35.2" }`. The release notes of EKS' AMIs
   * do not state it; `/etc/eks/image-credential-provider/ecr-credential-provider --version` on a node prints it.
   *
   * @defaultValue - none; image pulls are refused
   */
  readonly plugins?: StatedPlugins;
  /**
   * Further registries from which nodes pull with their own identity even in strict mode, as hosts or patterns: those
   * of add-ons from AWS Marketplace, of GuardDuty's agent and the like.
   *
   * @defaultValue - EKS' own registry of the region, and ECR Public
   */
  readonly systemRegistries?: readonly string[];
}

const EKS_PROPS: ObjectKind<EksProps> = object({
  cluster: optional(EKS_CLUSTER),
  name: optional(text),
  version: optional(text),
  apiServerVersion: optional(text),
  issuer: optional(ISSUER),
  region: optional(text),
  plugins: optional(STATED_PLUGINS),
  systemRegistries: optional(list(text)),
});

/**
 * Returns the facts of an EKS cluster whose nodes run Amazon Linux 2023 with user data: managed node groups with a
 * launch template, Karpenter, self-managed nodes. Fargate and Auto Mode do not accept files; their pods pull with the
 * identity of the service.
 *
 * Files and flags are written as data. Tokens get their own entry, only for the declared registries, next to the entry
 * with which nodes pull EKS' system images.
 */
export function eks(props: EksProps): ICluster<Construct> {
  checkGiven("eks()", EKS_PROPS, props);
  const { cluster, systemRegistries = [] } = props;
  const nameInput = cluster?.nameInput;
  const name = clusterName(statedOrInput("the name", props.name, nameInput, "eks({ name })"));
  const regionInput = cluster?.regionInput;
  const region = props.region ?? (isLate(regionInput) ? undefined : regionInput);
  if (region !== undefined) partitionOf(region);
  if (cluster && region !== undefined) at(cluster, () => checkClusterRegion(cluster, region));
  const declared = cluster && statedIssuer(cluster);
  const issuer = eksIssuer(
    Issuer.of(
      statedOrInput<GivenIssuer>("the issuer", props.issuer ?? declared, undefined, "eks({ issuer })"),
    ),
    region,
  );
  const minors = minorsOf(props);
  const plugins = eksPlugins(pluginFacts("eks()", props.plugins ?? {}), minors.kubelet);
  const distribution = "eks";
  return {
    name,
    ...(nameInput !== undefined && !isLate(nameInput) && { cloudName: nameInput }),
    builtInWebhooks: ["aws"],
    distribution,
    issuer,
    ...minors,
    plugins,
    stockProviders: { ecr: eksStockProvider(minors.kubelet, region, systemRegistries) },
    additionalProviders: [],
    configPath: () => NODEADM_PLACES.configPath,
    pluginDirectory: NODEADM_PLACES.pluginDirectory,
    pluginDirectoryWritable: true,
    recorded: { name, distribution, ...issuer.recorded, ...minors, plugins },
    carriers: [asData("all-nodes")],
  };
}

function statedIssuer(cluster: EksCluster | DataAwsEksCluster): string {
  return cluster.identity.get(0).oidc.get(0).issuer;
}

function minorsOf({ cluster, version, apiServerVersion }: EksProps): ReturnType<typeof notNewer> {
  const input = cluster && "versionInput" in cluster ? cluster.versionInput : undefined;
  const api = apiServerVersion ?? (isLate(input) ? undefined : input);
  const kubelet = statedOrInput("the version", version, api, "eks({ version })");
  return notNewer(
    minorOf("version of the kubelet", kubelet),
    minorOf("version of the control plane", api ?? kubelet),
  );
}
