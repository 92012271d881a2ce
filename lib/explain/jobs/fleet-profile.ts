/*
 * Profiles and lists of access providers as plain documents, for the rules of fleets; and what is judged of a profile by
 * itself. Late texts have names there, which the rules do not know and which are taken back before people see them.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import {
  type Known,
  type Ternary,
  isKnown,
  known,
  match,
  orElse,
  same,
  whyNot,
  whyText,
} from "../../model/known";
import { LATE_VALUE } from "../../model/late";
import { type Json, at, record, text } from "../../model/parsed";
import { Subject } from "../../model/subject";
import {
  type Tree,
  childOf,
  entriesOf,
  isTreeObject,
  itemsOf,
  optionalText,
  plainOf,
  treeOf,
} from "../../model/tree";
import { statusWriterIssues } from "../../rules/fleet/access-checks";
import type { ClusterProfileVersion } from "../../rules/fleet/cluster-profile-schema";
import { CLUSTER_MANAGER_LABEL } from "../../rules/fleet/names";
import {
  endpointIssues,
  healthIssues,
  keptProviderIssues,
  managerLabelIssues,
  schemaIssues,
} from "../../rules/fleet/profile-checks";
import { profileProviders } from "../../rules/fleet/resolve-exec";
import { clusterProfileVersions } from "../../rules/fleet/validate-cluster-profile";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { ClusterArtefacts } from "../read/facts";
import type { ProfileFact, ProviderListFact } from "../read/fleet-facts";
import { namedTree, shownNames } from "../read/late-text";
import { inAnyOrder } from "./links";

/** A profile as the controller sees it: main object and status put together. */
export interface ProfileDocument {
  readonly tree: Tree;
  readonly plain: Json;
  /** Why its access providers are not known; `undefined` where they are. */
  readonly open: string | undefined;
}

const DOCUMENTS = new WeakMap<ProfileFact, ProfileDocument>();
const ENTRIES = new WeakMap<ProviderListFact, readonly unknown[]>();

/** The document of a profile. */
export function profileDocument(profile: ProfileFact): ProfileDocument {
  const before = DOCUMENTS.get(profile);
  if (before) return before;
  const { main, status } = profile;
  const tree = withStatus(main?.value ?? status?.value ?? treeOf({}), status?.value ?? treeOf({}));
  const why = whyProvidersOpen(tree);
  const made = { tree, plain: why === undefined ? record(namedTree(tree)) : {}, open: why };
  DOCUMENTS.set(profile, made);
  return made;
}

function withStatus(document: Tree, holder: Tree): Tree {
  const status = childOf(holder, "status");
  if (orElse(status, () => null) === undefined) return document;
  return withFields(document, { status });
}

/** An object with some fields replaced; what is no known object stays. */
export function withFields(tree: Tree, fields: Readonly<Record<string, Tree>>): Tree {
  return match(
    tree,
    (value) => {
      if (!isTreeObject(value)) return tree;
      const entries = entriesOf(value);
      if (entries.some(([key]) => !isKnown(key))) return tree;
      const rows = entries.map(([key, child]) => [orElse(key, () => ""), child] as const);
      return treeOf({ ...Object.fromEntries(rows), ...fields });
    },
    () => tree,
  );
}

function whyProvidersOpen(document: Tree): string | undefined {
  const lists = ["accessProviders", "credentialProviders"].map((key) => childOf(document, "status", key));
  const entries = lists.flatMap(itemsOf);
  return whyOpen([
    document,
    childOf(document, "status"),
    ...lists,
    ...entries.flatMap((entry) => [
      entry,
      childOf(entry, "name"),
      childOf(entry, "cluster"),
      childOf(entry, "cluster", "extensions"),
    ]),
  ]);
}

function whyOpen(trees: readonly Known<unknown>[]): string | undefined {
  const why = trees.map(whyNot).find((each) => each !== undefined);
  return why && whyText(why);
}

/** The entries of a list for rules, late values by their names; none where its text cannot be read. */
export function listEntries(read: ProviderListFact | undefined): readonly unknown[] {
  if (read === undefined) return [];
  const before = ENTRIES.get(read);
  if (before) return before;
  const made = orElse(read.providers, () => []).map(namedTree);
  ENTRIES.set(read, made);
  return made;
}

