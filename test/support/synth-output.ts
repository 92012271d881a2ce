/*
 * Reads what a synth wrote as its user would: plain files, manifests finished by `bind` with made-up outputs.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { documentsIn } from "../../lib/explain/read/documents";
import { type NodeFact, kubeletCommand } from "../../lib/explain/read/node-files";
import { nodesOfDocuments } from "../../lib/explain/read/node-forms";
import { known, orElse } from "../../lib/model/known";
import type { IgnitionConfig } from "../../lib/rules/openshift/machine-config";
import { ignitionFiles } from "./ignition";
import { bind } from "../../lib/synth/bind/bind-folder";
import { Subject } from "../../lib/model/subject";
import { evaluated } from "./hcl";
import { type Json, inside, list, mapTexts, record, text } from "./json";
import { applied, madeUpOutputs } from "./terraform";

/** A file on a node. */
export interface FoundFile {
  readonly mode: number;
  readonly content: string;
}

/** The files of one group of nodes. */
export interface FoundNodes {
  /** The manifest or file that they were found in. */
  readonly where: string;
  readonly files: ReadonlyMap<string, FoundFile>;
  /** Empty where a distribution's own kubelet unit has the flags. */
  readonly kubeletFlags: Json;
}

/** Who pulls what. */
export interface FoundPull {
  readonly subject: Subject;
  /** An image that the declared pattern covers. */
  readonly image: string;
  /** True where every repository of the registry was declared. */
  readonly wholeRegistry: boolean;
}

/** One stack after a made-up apply and bind. */
export interface FinishedStack {
  readonly name: string;
  readonly cluster: Json;
  readonly issuer: string;
  readonly pulls: readonly FoundPull[];
  /** Objects of the cluster itself. */
  readonly objects: readonly Json[];
  readonly nodes: readonly FoundNodes[];
  /** Objects of each spoke, and its files, by the spoke's name. */
  readonly spokes: ReadonlyMap<string, readonly Json[]>;
  readonly terraform: Json;
  readonly warnings: readonly string[];
}

/** One stack as it was written. */
export interface WrittenStack {
  readonly name: string;
  /** Texts by path below the stack's folder. */
  readonly files: ReadonlyMap<string, string>;
  readonly terraform: Json;
  readonly identity: Json;
  readonly warnings: readonly string[];
}

const YAML = { version: "1.1", merge: false, strict: true } as const;

/** The stacks of a synth folder; those without a record have nothing but Terraform's configuration. */
export function writtenStacks(outdir: string): readonly WrittenStack[] {
  const manifest = JSON.parse(readFileSync(join(outdir, "manifest.json"), "utf8")) as Json;
  return Object.values(record(manifest["stacks"])).map((entry) => {
    const folder = join(outdir, text(record(entry)["workingDirectory"]));
    const read = (name: string): string => readFileSync(join(folder, name), "utf8");
    const records = ["workload-identity.json"].filter((name) => existsSync(join(folder, name)));
    const identity = records.map((name) => JSON.parse(read(name)) as Json)[0] ?? {};
    const lists = ["manifests", "nodes", "pods"].flatMap((key) => list(identity[key]));
    const listed = lists.map((file) => text(record(file)["file"]));
    return {
      name: text(record(entry)["name"]),
      files: new Map(["cdk.tf.json", ...records, ...listed].map((name) => [name, read(name)] as const)),
      terraform: JSON.parse(read("cdk.tf.json")) as Json,
      identity,
      warnings: list(record(entry)["annotations"])
        .map(record)
        .filter(({ level }) => level === "@cdktf/warn")
        .map(({ message }) => text(message)),
    };
  });
}

