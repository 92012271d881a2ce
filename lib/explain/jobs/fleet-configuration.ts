/*
 * Whether a controller takes profiles and its list of access providers: Kueue's configuration and gates, where Argo CD
 * writes its Secrets, and whether the list reaches who reads it.
 * Sources: kubernetes-sigs/kueue:pkg/config/validation.go and pkg/features, which decodes strictly;
 * argoproj-labs/clusterprofile-integration-for-argocd, README (namespace placement) and controller.go;
 * kubernetes-sigs/cluster-inventory-api:pkg/access.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { isKnown, orElse, whyNot } from "../../model/known";
import { at, list, record, text } from "../../model/parsed";
import { childOf, knownJson } from "../../model/tree";
import { compareVersions, minorOf } from "../../model/version";
import { multiKueue } from "../../rules/fleet/consumers";
import { KUEUE_API_VERSION } from "../../rules/fleet/kueue-configuration";
import { KUEUE_GATE, kueueGateOff } from "../../rules/fleet/kueue-gates";
import { ARGO_NAMESPACES, PROVIDER_FILE_FLAG } from "../../rules/fleet/names";
import { outdatedNames } from "../../rules/fleet/outdated-names";
import { accessProviderIssues } from "../../rules/fleet/provider-file";
import { secretIssues } from "../../rules/fleet/secret-material";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import type { ClusterArtefacts } from "../read/facts";
import type { ProfileFact, ProviderListFact } from "../read/fleet-facts";
import { hasLateName, namedTree, shownNames } from "../read/late-text";
import { containersOf } from "../shared/pods";
import {
  type Controller,
  type ControllerPods,
  argumentsOf,
  isElsewhere,
  isSwitchedOn,
  settingOf,
} from "./fleet-controllers";
import { listEntries, unlessRefused, whyListOpen } from "./fleet-profile";

type Issues = readonly WorkloadIdentityError[];

/** Does the controller take profiles and its list of access providers? */
export function controllerConfigured(
  artefacts: ClusterArtefacts,
  controller: Controller,
  profile: ProfileFact,
): Answer {
  const { list: read, title, kind } = controller;
  if (!read)
    return unknown("no list of access providers was read", "name the ConfigMap that holds it as well");
  const where = seen(`ConfigMap ${read.namespace}/${read.configMap}`, read.source);
  const open = whyListOpen(read);
  if (open !== undefined)
    return unknown(
      `the list of access providers of ${title} is not known: ${open}`,
      "write the list once, with literal names and commands",
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
  const outdated = versionIssues(controller, version);
  const gate = kind === "kueue" ? kueueGate(artefacts, controller) : undefined;
  const issues = [
    ...listIssues(read).entries,
    ...(gate ? [...kueueIssues(read, profile.namespace, version), ...gate.issues] : []),
    ...flagIssues(controller.readers),
  ];
  const reason = `${title} takes profiles and its list of access providers`;
  // What the names and gates of a version that knows no profiles would have to be is no question.
  const configured = unlessRefused(outdated.length > 0 ? outdated : issues, reason, where);
  if (configured.status !== "pass") return configured;
  if (gate?.unknown) return unknown(gate.unknown, GATE_REMEDY, where);
  const taken = argoAnswer(controller, profile.namespace, configured);
  const listed = taken.status === "fail" ? taken : listAnswer(controller, configured);
  return listed.status === "pass" ? taken : listed;
}

const GATE_REMEDY = "name the manifest of the manager as well, with its argument --feature-gates";

const IMAGES: Readonly<Record<Controller["kind"], RegExp | undefined>> = {
  argocd: /(?:^|\/)argocd:v?(\d+\.\d+(?:\.\d+)?)/,
  kueue: /(?:^|\/)kueue:v?(\d+\.\d+(?:\.\d+)?)/,
  other: undefined,
};
const SINCE: Readonly<Record<Controller["kind"], readonly [since: string, why: string] | undefined>> = {
  argocd: ["3.5", "its cluster Secrets have no provideClusterInfo and no config"],
  kueue: ["0.15", "it does not know ClusterProfiles"],
  other: undefined,
};

/** Options of the controller's containers in the spelling of older drafts. */
function flagIssues(readers: readonly ControllerPods[]): Issues {
  const flags = readers.flatMap((reader) =>
    argumentsOf({ ...reader, container: "" }).map((argument) => argument.split("=")[0] ?? ""),
  );
  return outdatedNames([...new Set(flags)]);
}

function versionIssues({ kind, title }: Controller, version: string | undefined): Issues {
  const since = SINCE[kind];
  if (version === undefined || since === undefined || compareVersions(version, since[0]) >= 0) return [];
  return [refusal("fleet-consumer-too-old", title, minorOf(title, version), ...since)];
}

/** The version in the tag of the controller's own image; `undefined` for another image, a digest or a late one. */
function versionOf({ kind, workloads }: Controller): string | undefined {
  const images = workloads.flatMap(({ pods }) => pods.images.map(({ image }) => orElse(image, () => "")));
  return images.map((image) => IMAGES[kind]?.exec(image)?.[1]).find((each) => each !== undefined);
}

/** Refusals of a list by itself. */
interface ListIssues {
  readonly entries: Issues;
  readonly secrets: Issues;
}

const JUDGED = new WeakMap<ProviderListFact, ListIssues>();

/** The refusals of a list, which every spoke asks about; none where its text cannot be read. */
export function listIssues(read: ProviderListFact): ListIssues {
  const before = JUDGED.get(read);
  if (before) return before;
  const providers = listEntries(read);
  const made = {
    entries: accessProviderIssues(providers),
    secrets: secretIssues("list of access providers", providers),
  };
  JUDGED.set(read, made);
  return made;
}

const LIST_KEYS: readonly string[] = ["accessProviders", "credentialsProviders"];
const ENTRY_KEYS: readonly string[] = ["name", "execConfig"];

/** What Kueue refuses in its configuration but for gates, and what it does not read. */
function kueueIssues(read: ProviderListFact, profileNamespace: string, version: string | undefined): Issues {
  const configuration = record(namedTree(read.configuration));
  const part = record(at(configuration, "multiKueue", "clusterProfile"));
  const problems = [
    ...(configuration["kind"] === "Configuration" && configuration["apiVersion"] === KUEUE_API_VERSION
      ? []
      : [`is not of kind Configuration of ${KUEUE_API_VERSION}`]),
    ...listProblems(
      LIST_KEYS.filter((field) => part[field] !== undefined),
      version,
    ),
    ...Object.keys(part)
      .filter((key) => !LIST_KEYS.includes(key) && outdatedNames([key]).length === 0)
      .map((key) => `has the key ${key} in multiKueue.clusterProfile, which Kueue does not know`),
    ...listEntries(read).flatMap(entryProblems),
  ];
  return [
    ...outdatedNames(Object.keys(part)),
    ...problems.map((problem) => refusal("kueue-configuration-invalid", problem)),
    ...(profileNamespace === read.namespace ? [] : [refusal("kueue-profile-namespace", profileNamespace)]),
  ];
}

function entryProblems(entry: unknown): readonly string[] {
  const name = text(at(entry, "name"));
  const mode = at(entry, "execConfig", "interactiveMode");
  return [
    ...Object.keys(record(entry))
      .filter((key) => !ENTRY_KEYS.includes(key))
      .map((key) => `has the key ${key} in the entry ${name}, which Kueue does not know`),
    ...(mode === undefined || mode === "" ? [`has no interactiveMode in the entry ${name}`] : []),
  ];
}

/** What is wrong with the names under which the list stands. */
function listProblems(written: readonly string[], version: string | undefined): readonly string[] {
  const [field, ...others] = written;
  if (field === undefined) return ["has no list of access providers in multiKueue.clusterProfile"];
  if (others.length > 0) return ["has accessProviders and credentialsProviders, which Kueue refuses"];
  // Newer versions take the older name as well.
  const isTaken = version === undefined || field === "credentialsProviders" || fieldOf(version) === field;
  return isTaken ? [] : [`has the list as ${field}, which Kueue ${version} does not know`];
}

function fieldOf(version: string): string | undefined {
  if (compareVersions(version, "0.15") < 0) return undefined;
  const { form } = multiKueue({ version });
  return form.kind === "kueue" ? form.field : undefined;
}

/** Whether the feature gate of ClusterProfiles is on. */
interface KueueGate {
  readonly issues: Issues;
  /** Why that cannot be told; `undefined` where it can. */
  readonly unknown: string | undefined;
}

const FLAG = "--feature-gates";
const SOUND: KueueGate = { issues: [], unknown: undefined };
const OPEN: KueueGate = {
  issues: [],
  unknown: `whether the manager has ${KUEUE_GATE} on its command line is not known`,
};

/** The gate stands in the configuration or on the command line, which only a whole manifest shows. */
function kueueGate({ cluster }: ClusterArtefacts, controller: Controller): KueueGate {
  const { list: read, readers, workloads, declared } = controller;
  const written = read && childOf(read.configuration, "featureGates");
  const gates = record(written && namedTree(written));
  const isStated = Object.keys(gates).length > 0;
  const whole = [...readers, ...workloads].filter(({ isPartial }) => !isPartial);
  const flags = whole.map(flagged);
  const byFlag =
    whole.length > 0 ? flags.some((flag) => (flag ?? "") !== "") : declared && cluster.fleet?.gateByFlag;
  if (byFlag && isStated) return invalid(`has featureGates, which Kueue refuses beside ${FLAG}`);
  if (written && whyNot(knownJson(written)))
    return { issues: [], unknown: "a feature gate in the manager's configuration is known only after apply" };
  const off = kueueGateOff(gates);
  if (isStated && off !== undefined) return invalid(`leaves the feature gate ${off} off`);
  if (whole.some(isOpen)) return OPEN;
  if (isStated) return SOUND;
  if (whole.length > 0 && !byFlag) return invalid(`leaves the feature gate ${KUEUE_GATE} off`);
  const offByFlag = flags.map((flag) => kueueGateOff(gatesOf(flag))).find((gate) => gate !== undefined);
  if (whole.length > 0)
    return offByFlag === undefined ? SOUND : invalid(`leaves ${offByFlag} off, and ${FLAG} too`);
  if (declared) return byFlag ? SOUND : invalid(`leaves the feature gate ${KUEUE_GATE} off`);
  return OPEN;
}

function invalid(problem: string): KueueGate {
  return { issues: [refusal("kueue-configuration-invalid", problem)], unknown: undefined };
}

/** The flag's value; empty says what a missing one does. Go's flags take one dash as well as two. */
function flagged(pods: ControllerPods): string | undefined {
  return settingOf(pods, FLAG, FLAG.slice(1));
}

/** True where a variable or a script gives the flag. */
function isOpen(pods: ControllerPods): boolean {
  const flag = flagged(pods);
  if (flag !== undefined) return isElsewhere(flag);
  return argumentsOf(pods).some((word) => word.includes(FLAG.slice(1)));
}

/** Source: k8s.io/component-base/featuregate, `Name=true,Other=false` with spaces around. */
function gatesOf(flag: string | undefined): Readonly<Record<string, boolean>> {
  const pairs = (flag ?? "").split(",").map((pair) => pair.split("=").map((word) => word.trim()));
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, /^(?:1|t|true)$/i.test(value)]));
}

