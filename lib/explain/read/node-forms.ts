/*
 * Documents that bring files and flags to nodes, in every form that `rules/node` lists, as facts about nodes.
 */

import { propertyPath } from "../../model/property-path";
import { grouped } from "../../model/grouped";
import {
  type Known,
  is,
  isKnown,
  known,
  match,
  notKnown,
  orElse,
  shown,
  unread,
  whyText,
} from "../../model/known";
import { at, list, text } from "../../model/parsed";
import { plainOf } from "../../model/tree";
import { fetchedBy, shellText } from "../../rules/node/commands";
import type { CarriedFile, CarriedSetup } from "../../rules/node/form";
import { nodeFormOf } from "../../rules/node/forms";
import { unknownKey } from "../coverage/node-documents";
import type { ClusterFacts } from "./cluster-record";
import { firstDocument } from "./documents";
import { base64Content, dataUrlContent } from "./encoded-content";
import type { LateReader } from "./late-text";
import { type NodeFact, type NodeFileFact, flagsOf, kubeletCommand } from "./node-files";
import { KARPENTER_POOL, type KubernetesDocument, OF_ANY, type Objects, titleOf } from "./objects";
import { type Source, below } from "./source";
import { type NodePool, ofNodeClass, readable } from "../shared/node-pools";

/** True for a document that brings files or flags to nodes. */
export function isNodeDocument(value: unknown): boolean {
  return nodeFormOf(value) !== undefined;
}

/** What Terraform gives the nodes of pools, as documents; those of pools without a setup have no value. */
export function documentsOfPools(pools: readonly NodePool[]): readonly KubernetesDocument[] {
  return pools.map((pool) => {
    const userData = orElse(pool.userData, () => undefined) ?? "";
    const value = isNodeDocument(userData) ? userData : plainOf(firstDocument(known(userData)).value, "");
    return {
      value: isNodeDocument(value) ? value : undefined,
      source: pool.source,
      head: userData.split("\n", 1)[0],
      late: known,
      ...OF_ANY,
      forNodes: true,
      pool,
    };
  });
}

/**
 * The documents of a cluster that bring files to nodes, each once; and its pools without one, if nothing else may bring
 * theirs.
 */
export function setupsOf(
  documents: readonly KubernetesDocument[],
  objects: Objects,
  { name, cloudName = name }: ClusterFacts,
): { readonly setups: readonly KubernetesDocument[]; readonly bare: readonly NodePool[] } {
  const isIts = ({ pool }: KubernetesDocument): boolean =>
    pool?.cluster === undefined || cloudName === undefined || is(pool.cluster, cloudName) !== "no";
  const ofCluster = documents.filter(isIts);
  const texts = new Set(
    ofCluster.flatMap(({ pool, value }) => (pool === undefined ? [JSON.stringify(value)] : [])),
  );
  const setups = ofCluster.filter(
    ({ pool, value }) =>
      pool === undefined ||
      (value !== undefined && (pool.kubelet !== undefined || !texts.has(JSON.stringify(value)))),
  );
  const isByUserData = ofCluster.some(({ value }) => nodeFormOf(value)?.id === "nodeadm");
  const ofPools = ofCluster.flatMap(({ pool, value }) => (pool && value === undefined ? [pool] : []));
  const bare = [...ofPools, ...poolsOfKarpenter(objects, ofCluster)].filter(
    ({ hasOwnImage, userData }) => isByUserData || hasOwnImage !== true || is(userData, undefined) !== "yes",
  );
  return { setups, bare };
}

/** Karpenter's node classes without a setup, and pools whose class is not among those that were read. */
function poolsOfKarpenter(objects: Objects, setups: readonly KubernetesDocument[]): readonly NodePool[] {
  const classes = objects.of(NODE_CLASS);
  const nameOf = (value: unknown): string => text(at(value, "metadata", "name"));
  const read = [...classes, ...setups].flatMap(({ value }) =>
    at(value, "kind") === NODE_CLASS ? [nameOf(value)] : [],
  );
  const bare = classes.map(({ value, source, kind }): NodePool => {
    const spec = at(value, "spec");
    const aliases = list(at(spec, "amiSelectorTerms")).map((term) => text(at(term, "alias")));
    return {
      name: titleOf(value, kind),
      cluster: undefined,
      userData: readable(text(at(spec, "userData"))),
      hasOwnImage: aliases.every((alias) => alias === ""),
      source,
    };
  });
  const others = objects.of(KARPENTER_POOL).flatMap((pool): readonly NodePool[] => {
    const { value, source } = pool;
    const of = at(value, "spec", "template", "spec", "nodeClassRef");
    const [kind, name] = [text(at(of, "kind")), text(at(of, "name"))];
    const group = text(at(of, "group")) || (text(at(of, "apiVersion")).split("/")[0] ?? "");
    if (kind === NODE_CLASS && read.includes(name)) return [];
    return [
      { name: titleOf(value, pool.kind), cluster: undefined, ...ofNodeClass(group, kind, name), source },
    ];
  });
  return [...bare, ...others];
}

const NODE_CLASS = "EC2NodeClass";

