import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { Scalar, stringify } from "yaml";
import { clusterObject } from "../kubernetes/metadata";
import { type NodeFile, NODE_FILE, nodeFile } from "../model/node-file";
import { machineConfigManifest, checkedPools } from "../rules/openshift/machine-config";
import { type ObjectKind, checkProps, list, object, text } from "../model/shape";
import { namespaceName } from "../model/kubernetes-name";
import { fail } from "../errors";
import { literal, LateEncoding, LateText } from "../model/late";
import { kubeletRestart } from "../rules/openshift/node-files";

/** What a {@link MachineConfig} writes, and to which nodes. */
export interface MachineConfigProps {
  /**
   * Name of the object, for example `99-worker-kubelet-credential-provider`.
   *
   * If two MachineConfigs write the same file, the later name in byte order wins; those of a custom pool win over
   * those of `worker`. ARO clusters with the older guardrail refuse names that end in `-kubelet` or contain `-worker-`.
   */
  readonly name: string;
  /** The MachineConfigPool: value of the label `machineconfiguration.openshift.io/role`, for example `worker`. */
  readonly machineRole: string;
  /** At least one; contents may be late. */
  readonly files: readonly NodeFile[];
}

export const MACHINE_CONFIG_PROPS: ObjectKind<MachineConfigProps> = object({
  name: text,
  machineRole: text,
  files: list(NODE_FILE),
});

/**
 * Files on the nodes of an OpenShift pool, as an Ignition 3.2.0 configuration.
 *
 * Replaces the whole file that an earlier MachineConfig writes to the same path. Applying it starts a rollout
 * of the pool, with reboots unless a node disruption policy names the paths.
 */
export class MachineConfig extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: MachineConfigProps) {
    checkProps(new.target.name, scope, id, MACHINE_CONFIG_PROPS, props);
    super(scope, id);
    this.resource = clusterObject(this, "Resource", { ...machineConfigManifest(props) });
  }
}

/** Contents and place of a {@link NodePoolConfigMap}. */
export interface NodePoolConfigMapProps {
  /** Name of the ConfigMap, for `spec.config` of the NodePools. */
  readonly name: string;
  /** Namespace of the NodePools, on the management cluster. */
  readonly namespace: string;
  /** Contents may be late. HyperShift forces the machine role `worker`. */
  readonly machineConfig: Omit<MachineConfigProps, "machineRole">;
}

const { machineRole: _, ...MACHINE_CONFIG } = MACHINE_CONFIG_PROPS.shape;

const NODE_POOL_CONFIG_MAP_PROPS: ObjectKind<NodePoolConfigMapProps> = object({
  name: text,
  namespace: text,
  machineConfig: object(MACHINE_CONFIG),
});

/**
 * A MachineConfig for HyperShift: wrapped in a ConfigMap on the management cluster, under the key `config`.
 *
 * Takes effect when a NodePool lists the ConfigMap in `spec.config` (at most ten); a change of its contents rolls the
 * pool out. Source: openshift/hypershift, hypershift-operator/controllers/nodepool.
 */
export class NodePoolConfigMap extends Construct {
  /** The manifest of the ConfigMap. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: NodePoolConfigMapProps) {
    checkProps(new.target.name, scope, id, NODE_POOL_CONFIG_MAP_PROPS, props);
    super(scope, id);
    const namespace = namespaceName(props.namespace);
    const [name = props.name] = checkedPools("ConfigMap of a NodePool", [props.name]);
    const config = yamlText(machineConfigManifest({ ...props.machineConfig, machineRole: "worker" }));
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace, name },
      data: { config },
    });
  }
}

/** Which changes a {@link NodeDisruptionPolicy} applies without a reboot. */
export interface NodeDisruptionPolicyProps {
  /** Absolute paths of files, or of directories, which include everything below them. */
  readonly paths: readonly string[];
}

const NODE_DISRUPTION_POLICY_PROPS: ObjectKind<NodeDisruptionPolicyProps> = object({
  paths: list(text),
});

const NO_MODE = 0;

/**
 * Restarts the kubelet, instead of draining and rebooting the node, when a MachineConfig changes one of the paths.
 *
 * The object `MachineConfiguration/cluster` is a singleton that others may own. Apply it with `kubectl apply
 * --server-side`: the list is merged by path (openshift/api, operator/v1, `listType=map`), so other owners' entries
 * stay. Apply it before the MachineConfigs. For OpenShift 4.17 and newer; has no effect on hosted clusters.
 */
export class NodeDisruptionPolicy extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: NodeDisruptionPolicyProps) {
    checkProps(new.target.name, scope, id, NODE_DISRUPTION_POLICY_PROPS, props);
    super(scope, id);
    const paths = literal(props.paths, "paths of a node disruption policy");
    if (paths.length === 0)
      fail("openshift-missing", {
        problem:
          "the node disruption policy names no path, so it would write an empty list into a shared object",
        allowed: "at least one absolute path",
        remedy: "name the files that the policy is for, or leave the policy out",
      });
    const checked = paths.map((path) => nodeFile({ path, mode: NO_MODE, content: "" }).path);
    this.resource = clusterObject(this, "Resource", {
      apiVersion: "operator.openshift.io/v1",
      kind: "MachineConfiguration",
      metadata: { name: "cluster" },
      spec: { nodeDisruptionPolicy: { files: [...new Set(checked)].sort().map(kubeletRestart) } },
    });
  }
}

/*
 * A manifest as text inside another manifest, for example a MachineConfig in a NodePool's ConfigMap.
 */

/**
 * YAML of a document. If it contains late encodings, the result is a {@link LateText} that encodes only these later.
 *
 * YAML 1.1, as Kubernetes reads it: texts such as `yes` or `1e3` are quoted.
 */
export function yamlText(document: unknown): string | LateText {
  const late: LateEncoding[] = [];
  const mark = markFor(document);
  const marked = replaceLate(document, (encoding) => `${mark}${late.push(encoding) - 1}-`);
  const text = stringify(marked, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false });
  if (late.length === 0) return text;
  const parts = text.split(new RegExp(`${mark}(\\d+)-`));
  return new LateText(parts.map((part, index) => (index % 2 === 0 ? part : (late[Number(part)] ?? ""))));
}

/** A text that occurs nowhere in the document; letters and dashes, which YAML writes as they are. */
function markFor(document: unknown): string {
  const text = JSON.stringify(document);
  let mark = "late-encoding-";
  while (text.includes(mark)) mark = `x-${mark}`;
  return mark;
}

/** Writes marks in quotes, so that the text stays YAML with any placeholder; no encoding contains quotes. */
function replaceLate(value: unknown, mark: (encoding: LateEncoding) => string): unknown {
  if (value instanceof LateEncoding) return quoted(mark(value));
  if (Array.isArray(value)) return value.map((item) => replaceLate(item, mark));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceLate(item, mark)]));
}

function quoted(text: string): Scalar {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}
