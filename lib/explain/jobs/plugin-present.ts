/*
 * Whether the plugin is in every container that opens connections, and runs there. Source of what init containers copy:
 * the manual of cp (POSIX.1-2017).
 */

import { refusal } from "../../errors";
import { type Known, isKnown, known, orElse, unread } from "../../model/known";
import { at, list, text } from "../../model/parsed";
import { commandIssues, hasImageVolumes } from "../../rules/fleet/plugin-mount";
import { fleetPlugins, pluginOfCommand } from "../../rules/fleet/plugins";
import { type Answer, type Evidence, broken, pass, seen, unknown, worstOf } from "../answer";
import type { ClusterArtefacts } from "../read/facts";
import { hasLateName, shownNames } from "../read/late-text";
import { apiServerGates } from "../read/read-record";
import { type Controller, type ControllerPods, containersIn } from "./fleet-controllers";
import { unlessRefused } from "./fleet-profile";
import type { PluginCall } from "./plugin-call";

const MOUNT = "mount the plugin, and name it by its absolute path";
const STATIC = "take a static plugin, which runs in any image";

/** Is the plugin in every container that opens connections, and does it run there? */
export function pluginPresent(
  artefacts: ClusterArtefacts,
  controller: Controller,
  call: PluginCall | undefined,
): Answer {
  if (!call) return unknown("what is run is not known", "see the checks before");
  const { command, provider } = call.exec;
  const { workloads, title, onPath, isDistroless } = controller;
  const evidence = workloads.map(({ pods }) => seen(pods.title, pods.source));
  if (hasLateName(command))
    return unknown(`the command ${shownNames(command)} is known only after apply`, MOUNT, ...evidence);
  if (onPath?.includes(command)) return pass(`${command} is in the image of ${title}`, ...evidence);
  const plugin = pluginOfCommand(command);
  if (plugin !== undefined && !fleetPlugins[plugin].isStatic && isDistroless !== false)
    return isDistroless
      ? unlessRefused([refusal("fleet-plugin-not-static", plugin, title)], "", ...evidence)
      : unknown(`whether the image of ${title} has what ${plugin} needs is not known`, STATIC, ...evidence);
  if (!command.startsWith("/"))
    return onPath
      ? unlessRefused([refusal("fleet-command-invalid", provider, command, onPath)], "", ...evidence)
      : unknown(`what the image of ${title} has on its PATH is not known`, MOUNT, ...evidence);
  const [first, ...others] = workloads.map((each) => mounted(each, provider, command, artefacts));
  return first === undefined
    ? unknown(`no workload of ${title} was read, which must have ${command}`, "name its manifest as well")
    : worstOf(first, ...others);
}

/** Where nothing says which container runs the plugin, each must have it. */
function mounted(
  workload: ControllerPods,
  provider: string,
  command: string,
  artefacts: ClusterArtefacts,
): Answer {
  const { pods, container, isPartial } = workload;
  const where = seen(pods.title, pods.source);
  const judged = containersIn(workload).map((each) => {
    const mounts = list(at(each, "volumeMounts")).filter((mount) => text(at(mount, "mountPath")) !== "");
    const mountPaths = mounts.map((mount) => text(at(mount, "mountPath")));
    const issues = commandIssues(provider, command, { name: text(at(each, "name")), mountPaths, onPath: [] });
    const mount = mounts.find((one) => command.startsWith(`${text(at(one, "mountPath"))}/`));
    return { issues, mount, isOpen: mountPaths.some(hasLateName) };
  });
  const without = judged.find(({ issues }) => issues.length > 0);
  const found = judged.find(({ issues }) => issues.length === 0);
  if (found && !without) return volumeAnswer(found.mount, command, workload, artefacts);
  if (!without || found || without.isOpen || (isPartial && container === ""))
    return unknown(
      `which container of ${pods.title} runs ${command}, and whether it has it, is not known`,
      "name the whole manifest, or mount the plugin into each container",
      where,
    );
  // An image that the user builds may have the binary where the path says.
  const images = pods.images.map(({ image }) => orElse(image, () => ""));
  return container !== "" && (isPartial || images.some((image) => RELEASED.test(image)))
    ? unlessRefused(without.issues, "", where)
    : unknown(
        `${command} is under no mount of ${pods.title}; its image may have it`,
        "mount the plugin",
        where,
      );
}

/** Images of releases hold no plugin of clouds. */
const RELEASED = /(?:^|\/)(?:kueue\/kueue|argoproj\/argocd|knative-operator)[:@]/;

function volumeAnswer(
  mount: unknown,
  command: string,
  workload: ControllerPods,
  artefacts: ClusterArtefacts,
): Answer {
  const { pods, spec } = workload;
  const where = seen(pods.title, pods.source);
  const name = text(at(mount, "name"));
  const volume = list(spec["volumes"]).find((each) => at(each, "name") === name);
  const isImage = at(volume, "image") !== undefined;
  if (volume === undefined || (isImage && text(at(volume, "image", "reference")) === ""))
    return broken(`${pods.title} has no volume ${name} that holds ${command}`, MOUNT, undefined, where);
  if (text(at(mount, "subPath")) !== "" || text(at(mount, "subPathExpr")) !== "")
    return unknown(
      `the mount of the volume ${name} has a subPath, and what is there is not known`,
      "mount the whole volume",
      where,
    );
  const plugin = pluginOfCommand(command);
  const recorded = plugin && artefacts.cluster.fleet?.pluginPaths.get(plugin);
  const path = recorded ?? (plugin && fleetPlugins[plugin].path);
  const rest = command.slice(text(at(mount, "mountPath")).length);
  const reason = `${pods.title} has ${command}`;
  if (!isImage) return otherVolume({ name, rest, path }, volume, workload, reason);
  return path !== undefined && rest !== path
    ? unknown(
        `whether the plugin's image has it at ${rest} is not known`,
        `the image has it at ${path}`,
        where,
      )
    : imageVolumes(artefacts, reason, where);
}