/** The nodes of documents; documents of one file that belong together give one. */
export function nodesOfDocuments(documents: readonly KubernetesDocument[]): readonly NodeFact[] {
  const together = grouped(documents, ({ value, source, pool }) => {
    const form = nodeFormOf(value);
    const { file, path, document } = source;
    return JSON.stringify([form?.id, file, path, pool?.name, form?.joins === true ? 0 : document]);
  });
  const carried = [...together.values()].flatMap((group): readonly CarriedNode[] => {
    const [first] = group;
    const form = nodeFormOf(first?.value);
    if (!first) return [];
    const setup = form?.read(group.map(({ value }) => value)) ?? UNREAD;
    return [{ ofOthers: setup.ofOthers === true, node: nodeOf(form?.id ?? "", setup, group, first) }];
  });
  return withFlagsOfOthers(carried);
}

/** What a file that a stack lists for nodes brings in a form that is none of the table. */
const UNREAD: CarriedSetup = {
  files: [],
  flags: undefined,
  doubt: "a file that is listed for nodes is in a form that explain does not read",
};

interface CarriedNode {
  readonly node: NodeFact;
  /** Whether the flags are for nodes whose files come from other documents. */
  readonly ofOthers: boolean;
}

/** Applies flags in a separate document to all nodes whose own documents have none. */
function withFlagsOfOthers(made: readonly CarriedNode[]): readonly NodeFact[] {
  const givers = made.filter(({ ofOthers }) => ofOthers).map(({ node }) => node);
  const complete = made.filter(({ ofOthers }) => !ofOthers).map(({ node }) => node);
  const [giver] = givers;
  const takes = (node: NodeFact): boolean => node.flags === undefined && kubeletCommand(node) === undefined;
  if (giver === undefined || !complete.some(takes)) return [...complete, ...givers];
  const refused =
    givers.find(({ absence }) => orElse(absence, () => undefined) !== undefined) ??
    givers.find(({ absence }) => !isKnown(absence));
  const doubt = givers.map((each) => each.doubt).find((each) => each !== undefined);
  const differ = givers.some((each) => shownFlags(each) !== shownFlags(giver));
  const flags = differ
    ? unread(
        `${giver.source.file} gives kubelets different flags, and which of them these nodes get is not known`,
      )
    : giver.flags;
  return complete.map((node) =>
    takes(node)
      ? { ...node, flags, absence: refused ? refused.absence : node.absence, doubt: node.doubt ?? doubt }
      : node,
  );
}

function shownFlags({ flags }: NodeFact): string {
  return match(
    flags ?? known(new Map<string, Known<string>>()),
    (all) => JSON.stringify([...all].map(([flag, value]) => [flag, shown(value)]).sort()),
    whyText,
  );
}

function nodeOf(
  form: string,
  setup: CarriedSetup,
  group: readonly KubernetesDocument[],
  first: KubernetesDocument,
): NodeFact {
  const { source, late } = first;
  const commands = setup.commands?.map(shellText) ?? [];
  const fetched = commands.flatMap(fetchedBy).map(({ path, sha256 }): CarriedFile => {
    return { path, content: undefined, encoding: "other", at: [], mode: EXECUTABLE, sha256 };
  });
  const files = new Map<string, NodeFileFact>();
  for (const file of [...setup.files, ...fetched]) {
    const { path, document = 0 } = file;
    const place = group[document] ?? first;
    const each = carriedFile(file, place.source, place.late);
    files.set(path, files.has(path) ? { ...each, content: TWICE } : each);
  }
  const { flags, configuration, problem, doubt } = setup;
  return {
    name: first.pool?.name ?? /(?<![^/\\])([^/\\]+?)(?:\.[a-z]+)?$/.exec(source.file)?.[1] ?? source.file,
    files,
    flags: flags && known(flagsOf(flags, late)),
    configuration,
    commands,
    absence: problem !== undefined || doubt === undefined ? known(problem) : unread(doubt),
    doubt: documentDoubt(form, setup, group),
    kubelet: setup.kubelet ?? first.pool?.kubelet,
    source,
  };
}

const EXECUTABLE = 0o755;

/** What the program of a form does not read as this explains it: another first line, or keys that are not understood. */
function documentDoubt(
  form: string,
  { parts = [] }: CarriedSetup,
  group: readonly KubernetesDocument[],
): string | undefined {
  // Source: cloudinit/handlers/__init__.py, `type_from_starts_with`.
  if (form === "cloud-init" && !/^\s*#cloud-config\s*$/i.test(group[0]?.head ?? "#cloud-config"))
    return "cloud-init ignores user data whose first line is not #cloud-config";
  const documents = [...group.map(({ value }) => [form, value] as const), ...parts];
  for (const [of, document] of documents) {
    const key = unknownKey(of, document);
    if (key !== undefined) return `what ${key || "a part"} of the document does to the kubelet is not known`;
  }
  return undefined;
}

const TWICE: Known<string> = notKnown({ kind: "contested", what: "it appears twice among the files" });

export function carriedFile(file: CarriedFile, source: Source, late: LateReader): NodeFileFact {
  const place = below(source, propertyPath(file.at));
  const { mode, sha256 } = file;
  return { content: contentOf(file, late), source: place, mode, sha256, owner: undefined, overwrites: [] };
}

function contentOf({ path, content, encoding, contents = {} }: CarriedFile, late: LateReader): Known<string> {
  if (encoding === "other")
    return unread(
      `the content of ${path} is not in the document, or in an encoding that explain does not read`,
    );
  if (content === undefined) return unread(`the content of ${path} is not a string`);
  switch (encoding) {
    case "plain":
      return late(content);
    case "data-url":
      return dataUrlContent(content, contents, late) ?? unread(`the content of ${path} is not a data URL`);
    case "base64":
    case "gzip+base64":
      return base64Content(content, encoding === "gzip+base64", late);
  }
}