const DRY_RUN = "--dry-run";

/** The answer, or why Argo CD gets nothing from profiles of that namespace. */
function argoAnswer(controller: Controller, namespace: string, answer: Answer): Answer {
  const { account, title, readers, kind, declared } = controller;
  const [home = "", name] = account.split("/");
  if (kind !== "argocd" || name === "*") return answer;
  if (namespace !== home)
    return unlessRefused(
      [refusal("fleet-profile-namespace", title, namespace, home)],
      "",
      ...answer.evidence,
    );
  return obstacle(readers.map((reader) => watching(reader, declared, namespace))) ?? answer;
}

/** Why the reader gets no profile of the namespace, or may not. */
function watching(reader: ControllerPods, declared: boolean, namespace: string): Answer | undefined {
  const { pods, isPartial } = reader;
  const where = seen(pods.title, pods.source);
  const isDry = isSwitchedOn(reader, DRY_RUN);
  if (isDry)
    return broken(
      `${pods.title} has ${DRY_RUN} and writes no Secret`,
      `leave ${DRY_RUN} out`,
      undefined,
      where,
    );
  const watched = settingOf(reader, ARGO_NAMESPACES);
  const names = (watched || pods.namespace).split(",").map((each) => each.trim());
  const isRead = names.includes(namespace) || names.includes("*");
  const isScript =
    watched === undefined && argumentsOf(reader).some((each) => each.includes(ARGO_NAMESPACES));
  // A partial manifest shows no arguments; what was declared is in the header of its file.
  const isUnseen = watched === undefined && isPartial && !isRead;
  if (isUnseen && declared) return undefined;
  const remedy = `give it ${ARGO_NAMESPACES} with ${namespace} in the list`;
  if (isDry === undefined || isScript || isUnseen || (watched !== undefined && isElsewhere(watched)))
    return unknown(`of which namespaces ${pods.title} reads profiles is not known`, remedy, where);
  const reason = `${pods.title} reads profiles of ${names.join(", ")} alone, not of ${namespace}`;
  return isRead ? undefined : broken(reason, remedy, undefined, where);
}