/** Why it is not known which entries a list has; `undefined` where it is. */
export function whyListOpen({ providers }: ProviderListFact): string | undefined {
  const why = whyNot(providers);
  if (why) return why.kind === "malformed" || why.kind === "unread" ? undefined : whyText(why);
  return whyOpen(
    orElse(providers, () => []).flatMap((entry) => [
      entry,
      childOf(entry, "name"),
      childOf(entry, "execConfig"),
      childOf(entry, "execConfig", "args"),
    ]),
  );
}

/** Passes without refusals; else says the first, and names the others among the evidence. */
export function unlessRefused(
  issues: readonly WorkloadIdentityError[],
  reason: string,
  ...evidence: readonly Evidence[]
): Answer {
  const [first, ...others] = issues;
  if (!first) return pass(reason, ...evidence);
  const { remedy, allowed } = first;
  return broken(
    sentence(first),
    shownNames(allowed === undefined ? remedy : `${remedy}; allowed: ${allowed}`),
    undefined,
    ...evidence,
    ...others.map((each) => ({ text: sentence(each) })),
  );
}

/** What is wrong, and the value. */
export function sentence({ problem, value }: WorkloadIdentityError): string {
  if (value === undefined) return shownNames(problem);
  return shownNames(`${problem}, got ${JSON.stringify(value) ?? "a value without text"}`);
}

const STATUS =
  "put the status into a manifest of its own, and apply it with `kubectl apply --server-side --subresource=status`";
const SILENCE = "silent: the API server drops the status";

/** Is the profile there, and does something write its status? */
export function profilePresent(
  artefacts: ClusterArtefacts,
  profile: ProfileFact,
  isDeclared: boolean,
): Answer {
  const { main, status, dropped, key } = profile;
  if (dropped && !status) {
    const issue = refusal("cluster-profile-status-in-main", key);
    return broken(sentence(issue), STATUS, SILENCE, seen("ClusterProfile", dropped.source));
  }
  if (!main)
    return unknown(
      `the main object of the profile ${key} is not among what was read`,
      "name its manifest as well: a status can only be written to an object that exists",
      ...(status ? [seen("status", status.source)] : []),
    );
  const where = seen("ClusterProfile", main.source);
  if (status && profile.writtenFrom !== undefined)
    return writerAnswer(artefacts, profile, profile.writtenFrom);
  if (status)
    return pass(`the profile ${key} and its status are there`, where, seen("status", status.source));
  const reason = `nothing that was read writes the status of the profile ${key}`;
  return isDeclared
    ? broken(reason, STATUS, SILENCE, where)
    : unknown(reason, "name the manifest of the status, or read the profile from the cluster", where);
}

/** A Job that writes the status must be allowed to. */
function writerAnswer(artefacts: ClusterArtefacts, profile: ProfileFact, configMap: string): Answer {
  const [namespace = "", name = ""] = configMap.split("/");
  const job = artefacts.workloads.find(
    (each) =>
      each.namespace === namespace &&
      itemsOf(childOf(each.spec, "volumes")).some(
        (volume) => orElse(childOf(volume, "configMap", "name"), () => "") === name,
      ),
  );
  if (!job)
    return unknown(
      `the status stands in the ConfigMap ${configMap}, and no Job was read that writes it`,
      "name the manifest of the Job as well",
      ...(profile.status ? [seen("status", profile.status.source)] : []),
    );
  const subject = Subject.of(`${namespace}/${job.serviceAccount}`);
  return unlessPerhaps(
    artefacts,
    inAnyOrder(artefacts, (rbac) =>
      unlessRefused(
        statusWriterIssues(rbac, subject, profile),
        `${job.title} writes the status of the profile ${profile.key}`,
        seen(job.title, job.source),
      ),
    ),
  );
}

/** What no role or binding grants for certain, one with a late value in it perhaps does. */
export function unlessPerhaps({ rbacPerhaps }: ClusterArtefacts, answer: Answer): Answer {
  const [perhaps] = rbacPerhaps;
  if (answer.status !== "fail" || perhaps === undefined) return answer;
  return unknown(
    `${answer.reason}, unless a role or binding does that holds a value that only apply tells`,
    "explain the manifests that bind wrote",
    ...answer.evidence,
    seen("role or binding", perhaps),
  );
}

