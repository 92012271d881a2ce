/*
 * What OpenShift's objects tell the nodes' runtime of registries: mirrors, limits, signatures. The kubelet looks
 * credentials up by the name in the pod and knows nothing of them.
 */

import { propertyPath } from "../../artefact/property-path";
import { at, list, text, texts } from "../../model/parsed";
import { type KubernetesObject, type Objects, titleOf } from "./objects";
import { type Source, below } from "./source";

/** One source with its mirrors. */
export interface MirrorRule {
  readonly title: string;
  /** `host`, `host/path` or `*.domain`; covers everything below it. */
  readonly source: string;
  /** Where the runtime goes first, in order: `host` or `host/path`. */
  readonly mirrors: readonly string[];
  /** True where the runtime never goes to the source, by `mirrorSourcePolicy: NeverContactSource`. */
  readonly blocksSource: boolean;
  readonly place: Source;
}

/** What `Image/cluster` says of registries. */
export interface RegistrySources {
  /** Scopes that are not pulled from: `host`, `host/path` or `*.domain`. */
  readonly blocked: readonly string[];
  /** The only scopes that are pulled from; `undefined` where nothing limits them. */
  readonly allowed: readonly string[] | undefined;
  readonly source: Source;
}

/** A policy of signatures. */
export interface ImagePolicyFact {
  /** `ClusterImagePolicy acme`, `ImagePolicy shop/acme`. */
  readonly title: string;
  /** Scopes that it is for: `host`, `host/path` or `*.domain`. */
  readonly scopes: readonly string[];
  readonly source: Source;
}

/** What the objects of a cluster say of registries. */
export interface RegistryFacts {
  /** Where the nodes' runtime pulls from instead of what pods name. */
  readonly mirrors: readonly MirrorRule[];
  /** Which registries the nodes' runtime may pull from; none where nothing limits it. */
  readonly registrySources: readonly RegistrySources[];
  /** Signatures that the nodes' runtime asks of images. */
  readonly imagePolicies: readonly ImagePolicyFact[];
}

/** Where each kind keeps its rules. */
const LISTS: Readonly<Record<string, string>> = {
  ImageContentSourcePolicy: "repositoryDigestMirrors",
  ImageDigestMirrorSet: "imageDigestMirrors",
  ImageTagMirrorSet: "imageTagMirrors",
};

/** Reads the objects. Source: openshift/api, config/v1 (`RegistrySources`, ClusterImagePolicy, ImagePolicy). */
export function readRegistries(objects: Objects): RegistryFacts {
  return {
    mirrors: objects.of(...Object.keys(LISTS)).flatMap(mirrorRules),
    registrySources: objects
      .of("Image")
      .filter(({ value }) => at(value, "metadata", "name") === "cluster")
      .map(({ value, source }) => {
        const sources = at(value, "spec", "registrySources");
        const allowed = texts(at(sources, "allowedRegistries"));
        return {
          blocked: texts(at(sources, "blockedRegistries")),
          allowed: allowed.length === 0 ? undefined : allowed,
          source: below(source, "spec.registrySources"),
        };
      }),
    imagePolicies: objects.of("ClusterImagePolicy", "ImagePolicy").map(({ value, kind, source }) => ({
      title: titleOf(value, kind),
      scopes: texts(at(value, "spec", "scopes")),
      source: below(source, "spec.scopes"),
    })),
  };
}

function mirrorRules({ value, kind, source }: KubernetesObject): readonly MirrorRule[] {
  const field = LISTS[kind] ?? "";
  return list(at(value, "spec", field)).flatMap((rule, index): readonly MirrorRule[] => {
    const from = text(at(rule, "source"));
    const mirrors = texts(at(rule, "mirrors")).filter((mirror) => mirror !== from);
    if (from === "" || mirrors.length === 0) return [];
    // ImageContentSourcePolicy has no such field, and what it has none of is dropped.
    const policy = kind === "ImageContentSourcePolicy" ? undefined : at(rule, "mirrorSourcePolicy");
    return [
      {
        title: titleOf(value, kind),
        source: from,
        mirrors,
        blocksSource: policy === "NeverContactSource",
        place: below(source, propertyPath(["spec", field, index])),
      },
    ];
  });
}