/** The stack as it stands once it was applied and bound. */
export function finishedStack(outdir: string, stack: WrittenStack): FinishedStack {
  const outputs = madeUpOutputs(stack.terraform);
  const bound =
    stack.files.size > 2
      ? boundTexts(join(outdir, "stacks", stack.name), stack, outputs)
      : new Map<string, string>();
  const cluster = record(list(filled(stack.identity, outputs)["clusters"])[0]);
  const manifests = list(stack.identity["manifests"]).map(record);
  const parsed = (file: unknown): readonly Json[] =>
    parseAllDocuments(bound.get(text(file)) ?? "", YAML).map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return record(document.toJS());
    });
  const documents = manifests.map(({ file, appliesTo }) => ({
    file: text(file),
    appliesTo,
    objects: parsed(file),
  }));
  const delivery = record(stack.identity["delivery"]);
  if (delivery["stack"] !== undefined)
    documents.push(...delivered(outdir, delivery, (name) => text(inside(outputs, name, "value"))));
  const nodes = list(stack.identity["nodes"]).map(record);
  const own = nodes.filter(({ spoke }) => spoke === undefined);
  const plain = own.filter(({ form }) => form === undefined).map(({ file }) => text(file));
  const others = own.filter(({ form }) => form !== undefined).map(({ file }) => text(file));
  const spokes = new Map<string, readonly Json[]>();
  for (const { spoke, file } of [...manifests, ...nodes])
    if (spoke !== undefined) spokes.set(text(spoke), [...(spokes.get(text(spoke)) ?? []), ...parsed(file)]);
  return {
    name: stack.name,
    cluster,
    issuer: text(cluster["issuer"]),
    pulls: pullsOf(cluster),
    objects: documents.filter(({ appliesTo }) => appliesTo === "cluster").flatMap(({ objects }) => objects),
    nodes: [
      ...documents.flatMap(({ file, objects }) => objects.flatMap((object) => nodesOf(file, object))),
      ...plain.map((file) => plainNodes(file, bound.get(file) ?? "")),
      ...formNodes(others.map((file) => [file, bound.get(file) ?? ""])),
    ],
    spokes,
    terraform: applied(stack.terraform),
    warnings: stack.warnings,
  };
}

/** The objects that another stack delivers, each as a document, with what the outputs of this one give. */
function delivered(
  outdir: string,
  delivery: Json,
  output: (name: string) => string,
): readonly { readonly file: string; readonly appliesTo: unknown; readonly objects: readonly Json[] }[] {
  const file = join(outdir, "stacks", text(delivery["stack"]), "cdk.tf.json");
  const resource = record((JSON.parse(readFileSync(file, "utf8")) as Json)["resource"]);
  const clusters = list(delivery["clusters"]).map(record);
  const filled = (value: unknown): Json =>
    record(
      evaluated(value, (reference) =>
        reference.startsWith("kubernetes_manifest.")
          ? text(inside(resource, ...reference.split(".")))
          : output(reference.split(".").at(-1) ?? ""),
      ),
    );
  const rows = Object.entries(record(resource["kubernetes_manifest"])).map(([name, each]) => ({
    name,
    provider: record(each)["provider"],
    object: filled(record(each)["manifest"]),
  }));
  const keyOf = ({ provider, object }: (typeof rows)[number]): string => {
    const { namespace, name } = record(object["metadata"]);
    return JSON.stringify([provider, object["kind"], namespace, name]);
  };
  // Server-side apply adds annotations to the object that is there.
  for (const [name, each] of Object.entries(record(resource["kubernetes_annotations"]))) {
    const { provider, api_version: apiVersion, kind, metadata, annotations } = filled(each);
    const row = {
      name,
      provider,
      object: { apiVersion, kind, metadata: { ...record(metadata), annotations } },
    };
    const place = rows.findIndex((other) => keyOf(other) === keyOf(row));
    const there = record(rows[place]?.object);
    const all = { ...record(inside(there, "metadata", "annotations")), ...record(annotations) };
    if (place < 0) rows.push(row);
    else
      rows[place] = {
        ...row,
        object: { ...there, metadata: { ...record(there["metadata"]), annotations: all } },
      };
  }
  return rows.map(({ name, provider = "kubernetes", object }) => ({
    file: name,
    appliesTo: clusters.find((each) => each["provider"] === provider)?.["appliesTo"],
    objects: [object],
  }));
}

/** The service account of that name, as the cluster would hold it. */
export function serviceAccount({ objects }: FinishedStack, { namespace, name }: Subject): Json | undefined {
  return objects.find(
    (object) =>
      object["kind"] === "ServiceAccount" &&
      inside(object, "metadata", "namespace") === namespace &&
      inside(object, "metadata", "name") === name,
  );
}

/** The annotations of a service account. */
export function annotationsOf(stack: FinishedStack, subject: Subject): Json {
  return record(inside(serviceAccount(stack, subject), "metadata", "annotations"));
}

