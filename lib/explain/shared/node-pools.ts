/*
 * The pools of nodes that Terraform declares, whose pods may pull: what each gives its nodes, and to which cluster they
 * belong.
 *
 * Sources: EKS user guide, "Customize managed nodes with launch templates", "Self-managed nodes" (the tag) and "EKS Auto
 * Mode"; EC2 Auto Scaling user guide, "Launch templates" (a group takes the default version); AKS documentation,
 * "Customize node configuration", and GKE's, "Customize node system configuration", none of which has a credential provider.
 */

import {
  type Known,
  all,
  andThen,
  is,
  known,
  map,
  match,
  orElse,
  partsOf,
  shown,
  unread,
  whether,
  withoutPrefix,
} from "../../model/known";
import type { Block, Resource } from "../read/block";
import { bytesOfBase64 } from "../read/encoded-content";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";

export interface NodePool {
  readonly name: string;
  /** Name of its cluster; `undefined` if it names none. */
  readonly cluster: Known<string> | undefined;
  /** Version of its kubelets; `undefined` if it is that of the cluster, or not known. */
  readonly kubelet?: string | undefined;
  /** What its machines are given; `undefined` if they are given nothing. */
  readonly userData: Known<string | undefined>;
  /** True if its machines may be made from an image with files of the user's. */
  readonly hasOwnImage?: boolean;
  /** What to do about nodes that take no setup. */
  readonly remedy?: string | undefined;
  /** The folder of its configuration, or the file of its plan or state. */
  readonly folder?: string;
  readonly source: Source;
}

type UserData = Known<string | undefined>;

/** What nodes are given whose kubelets no one else configures. */
const ON_CLOSED = "on its nodes itself and takes no credential provider";
const AKS = `AKS writes the kubelet's configuration ${ON_CLOSED}`;
const GKE = `GKE writes the kubelet's configuration ${ON_CLOSED}`;
const AUTO = `EKS Auto Mode writes the kubelet's configuration ${ON_CLOSED}`;
const CLOSED_REMEDY =
  "keep the pods off these nodes, or let them pull with the nodes' own identity; if none of them runs there, accept the finding (--baseline)";

/** Each type that makes nodes. */
const TYPES: Readonly<Record<string, (resource: Resource, terraform: Terraform) => readonly NodePool[]>> = {
  aws_autoscaling_group: scalingGroup,
  aws_eks_cluster: (cluster) =>
    mayBe(cluster.block("compute_config"), "enabled") ? [closed(cluster, "name", AUTO)] : [],
  aws_eks_node_group: nodeGroup,
  azurerm_kubernetes_cluster: (cluster) => [closed(cluster, "name", AKS)],
  azurerm_kubernetes_cluster_node_pool: (pool) => [closed(pool, "kubernetes_cluster_id", AKS)],
  google_container_cluster: (cluster) =>
    is(cluster.flag("remove_default_node_pool"), true) === "yes" &&
    whether(cluster.blocks("node_pool"), ({ length }) => length === 0) === "yes"
      ? []
      : [closed(cluster, "name", GKE)],
  google_container_node_pool: (pool) => [closed(pool, "cluster", GKE)],
};

/** The pools that are declared here; those that are only looked up may be without nodes. */
export function nodePools(terraform: Terraform): readonly NodePool[] {
  return Object.entries(TYPES).flatMap(([type, read]) =>
    terraform
      .ofType(type)
      .filter(({ adopted }) => !adopted)
      .flatMap((resource) => read(resource, terraform)),
  );
}

/** The node classes of Karpenter, by group. Source: the projects' pkg/apis, and the EKS user guide on Auto Mode. */
const CLASSES: Readonly<Record<string, string>> = {
  "eks.amazonaws.com": AUTO,
  "karpenter.azure.com": AKS,
};

/** What is known of nodes of a class that brings no setup. */
export function ofNodeClass(
  group: string,
  kind: string,
  name: string,
): Pick<NodePool, "userData" | "remedy"> {
  const why = Object.hasOwn(CLASSES, group) ? CLASSES[group] : undefined;
  if (why !== undefined) return { userData: unread(why), remedy: CLOSED_REMEDY };
  return {
    userData: unread(
      kind === "EC2NodeClass"
        ? `its EC2NodeClass ${name} was not read`
        : `what nodes of its ${kind} ${name} are given is not known`,
    ),
  };
}

