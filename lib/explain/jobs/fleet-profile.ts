/*
 * Profiles and lists of access providers as documents for the rules of fleets; and the links about a profile by itself.
 */

import type { WorkloadIdentityError } from "../../errors";
import {
  type Known,
  isAbsent,
  isKnown,
  known,
  orElse,
  same,
  shown,
  whyNot,
  whyText,
} from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { once } from "../../model/once";
import { Subject } from "../../model/subject";
import { shownAt } from "../../model/parsed-tree";
import {
  type Tree,
  type TreeList,
  childOf,
  entriesOf,
  isTreeObject,
  itemsOf,
  plainOf,
  sameTree,
  treeOf,
} from "../../model/tree";
import { statusWriterIssues } from "../../rules/fleet/access-checks";
import type { FleetConsumer } from "../../rules/fleet/consumer";
import { CLUSTER_MANAGER_LABEL } from "../../rules/fleet/names";
import {
  endpointIssues,
  healthIssues,
  managerLabelIssues,
  profileProviderIssues,
  schemaIssues,
  statusInMain,
} from "../../rules/fleet/cluster-profile";
import { insecureIssues } from "../../rules/fleet/cluster-secret";
import {
  type ClusterProfileVersion,
  clusterProfileFindings,
  clusterProfileVersions,
} from "../../rules/fleet/cluster-profile-schema";
import { profileProviders } from "../../rules/fleet/resolve-exec";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { ClusterArtefacts } from "../read/clusters";
import type { ProfileFact, ProviderListFact } from "../read/fleet-facts";
import { referredCluster } from "../shared/spokes";
import { inAnyOrder, unlessPerhaps } from "./links";

type Issues = readonly WorkloadIdentityError[];

/** A profile as the controller sees it: main object and status merged. */
export interface ProfileDocument {
  /** Empty if its access providers are not known. */
  readonly tree: Tree;
  /** Why its access providers are not known; `undefined` if they are. */
  readonly open: string | undefined;
}

export const profileDocument: (profile: ProfileFact) => ProfileDocument = once(({ main, status }) => {
  const written = childOf(status?.value ?? treeOf(undefined), "status");
  const document = main?.value ?? status?.value ?? treeOf({});
  const hasStatus = orElse(written, () => null) !== undefined;
  const tree = hasStatus ? withFields(document, { status: written }) : document;
  const lists = ["accessProviders", "credentialProviders"].map((key) => childOf(tree, "status", key));
  const entries = lists.flatMap(itemsOf);
  const open = whyOpen([
    tree,
    childOf(tree, "status"),
    ...lists,
    ...entries,
    ...entries.flatMap((entry) => ENTRY.map((path) => childOf(entry, ...path))),
  ]);
  return { tree: open === undefined ? tree : treeOf({}), open };
});

const ENTRY = [["name"], ["cluster"], ["cluster", "extensions"]];

/** An object with some fields replaced; anything but a known object is returned as it is. */
export function withFields(tree: Tree, fields: Readonly<Record<string, Tree>>): Tree {
  const value = orElse(tree, () => undefined);
  if (!isTreeObject(value)) return tree;
  const entries = entriesOf(value);
  if (entries.some(([key]) => !isKnown(key))) return tree;
  const rows = entries.map(([key, child]) => [orElse(key, () => ""), child] as const);
  return treeOf({ ...Object.fromEntries(rows), ...fields });
}

function whyOpen(trees: readonly Known<unknown>[]): string | undefined {
  const why = trees.map(whyNot).find((each) => each !== undefined);
  return why && whyText(why);
}

/** The entries of a list; none if its text cannot be read. */
export function listEntries(read: ProviderListFact | undefined): TreeList {
  return orElse(read?.providers ?? known([]), () => []);
}

const POLICIES = [["profileSourcedCLIArgsPolicy"], ["profileSourcedEnvVarsPolicy"]];
const EXEC = ["apiVersion", "args", "env", "interactiveMode", "provideClusterInfo"];

/** Why it is not known which entries a list has, which every spoke asks about; `undefined` where it is. */
export const whyListOpen: (read: ProviderListFact) => string | undefined = once(({ providers }) => {
  const why = whyNot(providers);
  if (why) return why.kind === "malformed" || why.kind === "unread" ? undefined : whyText(why);
  const paths = [[], ["name"], ...POLICIES, ["execConfig"], ...EXEC.map((key) => ["execConfig", key])];
  const entries = orElse(providers, () => []);
  return whyOpen(entries.flatMap((entry) => paths.map((path) => childOf(entry, ...path))));
});

