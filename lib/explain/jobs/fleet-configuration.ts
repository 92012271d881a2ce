/*
 * Whether a controller uses profiles and its list of access providers: Kueue's configuration and gates, where Argo CD
 * writes its Secrets, and whether the list reaches its reader.
 * Sources: kubernetes-sigs/kueue:pkg/config/validation.go and pkg/features, which decodes strictly;
 * argoproj-labs/clusterprofile-integration-for-argocd, README (namespace placement) and controller.go;
 * kubernetes-sigs/cluster-inventory-api:pkg/access.
 */

import type { WorkloadIdentityError } from "../../errors";
import { type Known, isAbsent, isBlank, isKnown, isSensitive, known, orElse, shown } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { once } from "../../model/once";
import { record } from "../../model/parsed";
import { fieldsOf, shownAt, wordAt } from "../../model/parsed-tree";
import { type Tree, childOf, itemsAt, knownJson, plainOf, treeOf } from "../../model/tree";
import { compareVersions, minorOf } from "../../model/version";
import {
  type FleetConsumerKind,
  type NeededVersion,
  ARGO_CD,
  ARGO_CD_SECRETS,
  MULTI_KUEUE,
  kueueField,
  profileNamespaceIssues,
  tooOld,
} from "../../rules/fleet/consumer";
import {
  KUEUE_API_VERSION,
  KUEUE_CONFIG_MAP,
  KUEUE_GATE,
  badKueue,
  kueueGateOff,
} from "../../rules/fleet/kueue";
import { ARGO_NAMESPACES, PROVIDER_FILE_FLAG, outdatedNames } from "../../rules/fleet/names";
import { accessProviderIssues } from "../../rules/fleet/provider-list";
import { HIDDEN_PREFIX, secretIssues } from "../../rules/fleet/secret-material";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import type { ClusterArtefacts } from "../read/clusters";
import type { ProfileFact, ProviderListFact } from "../read/fleet-facts";
import { containersOf } from "../shared/pods";
import {
  type Controller,
  type ControllerPods,
  argumentsOf,
  isElsewhere,
  settingOf,
} from "./fleet-controllers";
import { listEntries, unlessRefused, whyListOpen } from "./fleet-profile";

type Issues = readonly WorkloadIdentityError[];

export function controllerConfigured(
  artefacts: ClusterArtefacts,
  controller: Controller,
  profile: ProfileFact,
): Answer {
  const { list: read, title, kind, readers } = controller;
  if (!read)
    return unknown("no list of access providers was read", "also give explain the ConfigMap that holds it");
  const where = seen(read.title, read.source);
  const hasSecrets = read.form === "secrets";
  const open = whyListOpen(read);
  if (open !== undefined)
    return unknown(
      `the list of access providers of ${title} is not known: ${open}`,
      "write the list in one place, with literal names and commands",
      where,
    );
  if (!isKnown(read.providers))
    return broken(
      `the list of access providers of ${title} cannot be read`,
      "write { providers: [ … ] }",
      "failed to unmarshal access providers",
      where,
    );
  const version = versionOf(controller);
  const outdated = versionIssues(title, hasSecrets ? ARGO_CD_SECRETS : VERSIONED[kind]?.needed, version);
  const flags = readers.flatMap((reader) => argumentsOf({ ...reader, container: "" }));
  const issues = [
    ...listIssues(read).entries,
    ...(kind === "kueue" ? kueueIssues(read, profile.namespace, version) : []),
    // Options in the spelling of older drafts.
    ...outdatedNames([...new Set(flags.map((argument) => shown(argument).split("=")[0] ?? ""))]),
  ];
  // For a version that does not know profiles, its names and gates do not matter.
  const refused = outdated.length > 0 ? outdated : issues;
  const parts = [
    refused.length > 0 ? unlessRefused(refused, "", where) : undefined,
    kind === "kueue" && outdated.length === 0 ? kueueGate(artefacts, controller) : undefined,
    argoProblem(controller, profile.namespace),
    hasSecrets ? secretsProblem(controller, profile) : listProblem(controller, read),
  ];
  const taken = hasSecrets ? "its cluster Secrets" : "profiles and its list of access providers";
  return obstacle(parts) ?? pass(`${title} uses ${taken}`, where);
}