/** User data in TOML is Bottlerocket's. */
export function readable(userData: string = ""): UserData {
  return /^\s*\[+\s*"?settings\b/m.test(userData)
    ? unread("its user data is for Bottlerocket, whose settings explain does not read")
    : known(userData === "" ? undefined : userData);
}

function closed(resource: Resource, argument: string, why: string): NodePool {
  const owner = resource.referred(argument, ["id", "self_link"]);
  const cluster = owner
    ? owner.stated("name")
    : map(resource.stated(argument), (text) => text.replace(/^.*\//, ""));
  return { ...place(resource, "name"), cluster, userData: unread(why), remedy: CLOSED_REMEDY };
}

function place(resource: Resource, argument: string): Pick<NodePool, "name" | "source" | "folder"> {
  const name = orElse(resource.stated(argument), () => resource.address);
  return { name, source: resource.source, folder: resource.scope.place };
}

function mayBe(block: Known<Block | undefined>, flag: string): boolean {
  return whether(block, (each) => each !== undefined && is(each.flag(flag), true) !== "no") !== "no";
}

/** Of the AMIs that EKS chooses, only those with nodeadm read the user data that is read here. */
const AMI_TYPE = /^(?:AL2023_(?:x86_64|ARM_64)_(?:STANDARD|NEURON|NVIDIA)|CUSTOM)$/;

function nodeGroup(group: Resource, terraform: Terraform): readonly NodePool[] {
  const start = andThen(group.text("ami_type"), (ami = "CUSTOM"): Known<Start> => {
    if (!AMI_TYPE.test(ami)) return unread(`its AMI is of the type ${ami}`);
    return map(group.block("launch_template"), (block) =>
      block ? ofTemplate(terraform, block, ["id", "name"]) : STANDARD,
    );
  });
  const pool = {
    ...place(group, "node_group_name"),
    cluster: group.stated("cluster_name"),
    // The release of the AMI begins with the version of its kubelet; without both, EKS takes the cluster's.
    kubelet: ["release_version", "version"]
      .map((name) => orElse(group.text(name), () => undefined))
      .concat(orElse(start, () => STANDARD).kubelet)
      .find((each) => each !== undefined && each !== ""),
    hasOwnImage: orElse(start, () => STANDARD).hasOwnImage,
    userData: andThen(start, ({ userData }) => userData),
  };
  return [pool];
}

/** What instances are started from, and what it gives them. */
interface Start {
  readonly from: Resource | undefined;
  readonly userData: UserData;
  /** True if its image is not one that EKS chooses. */
  readonly hasOwnImage: boolean;
  /** Version of the kubelet in its image; `undefined` if its name does not tell. */
  readonly kubelet?: string | undefined;
}

const STANDARD: Start = { from: undefined, userData: known(undefined), hasOwnImage: false };

/** Scaling groups of machines that run something else than Kubernetes are no pools. */
function scalingGroup(group: Resource, terraform: Terraform): readonly NodePool[] {
  const pool = place(group, "name");
  const tag = taggedCluster(group);
  const starts = orElse(startsOf(group, terraform), () => [
    notRead("an expression makes its launch templates"),
  ]);
  return starts.flatMap(({ from, userData, hasOwnImage, kubelet }, nth): readonly NodePool[] => {
    const mentioned = USER_DATA.flatMap((name) => from?.mentioned(name) ?? []);
    const cluster = tag ?? mentioned.find(({ type }) => type === "aws_eks_cluster")?.stated("name");
    if (cluster === undefined && !isOfNode(from)) return [];
    const name = nth === 0 ? pool.name : `${pool.name}, instances ${nth + 1}`;
    return [{ ...pool, name, cluster, hasOwnImage, userData, kubelet }];
  });
}

/** Whether the user data of what was read speaks of a node's programs. */
function isOfNode(from: Resource | undefined): boolean {
  return USER_DATA.some((name) => {
    const written = JSON.stringify(from?.written([name]) ?? "");
    const text = orElse(from?.text(name) ?? known(""), () => "") ?? "";
    return [written, text, Buffer.from(text, "base64").toString()].some((each) => OF_NODE.test(each));
  });
}

const USER_DATA = ["user_data", "user_data_base64"] as const;

function notRead(what: string): Start {
  return { ...STANDARD, userData: unread(what) };
}

const IN_KEY = "kubernetes.io/cluster/";
const KEY = /^(?:kubernetes\.io\/cluster|k8s\.io\/cluster-autoscaler)\/(?!enabled$)([^/]+)$/;
/** Programs that make a machine a node, in the settings or scripts of user data, or in the names of what it is made of. */
const OF_NODE =
  /\/etc\/eks\/|node\.eks\.aws|settings\.kubernetes|(?<![a-z])(?:k3s|kubeadm|kubelet|microshift|nodeadm|rke2)(?![a-z])/i;

/** The cluster that the tags of a group name, or may name. */
function taggedCluster(group: Resource): Known<string> | undefined {
  return match(
    group.blocks("tag"),
    (tags) => tags.flatMap((tag) => clusterIn(tag) ?? [])[0],
    (): Known<string> => unread("an expression makes its tags"),
  );
}

function clusterIn(tag: Block): Known<string> | undefined {
  const key = tag.stated("key");
  return match(
    key,
    (text) => {
      const [, name] = KEY.exec(text) ?? [];
      if (name !== undefined) return known(name);
      return text === "eks:cluster-name" ? tag.stated("value") : undefined;
    },
    () => {
      const [first] = partsOf(key) ?? [];
      return typeof first === "string" && first !== IN_KEY ? undefined : withoutPrefix(key, IN_KEY);
    },
  );
}

/** The launch templates of a group, also those of single instance types, or its launch configuration. */
function startsOf(group: Resource, terraform: Terraform): Known<readonly Start[]> {
  return andThen(group.block("mixed_instances_policy"), (mixed) => {
    if (mixed === undefined)
      return map(group.block("launch_template"), (block) => [
        block ? ofTemplate(terraform, block, ["id", "name"]) : ofConfiguration(terraform, group),
      ]);
    return andThen(mixed.block("launch_template"), (templates) =>
      templates === undefined
        ? known([])
        : andThen(templates.blocks("override"), (overrides) =>
            map(all([templates, ...overrides].map((each) => each.block(SPECIFICATION))), (found) =>
              found.flatMap((each) => (each ? [ofTemplate(terraform, each, SPECIFIED)] : [])),
            ),
          ),
    );
  });
}

const SPECIFICATION = "launch_template_specification";
const SPECIFIED = ["launch_template_id", "launch_template_name"] as const;

const CONFIGURATION = "aws_launch_configuration";

function ofConfiguration(terraform: Terraform, group: Resource): Start {
  const argument = "launch_configuration";
  const from =
    group.referred(argument, ["id", "name"]) ??
    terraform.ofType(CONFIGURATION).find((each) => isSame(group.text(argument), each, "name"));
  if (from?.type !== CONFIGURATION) return notRead("its launch configuration was not read");
  const userData = andThen(from.text("user_data_base64"), (encoded) =>
    encoded === undefined ? andThen(from.text("user_data"), readable) : decoded(encoded),
  );
  return onImage(from, userData);
}

const TEMPLATE = "aws_launch_template";

/** The launch template with the id or name in a block's arguments, if the block takes what it is now. */
function ofTemplate(
  terraform: Terraform,
  block: Block,
  [id, name]: readonly [id: string, name: string],
): Start {
  const from =
    block.referred(id, ["id"]) ??
    block.referred(name, ["name"]) ??
    terraform
      .ofType(TEMPLATE)
      .find((each) => isSame(block.text(id), each, "id") || isSame(block.text(name), each, "name"));
  if (from?.type !== TEMPLATE) return notRead("its launch template was not read");
  const userData = isNewest(block, from)
    ? andThen(from.text("user_data"), decoded)
    : unread("it has another version of its launch template than the newest");
  return onImage(from, userData);
}

const PARAMETER = /^(?:resolve:ssm:)?\/aws\/service\/eks\/optimized-ami\/([^/]+)\/amazon-linux-2023\//;

function versionIn(parameter = ""): string | undefined {
  return PARAMETER.exec(parameter)?.[1];
}

/** Only of images by EKS it is known what they do with user data. */
function onImage(from: Resource, userData: UserData): Start {
  const image = from.text("image_id");
  const parameter = from.referred("image_id", ["value", "insecure_value"])?.text("name") ?? image;
  if (whether(parameter, (name) => name === undefined || PARAMETER.test(name)) === "yes")
    return { from, userData, hasOwnImage: false, kubelet: match(parameter, versionIn, () => undefined) };
  const given = andThen(userData, (text) =>
    text === undefined
      ? known(text)
      : unread(`what its image ${shown(image)} does with user data is not known`),
  );
  return { from, userData: given, hasOwnImage: true };
}

function isNewest(block: Block, template: Resource): boolean {
  const version = block.text("version");
  const latest = orElse(template.text("latest_version"), () => undefined);
  const takesDefault =
    is(version, undefined) === "yes" ||
    is(version, "$Default") === "yes" ||
    block.referred("version", ["default_version"]) === template;
  return (
    block.referred("version", ["latest_version"]) === template ||
    is(version, "$Latest") === "yes" ||
    (latest !== undefined && is(version, latest) === "yes") ||
    // Terraform moves the default version only if it is asked to.
    (takesDefault && is(template.flag("update_default_version"), true) === "yes")
  );
}

function isSame(value: Known<string | undefined>, template: Resource, key: string): boolean {
  const own = orElse(template.text(key), () => undefined);
  return own !== undefined && is(value, own) === "yes";
}

function decoded(encoded: string | undefined): UserData {
  const bytes = bytesOfBase64(encoded ?? "");
  return bytes === undefined
    ? unread("its user data is not base64, so EC2 refuses the launch template")
    : readable(bytes.toString());
}