const FLAGS: Readonly<Record<ProviderListFact["form"], string>> = {
  file: PROVIDER_FILE_FLAG,
  kueue: "--config",
};

/** Where Kueue's own manifests have its configuration, which they mount. */
const KUEUE = "kueue-manager-config";

/** The answer, or why the list does not reach who reads it. */
function listAnswer(controller: Controller, answer: Answer): Answer {
  const { list: read, readers, title } = controller;
  if (read === undefined) return answer;
  if (read.form === "kueue") return kueueAnswer(controller, read, answer);
  if (readers.length === 0)
    return unknown(
      `which workload of ${title} reads the list of access providers is not known`,
      `name the manifest that mounts the ConfigMap ${read.configMap} as well`,
      ...answer.evidence,
    );
  return worst(readers, read) ?? answer;
}

/** Kueue's configuration is mounted by its own manifests, which a partial one says nothing of. */
function kueueAnswer({ readers, title }: Controller, read: ProviderListFact, answer: Answer): Answer {
  const whole = readers.filter(({ isPartial }) => !isPartial);
  if (whole.length > 0) return worst(whole, read) ?? answer;
  if (read.configMap === KUEUE) return answer;
  return unknown(
    `whether ${title} reads the ConfigMap ${read.configMap} is not known`,
    `name the manifest of its manager as well; the usual name is ${KUEUE}`,
    ...answer.evidence,
  );
}

