/*
 * What a controller runs for a profile (the access library's choice and what known consumers add to it), whether
 * it is in every container that opens connections, and how it is called.
 * Source: argoproj-labs/clusterprofile-integration-for-argocd, controller.go (`renderSecret`).
 */

import { isDeepStrictEqual } from "node:util";
import { type CloudName, CLOUDS, cloudNames } from "../../model/clouds";
import {
  type Known,
  isAbsent,
  isBlank,
  isKnown,
  joinedAll,
  orElse,
  partsOf,
  shown,
  textOf,
} from "../../model/known";
import { shownAt, wordAt } from "../../model/parsed-tree";
import { type Tree, type TreeList, childOf, itemsAt, treeOf } from "../../model/tree";
import {
  badCommand,
  commandIssues,
  hasImageVolumes,
  notStatic,
  withoutImageVolumes,
} from "../../rules/fleet/plugin-mount";
import {
  fleetPlugins,
  isStoredTokenCommand,
  pluginCallIssues,
  pluginExec,
  pluginOfCommand,
} from "../../rules/fleet/plugins";
import { type KnownResolution, type ResolvedExec, knownExec, nameOf } from "../../rules/fleet/resolve-exec";
import { type Answer, type Evidence, broken, pass, seen, unknown, worstOf } from "../answer";
import type { CloudSpokes, SpokeCall } from "../cloud";
import type { ClusterArtefacts } from "../read/clusters";
import type { ProfileFact } from "../read/fleet-facts";
import { apiServerGates } from "../read/read-record";
import { type Controller, type ControllerPods, containerVariables, containersIn } from "./fleet-controllers";
import { listEntries, profileDocument, unlessRefused, whyListOpen } from "./fleet-profile";
import { missing } from "./links";
import { SELF_MANAGED } from "./self-managed";

export interface PluginCall extends SpokeCall {
  /** What client-go is configured to run, as it is shown, for rules that compare it with literals. */
  readonly exec: ResolvedExec;
  readonly command: Known<string>;
  /** Only the variables of the entry and of the profile. */
  readonly own: ReadonlyMap<string, Known<string>>;
  /** Key of the plugin's cloud; `undefined` if it is not known. */
  readonly cloud: string | undefined;
}

/** Which provider is chosen, or why none is; or why that is not known, if the profile or the list is not. */
export type Resolution = KnownResolution | { readonly outcome: "open"; readonly reason: string };

const BUILTIN = "argo-cd-builtin-";
const argoCloud = (word: string | undefined): CloudName | undefined =>
  cloudNames.find((cloud) => CLOUDS[cloud].argoCd === word);

/** Entries of the list; if the profile names a provider that is built into Argo CD, only that provider. */
export function providersFor({ kind, list: read }: Controller, profile: Tree): TreeList {
  const name = kind === "argocd" ? builtinName(profile) : undefined;
  if (name === undefined) return listEntries(read);
  const apiVersion = "client.authentication.k8s.io/v1beta1";
  const execConfig = { apiVersion, command: "argocd-k8s-auth", args: [name.slice(BUILTIN.length)] };
  return [treeOf({ name, execConfig })];
}

/** True for a provider that is built into Argo CD; each cloud has one for all spokes. */
export function isBuiltin(provider: string): boolean {
  return provider.startsWith(BUILTIN);
}

/** The first built-in name among the profile's `accessProviders`, which decides whatever the list says. */
export function builtinName(profile: Tree): string | undefined {
  return itemsAt(profile, "status", "accessProviders").map(nameOf).find(isBuiltin);
}

export function resolutionFor(controller: Controller, profile: ProfileFact): Resolution {
  const { tree, open } = profileDocument(profile);
  const reason = open ?? (controller.list && whyListOpen(controller.list));
  if (reason !== undefined) return { outcome: "open", reason };
  const isArgo = controller.kind === "argocd" && !profile.isSecret;
  const builtin = isArgo ? builtinName(tree) : undefined;
  if (builtin !== undefined && argoCloud(builtin.slice(BUILTIN.length)) === undefined)
    return { outcome: "refused", reason: `unsupported built-in access provider "${builtin}"` };
  const resolution = knownExec(providersFor(controller, tree), tree);
  if (resolution.outcome === "refused" || !isArgo) return resolution;
  const { exec } = resolution;
  // Argo CD fills templates into the arguments; it copies variables as they are.
  const filled = {
    "{{ .ClusterProfileName }}": wordAt(tree, "metadata", "name"),
    "{{ .ClusterProfileServer }}": exec.server,
  };
  return { outcome: "resolved", exec: { ...exec, args: exec.args.map((each) => withTexts(each, filled)) } };
}