const GATE = "ImageVolume";

/** Whether the hub has image volumes. */
function imageVolumes(artefacts: ClusterArtefacts, reason: string, where: Evidence): Answer {
  const { apiServer } = artefacts.cluster;
  if (apiServer === undefined)
    return unknown(
      "the plugin's image is mounted as a volume, and the version of the hub is not known",
      "state cluster.apiServer with --facts",
      where,
    );
  const given = imageVolumeGate(artefacts);
  if (!isKnown(given))
    return unknown(
      `whether the hub has image volumes is not known: the gate ${GATE} is unclear`,
      MOUNT,
      where,
    );
  const imageVolume = orElse(given, () => undefined);
  const hub = { version: apiServer, ...(imageVolume !== undefined && { imageVolume }) };
  const issues = hasImageVolumes(hub) ? [] : [refusal("plugin-mount-hub-too-old", apiServer)];
  return unlessRefused(issues, reason, where);
}

/** The gate of kube-apiserver: what overrides its operator's arguments wins over what is recorded. */
function imageVolumeGate({ cluster, apiServerOverrides }: ClusterArtefacts): Known<boolean | undefined> {
  const overrides = apiServerOverrides.flatMap(({ arguments: given }) => given.get("feature-gates") ?? []);
  const [, switched] =
    overrides
      .flatMap((each) => each.split(","))
      .map((pair) => pair.split("=").map((word) => word.trim()))
      .findLast(([name]) => name === GATE) ?? [];
  if (switched !== undefined)
    return /^(?:1|t|true|0|f|false)$/i.test(switched)
      ? known(/^(?:1|t|true)$/i.test(switched))
      : unread("it is neither on nor off");
  if (overrides.some(hasLateName) || cluster.unclearFeatureGates?.includes(GATE))
    return unread("it is neither on nor off");
  return known(apiServerGates(cluster)[GATE]);
}

/** A file that a volume must hold. */
interface WantedCopy {
  /** Name of the volume. */
  readonly name: string;
  /** Path of the file in the volume, with `/` before it. */
  readonly rest: string;
  /** Path of the file in the image that it is copied from; `undefined` where nothing says it. */
  readonly path: string | undefined;
}

/** What begins empty is filled by an init container, or not at all; what other volumes hold was not read. */
function otherVolume(
  wanted: WantedCopy,
  volume: unknown,
  { pods: { title, source }, spec }: ControllerPods,
  reason: string,
): Answer {
  const where = seen(title, source);
  const { name } = wanted;
  if (at(volume, "emptyDir") === undefined)
    return unknown(
      `what the volume ${name} of ${title} holds was not read`,
      "mount the plugin's image, or copy the plugin in an init container",
      where,
    );
  const copies = list(spec["initContainers"]).flatMap((each) => copyInto(each, wanted));
  if (copies.includes("copied")) return pass(`${reason}, copied by an init container`, where);
  if (copies.includes("unclear"))
    return unknown(
      `what the init containers of ${title} put into the volume ${name} is not judged here`,
      `copy it with ["cp", "<path in the plugin's image>", "<mount path>/"]`,
      where,
    );
  const what = copies.length === 0 ? "which nothing fills" : `to which nothing copies ${wanted.rest}`;
  return broken(`${title} has the volume ${name}, ${what}`, MOUNT, undefined, where);
}

/** What a container does: `elsewhere` for a copy of another name, `unclear` for all that is no plain `cp`. */
type Copy = "copied" | "elsewhere" | "unclear";

/** Options that do not change where a file is copied to; `-t` turns the paths around. */
const HARMLESS = /^-(?:[adfnpRruv]+|-(?:archive|force|recursive|verbose|preserve(?:=[\w,]+)?))$/;
/** With these a whole folder is copied, if it is one. */
const RECURSIVE = /^-(?:\w*[aRr]\w*|-archive|-recursive)$/;

/** What the container copies into the volume, one per mount of it. */
function copyInto(container: unknown, { name, rest, path }: WantedCopy): readonly Copy[] {
  const mounts = list(at(container, "volumeMounts")).filter((mount) => at(mount, "name") === name);
  const words = [...list(at(container, "command")), ...list(at(container, "args"))].map(text);
  return mounts.map((mount): Copy => {
    const [program = "", ...others] = words;
    const paths = others.filter((word) => !HARMLESS.test(word));
    const [from, to] = paths;
    if (words.some(hasLateName)) return "unclear";
    if (!/^(?:\/bin\/|\/usr\/bin\/)?cp$/.test(program) || paths.length !== 2 || !from || !to?.startsWith("/"))
      return "unclear";
    if (text(at(mount, "subPath")) !== "" || (path !== undefined && from !== path)) return "unclear";
    const base = text(at(mount, "mountPath")).replace(/\/$/, "");
    const isDirectory = to.endsWith("/") || to === base;
    const copied = isDirectory ? to.replace(/\/$/, "") + from.slice(from.lastIndexOf("/")) : to;
    if (copied === base + rest) return "copied";
    return others.some((word) => RECURSIVE.test(word)) ? "unclear" : "elsewhere";
  });
}