/** Passes without refusals; otherwise fails with the first, and lists the others as evidence. */
export function unlessRefused(issues: Issues, reason: string, ...evidence: readonly Evidence[]): Answer {
  const [first, ...others] = issues;
  if (!first) return pass(reason, evidence);
  const { remedy, allowed } = first;
  return broken(
    sentence(first),
    allowed === undefined ? remedy : `${remedy}; allowed: ${allowed}`,
    undefined,
    evidence,
    others.map((each) => ({ text: sentence(each) })),
  );
}

export function sentence({ problem, value }: WorkloadIdentityError): string {
  return value === undefined ? problem : `${problem}, got ${JSON.stringify(value) ?? "a value without text"}`;
}

const STATUS =
  "put the status into a separate manifest, and apply it with `kubectl apply --server-side --subresource=status`";
const SILENCE = "silent: the API server drops the status";

export function profilePresent(
  artefacts: ClusterArtefacts,
  profile: ProfileFact,
  isDeclared: boolean,
): Answer {
  const { main, status, dropped, key, writtenFrom } = profile;
  if (profile.isSecret && main)
    return pass(`the cluster Secret of ${profile.name} exists`, seen("Secret", main.source));
  const written = status ? [seen("status", status.source)] : [];
  if (dropped && !status)
    return broken(sentence(statusInMain(key)), STATUS, SILENCE, seen("ClusterProfile", dropped.source));
  if (!main)
    return unknown(
      `the main object of the profile ${key} was not read`,
      "also give explain its manifest: a status can only be written to an object that exists",
      written,
    );
  const where = seen("ClusterProfile", main.source);
  if (status && writtenFrom !== undefined) return writerAnswer(artefacts, profile, writtenFrom, written);
  if (status) return pass(`the profile ${key} and its status exist`, where, written);
  const reason = `nothing that was read writes the status of the profile ${key}`;
  return isDeclared
    ? broken(reason, STATUS, SILENCE, where)
    : unknown(reason, "name the manifest of the status, or read the profile from the cluster", where);
}