function versionIssues(
  title: string,
  needed: NeededVersion | undefined,
  version: string | undefined,
): Issues {
  const isOld = version !== undefined && needed && compareVersions(version, needed.since) < 0;
  return isOld ? [tooOld(needed, minorOf(title, version))] : [];
}

/** Consumers with images of their own, and the version that each needs at least. */
const VERSIONED: Readonly<
  Partial<Record<FleetConsumerKind, { readonly image: RegExp; readonly needed: NeededVersion }>>
> = {
  argocd: { image: /(?:^|\/)argocd:v?(\d+\.\d+(?:\.\d+)?)/, needed: ARGO_CD },
  kueue: { image: /(?:^|\/)kueue:v?(\d+\.\d+(?:\.\d+)?)/, needed: MULTI_KUEUE },
};

/** The version in the tag of the controller's own image; `undefined` for another image, a digest or a late one. */
const versionOf = once(({ kind, workloads }: Controller): string | undefined => {
  const images = workloads.flatMap(({ pods }) => pods.images.map(({ image }) => orElse(image, () => "")));
  return images.map((image) => VERSIONED[kind]?.image.exec(image)?.[1]).find((each) => each !== undefined);
});

/** The refusals of a list by itself, which every spoke asks about; none if its text cannot be read. */
export const listIssues: (read: ProviderListFact) => { readonly entries: Issues; readonly secrets: Issues } =
  once((read) => {
    const providers = listEntries(read);
    const entries = accessProviderIssues(providers.map((entry) => plainOf(entry, shown)));
    return { entries, secrets: secretsIn("list of access providers", treeOf(providers)) };
  });

/** The places in a document with a secret, also one that was hidden when it was read. */
export function secretsIn(where: string, document: Tree): Issues {
  const shownOrHidden = (each: Known<never>): string =>
    isSensitive(each) ? `@late(${HIDDEN_PREFIX}` : shown(each);
  return secretIssues(where, plainOf(document, shownOrHidden));
}

const LIST_KEYS: readonly string[] = ["accessProviders", "credentialsProviders"];
const ENTRY_KEYS: readonly string[] = ["name", "execConfig"];

/** What Kueue refuses or ignores in its configuration, apart from gates. */
function kueueIssues(read: ProviderListFact, profileNamespace: string, version: string | undefined): Issues {
  const { configuration } = read;
  const part = childOf(configuration, "multiKueue", "clusterProfile");
  const keys = keysOf(part);
  const isOurs =
    shownAt(configuration, "kind") === "Configuration" &&
    shownAt(configuration, "apiVersion") === KUEUE_API_VERSION;
  const problems = [
    ...(isOurs ? [] : [`is not of kind Configuration of ${KUEUE_API_VERSION}`]),
    ...listProblems(
      LIST_KEYS.filter((field) => !isAbsent(childOf(part, field))),
      version,
    ),
    ...keys
      .filter((key) => !LIST_KEYS.includes(key) && outdatedNames([key]).length === 0)
      .map((key) => `has the key ${key} in multiKueue.clusterProfile, which Kueue does not know`),
    ...listEntries(read).flatMap((entry) => {
      const name = shownAt(entry, "name");
      const unknownKeys = keysOf(entry).filter((key) => !ENTRY_KEYS.includes(key));
      const hasMode = !isBlank(wordAt(entry, "execConfig", "interactiveMode"));
      return [
        ...unknownKeys.map((key) => `has the key ${key} in the entry ${name}, which Kueue does not know`),
        ...(hasMode ? [] : [`has no interactiveMode in the entry ${name}`]),
      ];
    }),
  ];
  return [
    ...outdatedNames(keys),
    ...problems.map(badKueue),
    ...profileNamespaceIssues({ ...MULTI_KUEUE, profileNamespace: read.namespace }, profileNamespace),
  ];
}

function keysOf(tree: Tree): readonly string[] {
  return fieldsOf(tree).map(([key]) => shown(key));
}

