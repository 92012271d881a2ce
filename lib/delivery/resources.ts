import { Annotations } from "@cdktf/provider-kubernetes/lib/annotations/index.js";
import { Manifest } from "@cdktf/provider-kubernetes/lib/manifest/index.js";
import { type ITerraformDependable, type TerraformProvider, TerraformResource, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { at, list, record, text } from "../model/parsed";
import { computedFields, importId, isSharedSingleton } from "../rules/kubernetes-manifest";
import { derivedName, stableHash } from "../rules/names";
import type { ObjectDocument } from "../synth/manifest-files";
import { annotationsOf } from "./delivered-objects";

export interface ResourceSettings {
  readonly adopt: boolean;
  /** Whether fields of other field managers are taken over. */
  readonly forceConflicts: boolean;
  /** The field manager of annotations and of shared objects. */
  readonly fieldManager: string;
}

interface Common {
  readonly provider?: TerraformProvider;
  readonly dependsOn?: ITerraformDependable[];
}

/** Source: kubernetes/apimachinery, pkg/apis/meta/v1/validation (FieldManagerMaxLength, printable characters). */
const MANAGER = { max: 128, allowed: /[ -~]/, separator: "/" } as const;

/**
 * The field manager of a stack's manifests. Server-side apply removes what its manager no longer states, so two
 * deliveries, or `kubernetes_manifest` (which is `Terraform`), must not have the same one.
 */
export function fieldManager(stack: string): string {
  return derivedName(["cdktf-workload-identity", stack], MANAGER);
}

const APPLIED = "cdktf-workload-identity/applied";

/**
 * A shared object with an annotation that changes with it. Of a computed field, `kubernetes_manifest` applies what the
 * manifest states if that has changed, else what it read, and would then own all that others have set.
 *
 * Source: hashicorp/terraform-provider-kubernetes, manifest/provider/plan.go (`hasChanged`).
 */
function marked(object: ObjectDocument): ObjectDocument {
  const metadata = record(object["metadata"]);
  const annotations = { ...annotationsOf(object), [APPLIED]: stableHash([JSON.stringify(object)]) };
  return { ...object, metadata: { ...metadata, annotations } };
}

export function manifestResource(
  scope: Construct,
  name: string,
  object: ObjectDocument,
  common: Common,
  { adopt, forceConflicts, fieldManager: manager }: ResourceSettings,
): Manifest {
  const isShared = isSharedSingleton(object);
  const computed = computedFields(object);
  const resource = new Manifest(scope, name, {
    manifest: { ...(isShared ? marked(object) : object) },
    ...common,
    ...(computed && { computedFields: [...computed] }),
    ...(forceConflicts && { fieldManager: { forceConflicts } }),
    ...(isShared && {
      fieldManager: { name: manager, forceConflicts: true },
      lifecycle: { preventDestroy: true },
    }),
  });
  resource.overrideLogicalId(name);
  if (isShared || adopt) resource.importFrom(importId(object), common.provider);
  return resource;
}

/**
 * A service account and its annotations. `kubernetes_manifest` takes all annotations for the server's, and would not
 * show that one of them was changed or removed.
 */
export function withAnnotations(
  scope: Construct,
  name: string,
  object: ObjectDocument,
  common: Common,
  settings: ResourceSettings,
): readonly TerraformResource[] {
  const { annotations, ...metadata } = record(object["metadata"]);
  const account = manifestResource(scope, name, { ...object, metadata }, common, settings);
  if (annotationsOf(object) === undefined) return [account];
  // References make Terraform create the account first, and never annotate another one than it declares.
  const identity = ["name", "namespace"].filter((key) => metadata[key] !== undefined);
  const references = identity.map((key) => [key, `\${kubernetes_manifest.${name}.manifest.metadata.${key}}`]);
  const referring = { ...object, metadata: { ...Object.fromEntries(references), annotations } };
  const { provider } = common;
  const forced = { ...settings, forceConflicts: true };
  return [account, annotationsResource(scope, name, referring, { ...(provider && { provider }) }, forced)];
}

/** Annotations of an object that exists. */
export function annotationsResource(
  scope: Construct,
  name: string,
  object: ObjectDocument,
  common: Common,
  { forceConflicts, fieldManager: manager }: ResourceSettings,
): Annotations {
  const metadata = record(object["metadata"]);
  const resource = new Annotations(scope, `${name}_annotations`, {
    apiVersion: String(object["apiVersion"]),
    kind: String(object["kind"]),
    metadata: {
      name: String(metadata["name"]),
      ...(metadata["namespace"] !== undefined && { namespace: String(metadata["namespace"]) }),
    },
    annotations: { ...annotationsOf(object) },
    fieldManager: manager,
    ...(forceConflicts && { force: true }),
    ...common,
  });
  resource.overrideLogicalId(name);
  return resource;
}

const NAMESPACE = /^kubernetes_namespace(?:_v1)?$/;

/** The names of the namespaces that resources declare, where they are literals. */
export function declaredNamespaces(resources: readonly ITerraformDependable[]): readonly string[] {
  return resources.flatMap((each) => {
    if (!TerraformResource.isTerraformResource(each)) return [];
    const { terraformResourceType: type, friendlyUniqueId: id } = each;
    const written = at(each.toTerraform(), "resource", type, id);
    const manifest = at(written, "manifest");
    if (at(manifest, "kind") === "Namespace") return [text(at(manifest, "metadata", "name"))];
    const metadata = at(written, "metadata");
    return NAMESPACE.test(type) ? [text(at(list(metadata)[0] ?? metadata, "name"))] : [];
  });
}

/** Terraform refuses a `removed` block of a resource that is declared. */
function declaredIn(stack: TerraformStack): ReadonlySet<string> {
  const resources = stack.node
    .findAll()
    .filter((each): each is TerraformResource => TerraformResource.isTerraformResource(each));
  return new Set(resources.map((each) => `${each.terraformResourceType}.${each.friendlyUniqueId}`));
}

/**
 * Terraform's blocks that make it forget resources and leave their objects in the cluster. They have no effect on
 * resources that are not in the state.
 *
 * Source: developer.hashicorp.com/terraform/language/state/remove; Terraform 1.7 and newer.
 */
export function removedBlocks(scope: Construct, addresses: Iterable<string>): object {
  const declared = declaredIn(TerraformStack.of(scope));
  const removed = [...new Set(addresses)]
    .filter((address) => !declared.has(address))
    .sort()
    .map((from) => ({ from, lifecycle: { destroy: false } }));
  return removed.length === 0 ? {} : { removed, terraform: { required_version: ">= 1.7.0" } };
}
