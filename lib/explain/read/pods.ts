/*
 * Pods, and objects that make pods: their images, who they run as, and what else can bring credentials; and audiences
 * that nodes may request because a CSI driver behind a pod's volume asks for them.
 *
 * Source: kubernetes:plugin/pkg/admission/noderestriction/admission.go, `podReferencesAudience`.
 */

import { propertyPath } from "../../artefact/property-path";
import { type Known, orElse, unread } from "../../model/known";
import { type Json, at, list, record, text } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { type Tree, listAt, treeAt } from "../../model/tree";
import { type LateReader, lateTree } from "./late-text";
import {
  type KubernetesDocument,
  type KubernetesObject,
  type Objects,
  groupsOf,
  keyOf,
  titleOf,
} from "./objects";
import { CONTAINERS, podSpecPath } from "../../rules/pod-specs";
import { type Source, below } from "./source";

export interface WorkloadImage {
  readonly image: Known<string>;
  /** `imagePullPolicy`; `undefined` where the kubelet's default holds. */
  readonly pullPolicy: string | undefined;
  readonly source: Source;
}

/** A pod, the template of many, or what was written that pods need. */
export interface PodFact {
  /** `Deployment shop/web`. */
  readonly title: string;
  readonly labels: ReadonlyMap<string, Known<string>>;
  /** The pods' spec, late values in it as references. */
  readonly spec: Tree;
  readonly source: Source;
}

/** A pod, or the template of many. */
export interface WorkloadFact extends PodFact {
  /** Namespace; `default` where none is written. */
  readonly namespace: string;
  /** Name of the service account; `default` where none is written, as the API server fills it in. */
  readonly serviceAccount: string;
  /** Images of all containers, those of init and debugging included, and of image volumes. */
  readonly images: readonly WorkloadImage[];
  readonly pullSecrets: readonly string[];
  /** Audiences of projected service account tokens, which a node may request without RBAC. */
  readonly audiences: readonly Known<string>[];
  /** CSI drivers of inline volumes, which may bring audiences too. */
  readonly drivers: readonly string[];
  /** Names of persistent volume claims, behind which CSI drivers may stand. */
  readonly claims: readonly string[];
  /** True where claims are made with the pod, so that their volumes are not known before. */
  readonly hasGeneratedClaims: boolean;
  /** True for a pod that the kubelet runs from a file: it has no service account, and no token. */
  readonly isStatic: boolean;
  /** True for a pod that has ended, and pulls nothing any more. */
  readonly hasEnded: boolean;
}

/** Reads a workload; `undefined` for one without pods. */
export function readWorkload({ value, kind, source, late }: KubernetesObject): WorkloadFact | undefined {
  const path = podSpecPath(kind);
  const spec = path && at(value, ...path);
  if (path === undefined || !isRecord(spec)) return undefined;
  const place = below(source, propertyPath(path));
  const volumes = list(spec["volumes"]);
  const metadata = at(value, ...path.slice(0, -1), "metadata");
  const named = (...keys: readonly string[]): readonly string[] =>
    volumes.map((volume) => text(at(volume, ...keys))).filter((name) => name !== "");
  return {
    title: titleOf(value, kind),
    namespace: text(at(value, "metadata", "namespace")) || "default",
    serviceAccount: text(spec["serviceAccountName"]) || text(spec["serviceAccount"]) || "default",
    images: [...containerImages(spec, place, late), ...volumeImages(volumes, place, late)],
    pullSecrets: pullSecretNames(spec),
    audiences: volumes.flatMap((volume) =>
      list(at(volume, "projected", "sources")).flatMap((projected) => {
        const audience = at(projected, "serviceAccountToken", "audience");
        return typeof audience === "string" ? [late(audience)] : [];
      }),
    ),
    drivers: named("csi", "driver"),
    claims: named("persistentVolumeClaim", "claimName"),
    hasGeneratedClaims:
      volumes.some((volume) => at(volume, "ephemeral") !== undefined) ||
      list(at(value, "spec", "volumeClaimTemplates")).length > 0,
    labels: textMap(at(metadata, "labels"), late),
    spec: lateTree(spec, late),
    isStatic: isStaticPod(at(value, "metadata", "annotations")),
    hasEnded: kind === "Pod" && ENDED.includes(text(at(value, "status", "phase"))),
    source,
  };
}

/** The texts of a mapping: labels, annotations. */
export function textMap(value: unknown, late: LateReader): ReadonlyMap<string, Known<string>> {
  const texts = new Map<string, Known<string>>();
  const written = record(value);
  // Without lists of lists: there are tens of thousands of accounts.
  for (const key of Object.keys(written)) {
    const each = written[key];
    if (typeof each === "string") texts.set(key, late(each));
    else if (each === null) texts.set(key, unread(`${key} is null, which becomes an empty text or nothing`));
  }
  return texts;
}