/** The text with some of its literal pieces replaced. */
function withTexts(text: Known<string>, texts: Readonly<Record<string, Known<string>>>): Known<string> {
  return Object.entries(texts).reduce((before, [from, to]) => {
    const pieces = (partsOf(before) ?? []).map((part) =>
      typeof part !== "string"
        ? textOf([part])
        : joinedAll(part.split(from).flatMap((piece, place) => (place === 0 ? [piece] : [to, piece]))),
    );
    return pieces.length > 0 ? joinedAll(pieces) : before;
  }, text);
}

export function pluginCall(
  controller: Controller,
  resolution: Resolution,
  recordedCloud: string | undefined,
): PluginCall | undefined {
  if (resolution.outcome !== "resolved") return undefined;
  const { server, args, env, command, apiVersion } = resolution.exec;
  const variables = new Map(env.map(({ name, value }) => [name, value]));
  const exec = {
    ...resolution.exec,
    server: shown(server),
    apiVersion: shown(apiVersion),
    command: shown(command),
    args: args.map(shown),
    env: env.map(({ name, value }) => ({ name, value: shown(value) })),
  };
  const cloud = cloudOf(exec);
  return {
    exec,
    server,
    command,
    args,
    env: new Map([...containerVariables(controller), ...variables]),
    own: variables,
    cloud,
    recorded: recordedCloud !== undefined && recordedCloud === cloud,
  };
}

function cloudOf({ command, args }: ResolvedExec): string | undefined {
  const plugin = pluginOfCommand(command);
  if (plugin === "argocd-k8s-auth") return argoCloud(args[0]);
  return plugin && fleetPlugins[plugin].clouds[0];
}

export function pluginCalled(
  { kind, list: read }: Controller,
  call: PluginCall | undefined,
  spokes: CloudSpokes | undefined,
): Answer {
  if (!call) return missing("what is run");
  const { exec, cloud } = call;
  const where = read ? [seen(`access provider ${exec.provider}`, read.source)] : [];
  if (pluginOfCommand(exec.command) === undefined && !isStoredTokenCommand(exec.command))
    return unknown(
      `the plugin ${exec.command} is not known here`,
      "see its own documentation for what it needs",
      where,
    );
  if (cloud === SELF_MANAGED && !isTokenReader(exec))
    return unknown(
      `what ${exec.command} does with these arguments is not judged here`,
      "write the arguments that this library writes for the plugin projected-token",
      where,
    );
  const called = unlessRefused(
    pluginCallIssues({ ...exec, env: variablesOf(call, false) }),
    `${exec.command} is called as it must be`,
    ...where,
  );
  if (called.status === "pass")
    return (
      spokes?.called?.(call, where) ??
      (kind === "argocd" && read?.form === "file" ? templateAnswer(exec, where) : undefined) ??
      called
    );
  // An unknown variable may supply what is missing.
  if (pluginCallIssues({ ...exec, env: variablesOf(call, true) }).length > 0) return called;
  return unknown(`${called.reason}, unless an unknown variable supplies it`, called.remedy, where);
}

/** The variables for rules. One that is not known for certain is presumed to be set only if `isPresumed` says so. */
function variablesOf({ exec, env, own }: PluginCall, isPresumed: boolean): ResolvedExec["env"] {
  // A variable of the container would override an argument of kubelogin; a variable of the entry was intended.
  if (exec.command.endsWith("kubelogin")) return exec.env;
  return [...env].map(([name, value]) => {
    const isSet = isPresumed || partsOf(value) !== undefined || own.has(name);
    return { name, value: isSet ? shown(value) : "" };
  });
}

/** What Argo CD would fill into an argument. */
const TEMPLATE = /\{\{ \.ClusterProfile(?:Name|Server) \}\}/;

