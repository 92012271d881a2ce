/*
 * Documents that bring files and flags to nodes, in every form that `rules/node` lists, as facts about nodes.
 */

import { propertyPath } from "../../artefact/property-path";
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
import { fetchedBy, shellText } from "../../rules/node/commands";
import type { CarriedFile, CarriedSetup } from "../../rules/node/form";
import { nodeFormOf } from "../../rules/node/forms";
import { unknownKey } from "../coverage/node-documents";
import type { ClusterFacts } from "./cluster-record";
import { base64Content, dataUrlContent } from "./encoded-content";
import type { LateReader } from "./late-text";
import { type NodeFact, type NodeFileFact, flagsOf, kubeletCommand } from "./node-files";
import { type KubernetesDocument, type KubernetesObject, type NodePool, titleOf } from "./objects";
import { type Source, below } from "./source";

/** True for a document that brings files or flags to nodes. */
export function isNodeDocument(value: unknown): boolean {
  return nodeFormOf(value) !== undefined;
}

/** What Terraform gives the nodes of pools, as documents. */
export function documentsOfPools(pools: readonly NodePool[]): readonly KubernetesDocument[] {
  return pools.map((pool) => ({
    value: orElse(pool.userData, () => undefined),
    source: pool.source,
    late: known,
    management: false,
    ofStack: false,
    spoke: undefined,
    forNodes: true,
    pool,
  }));
}

/**
 * The documents of a cluster that bring files to nodes, each once; and its pools without one, if nodes get theirs from
 * user data.
 */
export function setupsOf(
  all: readonly KubernetesDocument[],
  classes: readonly KubernetesObject[],
  { name, cloudName = name }: ClusterFacts,
): { readonly setups: readonly KubernetesDocument[]; readonly bare: readonly NodePool[] } {
  const isIts = ({ pool }: KubernetesDocument): boolean =>
    pool === undefined || cloudName === undefined || is(pool.cluster, cloudName) !== "no";
  const own = all.filter(isIts);
  const texts = new Set(own.flatMap(({ pool, value }) => (pool === undefined ? [value] : [])));
  const setups = own.filter(
    ({ pool, value }) => pool === undefined || (isNodeDocument(value) && !texts.has(value)),
  );
  const isByUserData = own.some(({ value }) => nodeFormOf(value)?.id === "nodeadm");
  const ofClasses = classes.map(({ value, source, kind }): NodePool => {
    return { name: titleOf(value, kind), cluster: known(""), userData: known(undefined), source };
  });
  const ofPools = own.flatMap(({ pool, value }) => (pool && !isNodeDocument(value) ? [pool] : []));
  return { setups, bare: isByUserData ? [...ofPools, ...ofClasses] : [] };
}

/** The nodes of documents; documents of one file that belong together give one. */
export function nodesOfDocuments(documents: readonly KubernetesDocument[]): readonly NodeFact[] {
  const together = grouped(documents, ({ value, source, pool }) => {
    const form = nodeFormOf(value);
    return JSON.stringify([form?.id, source.file, pool?.name, form?.joins === true ? 0 : source.document]);
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
  const fetched = commands.flatMap(fetchedBy).map(({ path }): CarriedFile => {
    return { path, content: undefined, encoding: "other", at: [], mode: EXECUTABLE };
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

/** A file as a fact about nodes. */
export function carriedFile(file: CarriedFile, source: Source, late: LateReader): NodeFileFact {
  const place = below(source, propertyPath(file.at));
  return { content: contentOf(file, late), source: place, mode: file.mode, owner: undefined, overwrites: [] };
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