/**
 * True for a few fields of a workload whose whole manifest stands elsewhere, as server-side apply takes them: which
 * images it has and who it runs as is not known.
 */
export function isPartial({ spec }: Pick<WorkloadFact, "spec">): boolean {
  const containers = orElse(listAt(treeAt(spec, "containers")), () => []);
  return containers.every((container) => orElse(treeAt(container, "image"), () => null) === undefined);
}

/** A pod as the API server shows it says where the kubelet took it from. Source: kubernetes:pkg/kubelet/types. */
function isStaticPod(annotations: unknown): boolean {
  const source = text(at(annotations, "kubernetes.io/config.source"));
  return at(annotations, "kubernetes.io/config.mirror") !== undefined || /^(?:file|http)$/.test(source);
}

const ENDED: readonly string[] = ["Succeeded", "Failed"];

/** The names in `imagePullSecrets` of a pod's spec or a service account. */
export function pullSecretNames(holder: unknown): readonly string[] {
  const secrets = list(at(holder, "imagePullSecrets"));
  // Most have none, and there are many.
  return secrets.length === 0
    ? NONE
    : secrets.map((each) => text(at(each, "name"))).filter((name) => name !== "");
}

const NONE: readonly string[] = [];

function containerImages(spec: Json, place: Source, late: LateReader): readonly WorkloadImage[] {
  return CONTAINERS.flatMap((key) =>
    list(spec[key]).map((container, index) => ({
      image: late(text(at(container, "image"))),
      pullPolicy: text(at(container, "imagePullPolicy")) || undefined,
      source: below(place, propertyPath([key, index, "image"])),
    })),
  );
}

function volumeImages(
  volumes: readonly unknown[],
  place: Source,
  late: LateReader,
): readonly WorkloadImage[] {
  return volumes.flatMap((volume, index) => {
    const reference = at(volume, "image", "reference");
    if (typeof reference !== "string") return [];
    const pullPolicy = text(at(volume, "image", "pullPolicy")) || undefined;
    const source = below(place, propertyPath(["volumes", index, "image", "reference"]));
    return [{ image: late(reference), pullPolicy, source }];
  });
}

const FRAGMENT = /^pods\/([^.]+)\.(.+)\.yaml$/;

/** The service account, `namespace/name`, of a file `pods/<namespace>.<name>.yaml`, and the pod that the file asks for. */
export function podFragment(
  file: string,
  { value, source, late }: KubernetesDocument,
): readonly [string, PodFact] {
  const [, namespace = "", name = ""] = FRAGMENT.exec(file) ?? [];
  const { env, volumeMounts, volumes, labels } = record(value);
  const spec = lateTree({ containers: [{ env, volumeMounts }], volumes }, late);
  return [
    `${namespace}/${name}`,
    { title: "what its pods need", labels: textMap(labels, late), spec, source },
  ];
}

/** The CSI drivers that were read, and which one is behind each claim. */
export interface VolumeDrivers {
  /** Audiences in `tokenRequests` by the driver's name. */
  readonly audiences: ReadonlyMap<string, readonly Known<string>[]>;
  /** The driver behind a claim by `namespace/name`; `undefined` for a volume that no CSI driver serves. */
  readonly ofClaim: ReadonlyMap<string, string | undefined>;
}

/** Reads CSIDriver, PersistentVolume and PersistentVolumeClaim objects. */
export function readVolumeDrivers(objects: Objects): VolumeDrivers {
  const volumes = new Map(
    objects.of("PersistentVolume").map(({ value }) => [nameOf(value), driverOf(value)]),
  );
  const claims = objects.of("PersistentVolumeClaim").flatMap(({ value }) => {
    const behind = volumes.get(text(at(value, "spec", "volumeName")));
    return behind === undefined || behind === "unread" ? [] : [[keyOf(value), behind.driver] as const];
  });
  const audiences = groupsOf(objects.of("CSIDriver")).map(([, documents]) => {
    const all = documents.flatMap(({ value, late }) =>
      list(at(value, "spec", "tokenRequests")).map((request) => late(text(at(request, "audience")))),
    );
    return [nameOf(documents[0]?.value), documents.length > 1 ? [...all, CONTESTED] : all] as const;
  });
  return { audiences: new Map(audiences), ofClaim: new Map(claims) };
}

const CONTESTED: Known<string> = unread("several documents of one CSIDriver were read");

function nameOf(object: unknown): string {
  return text(at(object, "metadata", "name"));
}

const WITHOUT_DRIVER: readonly string[] = ["hostPath", "local", "nfs"];

/** A volume of a former in-tree kind is translated to its CSI driver, whose name is not read here. */
function driverOf(volume: unknown): { readonly driver: string | undefined } | "unread" {
  const driver = text(at(volume, "spec", "csi", "driver"));
  if (driver !== "") return { driver };
  const isWithout = WITHOUT_DRIVER.some((kind) => at(volume, "spec", kind) !== undefined);
  return isWithout ? { driver: undefined } : "unread";
}