function listProblems(written: readonly string[], version: string | undefined): readonly string[] {
  const [field, ...others] = written;
  if (field === undefined) return ["has no list of access providers in multiKueue.clusterProfile"];
  if (others.length > 0) return ["has accessProviders and credentialsProviders, which Kueue refuses"];
  // Newer versions accept the older name too.
  if (version === undefined || field === "credentialsProviders") return [];
  return kueueField(version) === field
    ? []
    : [`has the list as ${field}, which Kueue ${version} does not know`];
}

const FLAG = "--feature-gates";
/** Go's flags accept one dash or two. */
const FLAGS = [FLAG, FLAG.slice(1)];

/** Whether the gate is on in the configuration, or on the command line, which only a whole manifest shows. */
function kueueGate({ cluster }: ClusterArtefacts, controller: Controller): Answer | undefined {
  const { list: read, readers, workloads } = controller;
  const written = childOf(read?.configuration ?? treeOf(undefined), "featureGates");
  const isStated = keysOf(written).length > 0;
  const whole = [...readers, ...workloads].filter(({ isPartial }) => !isPartial);
  const flags = whole.map((pods) => settingOf(pods, FLAGS));
  // An empty flag means the same as a missing one.
  const gateFlags = flags.flatMap((flag) => (flag === undefined || isBlank(flag) ? [] : flag));
  const byFlag = whole.length > 0 ? gateFlags.length > 0 : cluster.fleet?.gateByFlag === true;
  if (byFlag && isStated) return invalid(`has featureGates, which Kueue refuses together with ${FLAG}`);
  const gates = knownJson(written);
  if (!isKnown(gates))
    return unknown("a feature gate in the manager's configuration is known only after apply", GATE_REMEDY);
  const off = kueueGateOff(record(orElse(gates, () => undefined)));
  if (isStated && off !== undefined) return invalid(`leaves the feature gate ${off} off`);
  // A variable or a script may set the flag.
  const isOpen = whole.some((pods, place) => {
    const flag = flags[place];
    return flag === undefined
      ? argumentsOf(pods).some((word) => shown(word).includes(FLAG.slice(1)))
      : isElsewhere(flag);
  });
  if (isOpen)
    return unknown(`whether the manager has ${KUEUE_GATE} on its command line is not known`, GATE_REMEDY);
  if (isStated) return undefined;
  if (!byFlag) return invalid(`leaves the feature gate ${KUEUE_GATE} off`);
  const offByFlag = gateFlags
    .map((flag) => kueueGateOff(gatesOf(shown(flag))))
    .find((gate) => gate !== undefined);
  return offByFlag === undefined ? undefined : invalid(`leaves ${offByFlag} off, and ${FLAG} too`);
}

const GATE_REMEDY = "also give explain the manifest of the manager, with its argument --feature-gates";

function invalid(problem: string): Answer {
  return unlessRefused([badKueue(problem)], "");
}

/** Source: k8s.io/component-base/featuregate, `Name=true,Other=false` with spaces around. */
function gatesOf(flag: string): Readonly<Record<string, boolean>> {
  const pairs = flag.split(",").map((pair) => pair.split("=").map((word) => word.trim()));
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, isTrue(value)]));
}

function isTrue(value: string): boolean {
  return /^(?:1|t|true)$/i.test(value);
}

function argoProblem({ account, title, readers, kind }: Controller, namespace: string): Answer | undefined {
  const { namespace: home, name } = namespacedName(account);
  if (kind !== "argocd" || name === "*") return undefined;
  const elsewhere = profileNamespaceIssues({ title, profileNamespace: home }, namespace);
  if (elsewhere.length > 0) return unlessRefused(elsewhere, "");
  return obstacle(readers.map((reader) => watching(reader, namespace)));
}

const DRY_RUN = "--dry-run";