/** Readers of such a variable get the template itself; `undefined` if no variable has one. */
function templateAnswer({ env }: ResolvedExec, where: readonly Evidence[]): Answer | undefined {
  const unfilled = env.find(({ value }) => TEMPLATE.test(value));
  if (!unfilled) return undefined;
  return unknown(
    `Argo CD fills templates only into arguments, but the variable ${unfilled.name} has one`,
    "write the variable into an entry for each spoke",
    where,
  );
}

/** A shell can do anything; only the script that prints the token in a file is known. */
function isTokenReader({ args, command, provider }: ResolvedExec): boolean {
  const plugin = "projected-token";
  const parameters = { tokenFile: args.at(-1) ?? "" };
  const written = pluginExec({ plugin, cloud: SELF_MANAGED, command, provider, parameters });
  return isDeepStrictEqual(written.args, args);
}

const MOUNT = "mount the plugin, and name it by its absolute path";

export function pluginPresent(
  artefacts: ClusterArtefacts,
  controller: Controller,
  call: PluginCall | undefined,
): Answer {
  if (!call) return missing("what is run");
  const { command, provider } = call.exec;
  const { workloads, title, onPath, isDistroless } = controller;
  const evidence = workloads.map(({ where }) => where);
  if (!isKnown(call.command))
    return unknown(`the command ${command} is known only after apply`, MOUNT, evidence);
  if (onPath?.includes(command)) return pass(`${command} is in the image of ${title}`, evidence);
  const plugin = pluginOfCommand(command);
  if (plugin !== undefined && !fleetPlugins[plugin].isStatic && isDistroless !== false)
    return isDistroless
      ? unlessRefused([notStatic(plugin, title)], "", ...evidence)
      : unknown(
          `whether the image of ${title} has what ${plugin} needs is not known`,
          "use a static plugin, which runs in any image",
          evidence,
        );
  if (!command.startsWith("/"))
    return onPath
      ? unlessRefused([badCommand(provider, command, onPath)], "", ...evidence)
      : unknown(`what the image of ${title} has on its PATH is not known`, MOUNT, evidence);
  const [first, ...others] = workloads.map((each) => mounted(each, provider, command, artefacts));
  return first === undefined
    ? unknown(
        `no workload of ${title} was read, which must have ${command}`,
        "also give explain its manifest",
      )
    : worstOf(first, others);
}

/** Images of these releases contain no cloud's plugin. */
const RELEASED = /(?:^|\/)(?:kueue\/kueue|argoproj\/argocd|knative-operator)[:@]/;

/** If nothing shows which container runs the plugin, each must have it. */
function mounted(
  workload: ControllerPods,
  provider: string,
  command: string,
  artefacts: ClusterArtefacts,
): Answer {
  const { pods, container, isPartial, where } = workload;
  const judged = containersIn(workload).map((each) => {
    const mounts = itemsAt(each, "volumeMounts").filter((mount) => !isBlank(wordAt(mount, "mountPath")));
    const mountPaths = mounts.map((mount) => shownAt(mount, "mountPath"));
    const issues = commandIssues(provider, command, { name: shownAt(each, "name"), mountPaths, onPath: [] });
    const mount = mounts.find((one) => command.startsWith(`${shownAt(one, "mountPath")}/`));
    return { issues, mount, isOpen: mounts.some((one) => !isKnown(childOf(one, "mountPath"))) };
  });
  const without = judged.find(({ issues }) => issues.length > 0);
  const having = judged.find(({ issues }) => issues.length === 0);
  if (having && !without) return inVolume(having.mount, command, workload, artefacts);
  if (!without || having || without.isOpen || (isPartial && container === ""))
    return unknown(
      `which container of ${pods.title} runs ${command}, and whether it has it, is not known`,
      "give explain the whole manifest, or mount the plugin into each container",
      where,
    );
  // A user's own image may have the binary at that path.
  const isReleased = pods.images.some(({ image }) => RELEASED.test(orElse(image, () => "")));
  return container !== "" && (isPartial || isReleased)
    ? unlessRefused(without.issues, "", where)
    : unknown(
        `${command} is under no mount of ${pods.title}; its image may have it`,
        "mount the plugin",
        where,
      );
}