/** Is everything in the profile what the API server keeps and the controller understands? */
export function profileWellFormed(profile: ProfileFact, title: string): Answer {
  const document = profileDocument(profile);
  const { tree, plain, open } = document;
  const where = [profile.main, profile.status].flatMap((each) =>
    each ? [seen("ClusterProfile", each.source)] : [],
  );
  if (open !== undefined)
    return unknown(
      `what the profile ${profile.key} says is not known: ${open}`,
      "write the profile and its status once",
      ...where,
    );
  const version = text(plain["apiVersion"]).split("/")[1] ?? "";
  const rules = clusterProfileVersions.find((each) => each === version);
  if (!rules)
    return unknown(
      `the rules of ClusterProfile ${shownNames(version)} are not known`,
      "use v1alpha1 or v1alpha2",
      ...where,
    );
  const issues = [
    ...issuesOf(document, rules, profile.main !== undefined),
    ...healthIssues(plain, { title, needsHealthy: title === "Knative Operator" }),
  ];
  const answer = unlessRefused(issues, `the profile ${profile.key} is well formed`, ...where);
  if (answer.status !== "pass") return answer;
  if (!profile.main)
    return unknown(`the main object of ${profile.key} was not read`, "see the checks before", ...where);
  return managerSame(tree) === "unknown"
    ? unknown(
        `whether the label ${CLUSTER_MANAGER_LABEL} repeats the manager's name is known only after apply`,
        "bind the outputs",
        ...where,
      )
    : certificates(plain, answer);
}

/** A value that the CRD takes in the place of most late ones: a name, a label, base64. */
const GOOD = "late";

/** A status alone is no whole object; what it must have besides, the main object has. */
function issuesOf(
  { tree, plain }: ProfileDocument,
  version: ClusterProfileVersion,
  isWhole: boolean,
): readonly WorkloadIdentityError[] {
  return [
    ...(isWhole ? schemaIssues(goodDocument(tree), version) : []),
    ...keptProviderIssues(plain),
    ...endpointIssues(plainOf(tree, LATE_VALUE), true),
    ...(isWhole && managerSame(tree) === "no" ? managerLabelIssues(plain) : []),
  ];
}

function goodDocument(tree: Tree): unknown {
  const plain = record(plainOf(tree, GOOD));
  const document = { ...plain, metadata: metadataOf(plain) };
  return JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    key === "server" && value === GOOD ? "https://late.invalid" : value,
  );
}

/** What the API server itself writes into objects is no fault of theirs. */
function metadataOf(document: Json): Json {
  return Object.fromEntries(
    ["name", "namespace", "labels", "annotations"].flatMap((key) => {
      const value = at(document, "metadata", key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** Whether the label repeats a late manager; "no" where the rule has to say it: of literal and of missing ones. */
function managerSame(tree: Tree): Ternary {
  const manager = optionalText(childOf(tree, "spec", "clusterManager", "name"));
  const label = optionalText(childOf(tree, "metadata", "labels", CLUSTER_MANAGER_LABEL));
  if (isKnown(manager) && isKnown(label)) return "no";
  const isMissing = [manager, label].some(
    (each) => same<string | undefined>(each, known(undefined)) === "yes",
  );
  if (isMissing) return "no";
  return same(manager, label) === "yes" ? "yes" : "unknown";
}

/** Connect Gateway, DNS endpoints of GKE, and those of late clusters that are told to be such. */
const PUBLIC = /connectgateway\.googleapis\.com|\.gke\.goog(?::\d+)?(?:\/|$)|dns_endpoint_config/;

/** Without certificate authority those of the controller's system must do. */
function certificates(document: Json, answer: Answer): Answer {
  const without = [...profileProviders(document)].find(
    ([, provider]) =>
      at(provider, "cluster", "certificate-authority-data") === undefined &&
      !PUBLIC.test(shownNames(text(at(provider, "cluster", "server"))).replace(/>$/, "")),
  );
  if (!without) return answer;
  return unknown(
    `the access provider ${shownNames(without[0])} has no certificate authority, which does for a server with a public certificate only`,
    "write certificate-authority-data, or ignore this where the certificate is public",
    ...answer.evidence,
  );
}