function watching(reader: ControllerPods, namespace: string): Answer | undefined {
  const { pods, where, isPartial } = reader;
  const dryRun = settingOf(reader, [DRY_RUN], true) ?? known("");
  if (isTrue(shown(dryRun)))
    return broken(
      `${pods.title} has ${DRY_RUN} and writes no Secret`,
      `leave ${DRY_RUN} out`,
      undefined,
      where,
    );
  const watched = settingOf(reader, [ARGO_NAMESPACES]);
  const namespaces = watched === undefined || isBlank(watched) ? pods.namespace : shown(watched);
  const names = namespaces.split(",").map((each) => each.trim());
  const isRead = names.includes(namespace) || names.includes("*");
  const isScript =
    watched === undefined && argumentsOf(reader).some((each) => shown(each).includes(ARGO_NAMESPACES));
  // A partial manifest shows no arguments; what was declared is in the header of its file.
  if (watched === undefined && isPartial && !isRead) return undefined;
  const remedy = `give it ${ARGO_NAMESPACES} with ${namespace} in the list`;
  if (isElsewhere(dryRun) || isScript || (watched !== undefined && isElsewhere(watched)))
    return unknown(`from which namespaces ${pods.title} reads profiles is not known`, remedy, where);
  const reason = `${pods.title} reads only profiles of ${names.join(", ")}, not of ${namespace}`;
  return isRead ? undefined : broken(reason, remedy, undefined, where);
}

/** Argo CD itself reads no profiles. */
function secretsProblem({ title }: Controller, { main, isSecret, key }: ProfileFact): Answer | undefined {
  if (isSecret || main === undefined) return undefined;
  return unknown(
    `${title} uses its cluster Secrets, and no controller was read that writes one from the profile ${key}`,
    "also give explain the manifest of that controller and its list of access providers",
  );
}

function listProblem({ readers, title }: Controller, read: ProviderListFact): Answer | undefined {
  // Kueue's own manifests mount its configuration; a partial manifest does not show that.
  const isKueue = read.form === "kueue";
  const judged = readers.filter(({ isPartial }) => !isKueue || !isPartial);
  if (judged.length > 0) return obstacle(judged.map((reader) => mounted(reader, read)));
  if (!isKueue)
    return unknown(
      `which workload of ${title} reads the list of access providers is not known`,
      `also give explain the manifest that mounts the ConfigMap ${read.configMap}`,
    );
  if (read.configMap === KUEUE_CONFIG_MAP) return undefined;
  return unknown(
    `whether ${title} reads the ConfigMap ${read.configMap} is not known`,
    `also give explain the manifest of its manager; the usual name is ${KUEUE_CONFIG_MAP}`,
  );
}

function mounted(reader: ControllerPods, read: ProviderListFact): Answer | undefined {
  const { pods, where, container, isPartial } = reader;
  const containers = containersOf(pods.spec, (name) => (name === read.configMap ? [read.key] : [])).filter(
    ({ name }) => container === "" || name === container,
  );
  const files = containers
    .flatMap((each) => each.files)
    .filter(({ of, path }) => of?.configMap === read.configMap && of.key === read.key && path.startsWith("/"))
    .map(({ path }) => path);
  if (files.length > 0)
    return isPartial
      ? undefined
      : fileProblem(reader, read.form === "kueue" ? "--config" : PROVIDER_FILE_FLAG, files);
  const sources = itemsAt(pods.spec, "volumes").flatMap((volume) => [
    volume,
    ...itemsAt(volume, "projected", "sources"),
  ]);
  const isOpen =
    containers.some((each) => each.isOpen) ||
    sources.some((each) => !isKnown(knownJson(childOf(each, "configMap"))));
  const remedy = "mount it into the container that reads profiles";
  return isOpen
    ? unknown(`whether ${pods.title} mounts the ConfigMap ${read.configMap} is not known`, remedy, where)
    : broken(
        `${pods.title} does not mount the ConfigMap ${read.configMap} with its key ${read.key}`,
        remedy,
        "failed to read access providers",
        where,
      );
}

/** The answer if it reads another file; only a whole manifest shows the arguments. */
function fileProblem(reader: ControllerPods, flag: string, files: readonly string[]): Answer | undefined {
  const { title } = reader.pods;
  const file = settingOf(reader, [flag]);
  if (file !== undefined && files.includes(shown(file))) return undefined;
  const remedy = `give it the argument ${flag}=${files[0] ?? ""}`;
  if (file === undefined || isElsewhere(file))
    return unknown(`which list ${title} reads is not known`, remedy, reader.where);
  const reason = `${title} reads ${shown(file)}, but the list is mounted at ${files.join(", ")}`;
  return broken(reason, remedy, undefined, reader.where);
}
