/*
 * Pods, and objects that create pods: their images, their service accounts, and other sources of credentials.
 *
 * Source: kubernetes:plugin/pkg/admission/noderestriction/admission.go, `podReferencesAudience`.
 */

import { propertyPath } from "../../model/property-path";
import { type Known, notKnown, orElse, unread } from "../../model/known";
import { type Json, at, list, record, text } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { type Tree, listAt, treeAt } from "../../model/tree";
import { withoutCredentials } from "./credentials";
import { type LateReader, lateTree } from "./late-text";
import { type KubernetesDocument, type KubernetesObject, titleOf } from "./objects";
import { CONTAINERS, podSpecPath } from "../../rules/pod-specs";
import { type Source, below } from "./source";

export interface WorkloadImage {
  readonly image: Known<string>;
  /** `imagePullPolicy`; `undefined` if the kubelet's default applies. */
  readonly pullPolicy: string | undefined;
  readonly source: Source;
}

export interface PodFact {
  /** `Deployment shop/web`. */
  readonly title: string;
  readonly labels: ReadonlyMap<string, Known<string>>;
  readonly annotations: ReadonlyMap<string, Known<string>>;
  /** The pods' spec, with late values as references. */
  readonly spec: Tree;
  readonly source: Source;
}

export interface WorkloadFact extends PodFact {
  /** Namespace; `default` if none is written. */
  readonly namespace: string;
  /** Name of the service account; `default` if none is written, as the API server fills it in. */
  readonly serviceAccount: string;
  /** Images of all containers, including init and ephemeral ones, and of image volumes. */
  readonly images: readonly WorkloadImage[];
  readonly pullSecrets: readonly string[];
  /** Audiences of projected service account tokens, which a node may request without RBAC. */
  readonly audiences: readonly Known<string>[];
  /** True if CSI drivers serve its volumes, or may: they bring audiences of their own. */
  readonly hasDrivers: boolean;
  /** True for a pod that the kubelet runs from a file: it has no service account, and no token. */
  readonly isStatic: boolean;
  /** True for a pod that has ended and pulls no more images. */
  readonly hasEnded: boolean;
}

/** Reads a workload; `undefined` for an object without pods. */
export function readWorkload({ value, kind, source, late }: KubernetesObject): WorkloadFact | undefined {
  const path = podSpecPath(kind);
  const spec = path && at(value, ...path);
  if (path === undefined || !isRecord(spec)) return undefined;
  const place = below(source, propertyPath(path));
  const volumes = list(spec["volumes"]);
  const metadata = at(value, ...path.slice(0, -1), "metadata");
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
    hasDrivers:
      volumes.some((volume) => DRIVEN.some((kind) => at(volume, kind) !== undefined)) ||
      list(at(value, "spec", "volumeClaimTemplates")).length > 0,
    labels: textMap(at(metadata, "labels"), late),
    annotations: textMap(at(metadata, "annotations"), late),
    spec: lateTree(spec, late),
    isStatic: isStaticPod(at(value, "metadata", "annotations")),
    hasEnded: kind === "Pod" && ENDED.includes(text(at(value, "status", "phase"))),
    source,
  };
}

const DRIVEN: readonly string[] = ["csi", "ephemeral", "persistentVolumeClaim"];

/** The texts of a mapping: labels, annotations. */
export function textMap(value: unknown, late: LateReader): ReadonlyMap<string, Known<string>> {
  const texts = new Map<string, Known<string>>();
  const written = record(value);
  // Without lists of lists: there are tens of thousands of accounts.
  for (const key of Object.keys(written)) {
    const each = written[key];
    if (typeof each === "string") texts.set(key, filledIn(each, late));
    else if (each === null) texts.set(key, unread(`${key} is null, which becomes an empty text or nothing`));
  }
  return texts;
}

/** As envsubst, templates and people who copy an example leave them: `${ACCOUNT_ID}`, `{{ .arn }}`, `<ACCOUNT_ID>`. */
const PLACEHOLDER = /\$\{[^{}]*\}|\{\{.*?\}\}|<[A-Za-z][\w .-]*>/;

/** A text, not known if something must fill in a placeholder before it is applied. */
function filledIn(text: string, late: LateReader): Known<string> {
  const [placeholder] = /[<{]/.test(text) ? (PLACEHOLDER.exec(text) ?? []) : [];
  return placeholder === undefined
    ? late(text)
    : notKnown({ kind: "placeholder", text, what: `${text}, with the placeholder ${placeholder}` });
}

/**
 * True for a partial manifest for server-side apply, whose full manifest is elsewhere: the workload's images and its
 * service account are not known.
 */
export function isPartial({ spec }: Pick<WorkloadFact, "spec">): boolean {
  const containers = orElse(listAt(treeAt(spec, "containers")), () => []);
  return containers.every((container) => orElse(treeAt(container, "image"), () => null) === undefined);
}

/** True if the annotation that the kubelet sets says that the pod is static. Source: kubernetes:pkg/kubelet/types. */
function isStaticPod(annotations: unknown): boolean {
  const source = text(at(annotations, "kubernetes.io/config.source"));
  return at(annotations, "kubernetes.io/config.mirror") !== undefined || /^(?:file|http)$/.test(source);
}

const ENDED: readonly string[] = ["Succeeded", "Failed"];

/** The names in `imagePullSecrets` of a pod's spec or a service account. */
export function pullSecretNames(holder: unknown): readonly string[] {
  const secrets = list(at(holder, "imagePullSecrets"));
  // There are many holders, and most have none.
  return secrets.length === 0
    ? NONE
    : secrets.map((each) => text(at(each, "name"))).filter((name) => name !== "");
}

const NONE: readonly string[] = [];

function containerImages(spec: Json, place: Source, late: LateReader): readonly WorkloadImage[] {
  return CONTAINERS.flatMap((key) =>
    list(spec[key]).map((container, index) => ({
      image: filledIn(text(at(container, "image")), late),
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

const FRAGMENT = /^pods\/(?:[^/]+\/)?([^./]+)\.(.+)\.yaml$/;

/** The service account, `namespace/name`, of a file `pods/<namespace>.<name>.yaml`, and the pod that it describes. */
export function podFragment(
  file: string,
  { value, source, late }: KubernetesDocument,
): { readonly account: string; readonly pod: PodFact } {
  const [, namespace = "", name = ""] = FRAGMENT.exec(file) ?? [];
  const { env, volumeMounts, volumes, labels, annotations } = record(value);
  const spec = withoutCredentials(lateTree({ containers: [{ env, volumeMounts }], volumes }, late));
  return {
    account: `${namespace}/${name}`,
    pod: {
      title: "what its pods need",
      labels: textMap(labels, late),
      annotations: textMap(annotations, late),
      spec,
      source,
    },
  };
}