function boundTexts(folder: string, { name, files }: WrittenStack, outputs: Json): Map<string, string> {
  const target = mkdtempSync(join(tmpdir(), "workload-identity-bound-"));
  try {
    const file = join(target, "outputs.json");
    writeFileSync(file, JSON.stringify(outputs));
    bind({ outputs: file, to: join(target, "to"), from: folder });
    const manifests = [...files.keys()].filter((path) => path.endsWith(".yaml") || path.startsWith("nodes/"));
    return new Map(
      manifests.map((path) => [path, readFileSync(join(target, "to", name, path), "utf8")] as const),
    );
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

/** The facts with the outputs' values, which `bind` does not write since nothing reads them after it. */
function filled(identity: Json, outputs: Json): Json {
  const placeholders = Object.entries(record(identity["placeholders"])).map(
    ([placeholder, entry]) =>
      [placeholder, text(inside(outputs, text(record(entry)["output"]), "value"))] as const,
  );
  return mapTexts(identity, (value) =>
    placeholders.reduce((whole, [placeholder, output]) => whole.replaceAll(placeholder, output), value),
  ) as Json;
}

function pullsOf(cluster: Json): readonly FoundPull[] {
  return list(cluster["pulls"])
    .map(record)
    .flatMap(({ serviceAccount: key, images }) =>
      list(images).map((image) => ({
        subject: Subject.of(text(key)),
        image: text(image).replaceAll("*", "any"),
        wholeRegistry: /^[^/]+\/\*$/.test(text(image)),
      })),
    );
}

/** The files of a MachineConfig, or of the one inside a NodePool's ConfigMap. */
function nodesOf(file: string, object: Json): readonly FoundNodes[] {
  const config = inside(object, "data", "config");
  if (object["kind"] === "ConfigMap" && typeof config === "string")
    return nodesOf(file, record(parse(config, YAML)));
  if (object["kind"] === "EC2NodeClass")
    return [archiveNodes(file, text(inside(object, "spec", "userData")))];
  if (object["kind"] !== "MachineConfig") return [];
  const ignition = inside(object, "spec", "config") as IgnitionConfig;
  const files = ignitionFiles(ignition).map(({ path, mode, content }) => [path, { mode, content }] as const);
  return [
    {
      where: `${file}: MachineConfig ${text(inside(object, "metadata", "name"))}`,
      files: new Map(files),
      kubeletFlags: {},
    },
  ];
}

/** User data as cloud-init and nodeadm take it apart: the files of one part, the flags of the other. */
function archiveNodes(where: string, archive: string): FoundNodes {
  const parts = archive.split(/^--\/\/.*$/m).map((part) => part.split(/\n\n/));
  const [cloudConfig, nodeConfig] = ["text/cloud-config", "application/node.eks.aws"].map((type) => {
    const [, ...body] = parts.find(([head = ""]) => head.includes(type)) ?? [];
    return record(parse(body.join("\n\n"), YAML));
  });
  const files = list(cloudConfig?.["write_files"])
    .map(record)
    .map(({ path, permissions, content }) => {
      return [text(path), { mode: Number.parseInt(text(permissions), 8), content: text(content) }] as const;
    });
  const flags = list(inside(nodeConfig, "spec", "kubelet", "flags")).map((flag) =>
    text(flag).slice(2).split("="),
  );
  return { where, files: new Map(files), kubeletFlags: Object.fromEntries(flags) as Json };
}

function plainNodes(file: string, content: string): FoundNodes {
  if (content.startsWith("MIME-Version:")) return archiveNodes(file, content);
  const document = record(parse(content, YAML));
  const files = list(document["files"])
    .map(record)
    .map(
      (entry) =>
        [
          text(entry["path"]),
          { mode: Number.parseInt(text(entry["mode"]), 8), content: text(entry["content"]) },
        ] as const,
    );
  return { where: file, files: new Map(files), kubeletFlags: record(document["kubeletFlags"]) };
}

/** Nodes of other forms, by the library's own readers of them. */
function formNodes(files: readonly (readonly [file: string, content: string])[]): readonly FoundNodes[] {
  const place = { late: known<string>, management: false, ofStack: true, spoke: undefined };
  const documents = files.flatMap(([file, content]) =>
    documentsIn(content, file).map((document) => ({ ...document, ...place })),
  );
  return nodesOfDocuments(documents).map((node) => ({
    where: node.source.file,
    files: new Map(
      [...node.files].map(([path, { content }]) => [
        path,
        { mode: 0o600, content: orElse(content, () => "") },
      ]),
    ),
    kubeletFlags: flagsOf(node),
  }));
}

function flagsOf(node: NodeFact): Json {
  const flags = orElse(node.flags ?? known(kubeletCommand(node)?.flags), () => undefined);
  return Object.fromEntries([...(flags ?? [])].map(([flag, value]) => [flag, orElse(value, () => "")]));
}