function worst(readers: readonly ControllerPods[], read: ProviderListFact): Answer | undefined {
  return obstacle(readers.map((reader) => mounted(reader, read)));
}

function mounted(reader: ControllerPods, read: ProviderListFact): Answer | undefined {
  const { pods, container, isPartial, spec } = reader;
  const where = seen(pods.title, pods.source);
  const containers = containersOf(pods.spec, (name) => (name === read.configMap ? [read.key] : [])).filter(
    ({ name }) => container === "" || name === container,
  );
  const files = containers
    .flatMap((each) => each.files)
    .filter(({ of }) => of?.configMap === read.configMap && of.key === read.key)
    .map(({ path }) => path)
    .filter((path) => path.startsWith("/"));
  const remedy = "mount it into the container that reads profiles";
  if (files.length > 0) return isPartial ? undefined : flagAnswer(reader, FLAGS[read.form], files, where);
  const sources = list(spec["volumes"]).flatMap((volume) => [
    volume,
    ...list(at(volume, "projected", "sources")),
  ]);
  const isOpenSpec =
    containers.some((each) => each.isOpen) ||
    hasLateName(JSON.stringify(sources.map((each) => at(each, "configMap"))));
  return isOpenSpec
    ? unknown(`whether ${pods.title} mounts the ConfigMap ${read.configMap} is not known`, remedy, where)
    : broken(
        `${pods.title} does not mount the ConfigMap ${read.configMap} with its key ${read.key}`,
        remedy,
        "failed to read access providers",
        where,
      );
}

/** Only a whole manifest shows the arguments. */
function flagAnswer(
  reader: ControllerPods,
  flag: string,
  files: readonly string[],
  where: Evidence,
): Answer | undefined {
  const { pods } = reader;
  const file = settingOf(reader, flag);
  if (file !== undefined && files.includes(file)) return undefined;
  const remedy = `give it the argument ${flag}=${files[0] ?? ""}`;
  if (file === undefined || isElsewhere(file))
    return unknown(`which list ${pods.title} reads is not known`, remedy, where);
  return broken(
    `${pods.title} reads ${shownNames(file)}, and has the list at ${files.join(", ")}`,
    remedy,
    undefined,
    where,
  );
}