function writerAnswer(
  artefacts: ClusterArtefacts,
  profile: ProfileFact,
  configMap: string,
  written: readonly Evidence[],
): Answer {
  const { namespace, name } = namespacedName(configMap);
  const job = artefacts.workloads.find(
    (each) =>
      each.namespace === namespace &&
      itemsOf(childOf(each.spec, "volumes")).some((volume) => shownAt(volume, "configMap", "name") === name),
  );
  if (!job)
    return unknown(
      `the status is in the ConfigMap ${configMap}, but no Job that writes it was read`,
      "also give explain the manifest of the Job",
      written,
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

/** A controller, by name, and whether it waits until profiles are healthy. */
type Waiting = Pick<FleetConsumer, "title" | "needsHealthy">;

export function profileWellFormed(profile: ProfileFact, controller: Waiting): Answer {
  const { key, main, status } = profile;
  const { tree, open } = profileDocument(profile);
  const where = [main, status].flatMap((each) => (each ? [seen("ClusterProfile", each.source)] : []));
  if (open !== undefined)
    return unknown(
      `what the profile ${key} says is not known: ${open}`,
      "write the profile and its status in one place each",
      where,
    );
  const version = shownAt(tree, "apiVersion").split("/")[1] ?? "";
  const rules = clusterProfileVersions.find((each) => each === version);
  if (!rules)
    return unknown(`the rules of ClusterProfile ${version} are not known`, "use v1alpha1 or v1alpha2", where);
  const issues = profileIssues(profile, rules, controller);
  if (issues.length > 0) return unlessRefused(issues, "", ...where);
  if (!main) return unknown(`the main object of ${key} was not read`, "see the earlier checks", where);
  const [field] = profile.isSecret ? [] : clusterProfileFindings(writtenDocument(tree), rules).open;
  if (field !== undefined)
    return unknown(`what the profile ${key} has as ${field} is not known`, "write the value itself", where);
  const manager = childOf(tree, "spec", "clusterManager", "name");
  if (sameTree(manager, childOf(tree, "metadata", "labels", CLUSTER_MANAGER_LABEL)) === "unknown")
    return unknown(
      `whether the label ${CLUSTER_MANAGER_LABEL} repeats the manager's name is known only after apply`,
      "bind the outputs",
      where,
    );
  return (
    otherCertificate(profile, where) ??
    withoutCertificate(tree, where) ??
    uncheckedCertificate(tree, where) ??
    pass(`the profile ${key} is well formed`, where)
  );
}

function profileIssues(profile: ProfileFact, rules: ClusterProfileVersion, controller: Waiting): Issues {
  const { tree } = profileDocument(profile);
  // A status alone is not a whole object; the main object has the other required fields.
  const isWhole = profile.main !== undefined && !profile.isSecret;
  return [
    ...(isWhole ? schemaIssues(writtenDocument(tree), rules) : []),
    ...profileProviderIssues(tree),
    ...endpointIssues(tree, true, (value) => !isKnown(treeOf(value))),
    ...(isWhole ? managerLabelIssues(tree) : []),
    ...insecureIssues(orElse(childOf(tree, "config", "tlsClientConfig", "insecure"), () => false) === true),
    ...healthIssues(tree, controller),
  ];
}

/** Metadata that users write; the API server adds other fields, which are not a mistake. */
const WRITTEN: readonly string[] = ["name", "namespace", "labels", "annotations"];

/** The profile as its author writes it. */
function writtenDocument(tree: Tree): Tree {
  const fields = WRITTEN.map((key) => [key, childOf(tree, "metadata", key)] as const);
  return withFields(tree, {
    metadata: treeOf(Object.fromEntries(fields.filter(([, value]) => !isAbsent(value)))),
  });
}

/** The certificate authority of another cluster than the server's, as Terraform refers to them. */
function otherCertificate(profile: ProfileFact, where: readonly Evidence[]): Answer | undefined {
  for (const entry of itemsOf(childOf(profileDocument(profile).tree, "status", "accessProviders"))) {
    const server = referredCluster(childOf(entry, "cluster", "server"));
    const issuer = referredCluster(childOf(entry, "cluster", "certificate-authority-data"));
    // A resource and a data source of one name may be the same cluster.
    if (!server || !issuer || server === issuer) continue;
    const isOne = server.type === issuer.type ? same(server.text("name"), issuer.text("name")) : "no";
    if (isOne === "yes") continue;
    const reason = `the server is that of ${server.address}, but certificate-authority-data that of ${issuer.address}`;
    const remedy = "write the certificate authority of the cluster that serves the address";
    return isOne === "no"
      ? broken(reason, remedy, "x509: certificate signed by unknown authority", where)
      : unknown(reason, remedy, where);
  }
  return undefined;
}

/** Connect Gateway, DNS endpoints of GKE, and late references to these: their certificates are public. */
const PUBLIC = /connectgateway\.googleapis\.com|\.gke\.goog(?::\d+)?(?:\/|$)|dns_endpoint_config/;

/**
 * Newer versions of the access library hand the field to client-go, which refuses it beside a certificate authority; older
 * ones ignore it. Source: kubernetes-sigs/cluster-inventory-api#81; k8s.io/client-go, transport.TLSConfigFor.
 */
function uncheckedCertificate(document: Tree, where: readonly Evidence[]): Answer | undefined {
  const unchecked = [...profileProviders(document)].find(
    ([, provider]) => plainOf(childOf(provider, "cluster", "insecure-skip-tls-verify"), shown) === true,
  );
  return (
    unchecked &&
    unknown(
      `the access provider ${unchecked[0]} has insecure-skip-tls-verify, which some versions of the controller's library ignore, and others refuse beside a certificate authority`,
      "remove it, and write certificate-authority-data",
      where,
    )
  );
}

/** Without a certificate authority, the controller's system must trust the server's certificate. */
function withoutCertificate(document: Tree, where: readonly Evidence[]): Answer | undefined {
  const without = [...profileProviders(document)].find(
    ([, provider]) =>
      isAbsent(childOf(provider, "cluster", "certificate-authority-data")) &&
      !PUBLIC.test(shownAt(provider, "cluster", "server").replace(/>$/, "")),
  );
  return (
    without &&
    unknown(
      `the access provider ${without[0]} has no certificate authority, which works only for a server with a public certificate`,
      "write certificate-authority-data, or ignore this if the certificate is public",
      where,
    )
  );
}
