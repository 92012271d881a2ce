/*
 * Pods, and objects that make pods: their images, who they run as, and what else can bring credentials.
 */

import { PLACEHOLDER_START } from "../../artefact/placeholder";
import { propertyPath } from "../../artefact/property-path";
import { type Json, at, list, own, record, text } from "./access";
import type { LateReader } from "./late-text";
import { type Source, below } from "./source";

/** One image that a pod pulls. */
export interface WorkloadImage {
  /** As written in the pod. */
  readonly image: string;
  /** `imagePullPolicy`; empty where the kubelet's default holds. */
  readonly pullPolicy: string;
  /** Where it stands. */
  readonly source: Source;
}

/** A pod, or the template of many. */
export interface WorkloadFact {
  /** `Deployment shop/web`. */
  readonly title: string;
  /** Namespace; `default` where none is written. */
  readonly namespace: string;
  /** Name of the service account; `default` where none is written, as the API server fills it in. */
  readonly serviceAccount: string;
  /** Images of all containers, those of init and debugging included, and of image volumes. */
  readonly images: readonly WorkloadImage[];
  /** Names of the pull secrets. */
  readonly pullSecrets: readonly string[];
  /** Audiences of projected service account tokens, which a node may request without RBAC. */
  readonly audiences: readonly string[];
  /** CSI drivers of inline volumes, which may bring audiences too. */
  readonly drivers: readonly string[];
  /** Names of persistent volume claims, behind which CSI drivers may stand. */
  readonly claims: readonly string[];
  /** True where claims are made with the pod, so that their volumes are not known before. */
  readonly hasGeneratedClaims: boolean;
  /** Labels of the pods. */
  readonly labels: Json;
  /** The pods' spec, as written. */
  readonly spec: Json;
  /** True for a pod that the kubelet runs from a file: it has no service account, and no token. */
  readonly isStatic: boolean;
  /** Where it stands. */
  readonly source: Source;
}

/** Where each kind keeps the pod's spec. */
const POD_SPECS: Readonly<Record<string, readonly string[]>> = {
  Pod: ["spec"],
  CronJob: ["spec", "jobTemplate", "spec", "template", "spec"],
  DaemonSet: ["spec", "template", "spec"],
  Deployment: ["spec", "template", "spec"],
  DeploymentConfig: ["spec", "template", "spec"],
  Job: ["spec", "template", "spec"],
  ReplicaSet: ["spec", "template", "spec"],
  ReplicationController: ["spec", "template", "spec"],
  StatefulSet: ["spec", "template", "spec"],
};

/** The kinds that are read. */
export const WORKLOAD_KINDS: readonly string[] = Object.keys(POD_SPECS);

const CONTAINERS: readonly string[] = ["initContainers", "containers", "ephemeralContainers"];

/** Reads a workload; `undefined` for every other kind. */
export function readWorkload(
  object: unknown,
  source: Source,
  late: LateReader = (text) => text,
): WorkloadFact | undefined {
  const kind = text(own(object, "kind"));
  const path = Object.hasOwn(POD_SPECS, kind) ? POD_SPECS[kind] : undefined;
  const spec = path && at(object, ...path);
  if (path === undefined || spec === undefined) return undefined;
  const place = below(source, propertyPath(path));
  const namespace = text(at(object, "metadata", "namespace")) || "default";
  const volumes = list(own(spec, "volumes"));
  return {
    title: `${kind} ${namespace}/${text(at(object, "metadata", "name"))}`,
    namespace,
    serviceAccount: text(own(spec, "serviceAccountName")) || text(own(spec, "serviceAccount")) || "default",
    images: [...containerImages(spec, place), ...volumeImages(volumes, place)],
    pullSecrets: pullSecretNames(spec),
    audiences: volumes.flatMap((volume) =>
      list(at(volume, "projected", "sources")).flatMap((projected) => {
        const audience = at(projected, "serviceAccountToken", "audience");
        return typeof audience === "string" ? [audience] : [];
      }),
    ),
    drivers: volumes.map((volume) => text(at(volume, "csi", "driver"))).filter((name) => name !== ""),
    claims: volumes
      .map((volume) => text(at(volume, "persistentVolumeClaim", "claimName")))
      .filter((name) => name !== ""),
    hasGeneratedClaims:
      volumes.some((volume) => own(volume, "ephemeral") !== undefined) ||
      list(at(object, "spec", "volumeClaimTemplates")).length > 0,
    labels: record(at(object, ...path.slice(0, -1), "metadata", "labels")),
    spec: followedEnv(record(spec), late),
    isStatic: isStaticPod(at(object, "metadata", "annotations")),
    source,
  };
}

/** The spec with late values of its containers' variables as references; nothing else of a pod is late. */
function followedEnv(spec: Json, late: LateReader): Json {
  const isLateVariable = (variable: unknown): boolean =>
    text(own(variable, "value")).includes(PLACEHOLDER_START);
  const changed = CONTAINERS.filter((kind) =>
    list(own(spec, kind)).some((container) => list(own(container, "env")).some(isLateVariable)),
  );
  if (changed.length === 0) return spec;
  const followed = (container: unknown): Json => ({
    ...record(container),
    env: list(own(container, "env")).map((variable) =>
      isLateVariable(variable)
        ? { ...record(variable), value: late(text(own(variable, "value"))) }
        : variable,
    ),
  });
  return {
    ...spec,
    ...Object.fromEntries(changed.map((kind) => [kind, list(own(spec, kind)).map(followed)])),
  };
}

/**
 * True for a few fields of a workload that somebody else's manifest has whole, as server-side apply takes them: which
 * images it has and who it runs as is not known.
 */
export function isPartial({ spec }: Pick<WorkloadFact, "spec">): boolean {
  return list(own(spec, "containers")).every((container) => own(container, "image") === undefined);
}

/** A pod as the API server shows it says where the kubelet took it from. Source: kubernetes:pkg/kubelet/types. */
function isStaticPod(annotations: unknown): boolean {
  const source = text(own(annotations, "kubernetes.io/config.source"));
  return own(annotations, "kubernetes.io/config.mirror") !== undefined || /^(?:file|http)$/.test(source);
}

/** The names in `imagePullSecrets` of a pod's spec or a service account. */
export function pullSecretNames(holder: unknown): readonly string[] {
  return list(own(holder, "imagePullSecrets"))
    .map((secret) => text(own(secret, "name")))
    .filter((name) => name !== "");
}

function containerImages(spec: unknown, place: Source): WorkloadImage[] {
  return CONTAINERS.flatMap((key) =>
    list(own(spec, key)).map((container, index) => ({
      image: text(own(container, "image")),
      pullPolicy: text(own(container, "imagePullPolicy")),
      source: below(place, propertyPath([key, index, "image"])),
    })),
  );
}

function volumeImages(volumes: readonly unknown[], place: Source): WorkloadImage[] {
  return volumes.flatMap((volume, index) => {
    const image = record(own(volume, "image"));
    if (typeof image["reference"] !== "string") return [];
    const source = below(place, propertyPath(["volumes", index, "image", "reference"]));
    return [{ image: image["reference"], pullPolicy: text(image["pullPolicy"]), source }];
  });
}