function inVolume(
  mount: Tree = treeOf(undefined),
  command: string,
  { pods: { title, spec }, where }: ControllerPods,
  artefacts: ClusterArtefacts,
): Answer {
  const name = shownAt(mount, "name");
  const volume = itemsAt(spec, "volumes").find((each) => shownAt(each, "name") === name) ?? treeOf(undefined);
  const image = childOf(volume, "image");
  const isImage = !isAbsent(image);
  const nothing = (what: string): Answer => broken(`${title} ${what} ${command}`, MOUNT, undefined, where);
  const open = (what: string, remedy: string): Answer =>
    unknown(`what ${title} has in the volume ${name} is not known: ${what}`, remedy, where);
  if (isAbsent(volume) || (isImage && isBlank(wordAt(image, "reference"))))
    return nothing(`has no volume ${name} that holds`);
  if (isPart(mount)) return open("it is mounted with a subPath", "mount the whole volume");
  const plugin = pluginOfCommand(command);
  const recorded = plugin && artefacts.cluster.fleet?.pluginPaths.get(plugin);
  const path = recorded ?? (plugin && fleetPlugins[plugin].path);
  const rest = command.slice(shownAt(mount, "mountPath").length);
  const present = pass(`${title} has ${command}`, where);
  if (isImage && path !== undefined && rest !== path)
    return open(`whether the image has the plugin at ${rest} is not said`, `the image has it at ${path}`);
  if (isImage) return imageVolumes(artefacts, where) ?? present;
  if (isAbsent(childOf(volume, "emptyDir")))
    return open("it was not read", "mount the plugin's image, or copy the plugin in an init container");
  // An emptyDir is filled by an init container, or not at all.
  const copies = itemsAt(spec, "initContainers").flatMap((each) =>
    itemsAt(each, "volumeMounts")
      .filter((one) => shownAt(one, "name") === name)
      .map((one) => copied(each, one, path)),
  );
  if (copies.includes(rest)) return present;
  if (copies.length === 0) return nothing(`has the volume ${name}, which nothing fills with`);
  return copies.includes(undefined)
    ? open("init containers fill it", `copy it with ["cp", "<path in the plugin's image>", "<mount path>/"]`)
    : nothing(`has the volume ${name}, to which nothing copies`);
}

/** True for a mount of a part of its volume. */
function isPart(mount: Tree): boolean {
  return ["subPath", "subPathExpr"].some((key) => !isBlank(wordAt(mount, key)));
}

/**
 * Where in the volume the container puts the plugin; `undefined` if that is not judged. Only `cp` of one file into the
 * whole volume is known, as this library writes it.
 */
function copied(container: Tree, mount: Tree, path: string | undefined): string | undefined {
  const words = ["command", "args"].flatMap((key) => itemsAt(container, key)).map((word) => wordAt(word));
  const [program = "", from = "", to, ...more] = words.map(shown);
  const isCopy =
    /^(?:\/bin\/|\/usr\/bin\/)?cp$/.test(program) &&
    to === `${shownAt(mount, "mountPath")}/` &&
    more.length === 0;
  if (!isCopy || isPart(mount) || (path ?? from) !== from || !words.every(isKnown)) return undefined;
  return from.startsWith("/") ? from.slice(from.lastIndexOf("/")) : undefined;
}

const GATE = "ImageVolume";

function imageVolumes({ cluster }: ClusterArtefacts, where: Evidence): Answer | undefined {
  const { apiServer: version, unclearFeatureGates = [] } = cluster;
  if (version === undefined)
    return unknown(
      "the plugin's image is mounted as a volume, but the version of the hub is not known",
      "state cluster.apiServer with --facts",
      where,
    );
  if (unclearFeatureGates.includes(GATE))
    return unknown(
      `whether the hub has image volumes is not known: the gate ${GATE} is unclear`,
      MOUNT,
      where,
    );
  const imageVolume = apiServerGates(cluster)[GATE];
  const hub = { version, ...(imageVolume !== undefined && { imageVolume }) };
  return hasImageVolumes(hub) ? undefined : unlessRefused([withoutImageVolumes(version)], "", where);
}
