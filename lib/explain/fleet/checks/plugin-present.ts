import { refusal } from "../../../errors";
import { commandIssues, hasImageVolumes } from "../../../rules/fleet/plugin-mount";
import { fleetPlugins, pluginOfCommand } from "../../../rules/fleet/plugins";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { at, list, own, text } from "../../facts/access";
import type { DeclaredFleet } from "../../facts/fleet-record";
import { apiServerGates } from "../../facts/recorded-gates";
import type { WorkloadFact } from "../../facts/workload-facts";
import type { ControllerPods } from "../controllers";
import type { FleetCheck, FleetContext } from "../fleet-context";
import { type WantedCopy, copyInto } from "../init-copy";
import { unlessRefused } from "../refused";

/** Is the plugin in every container that opens connections, and does it run there? */
export const pluginPresent: FleetCheck = {
  id: "plugin-present",
  asks: "Is the plugin in every container that opens connections, and does it run there?",
  why: "A missing binary, or one that needs libraries in an image without any, shows only when the first connection fails.",
  run: (context) => {
    const { controller, exec } = context;
    if (!exec) return unknown("what is run is not known", "see the checks before");
    const { command, provider } = exec;
    const { workloads, title, onPath, isDistroless } = controller;
    const evidence = workloads.map(({ pods }) => seen(pods.title, pods.source));
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
    if (workloads.length === 0)
      return unknown(
        `no workload of ${title} was read, which must have ${command}`,
        "name its manifest as well",
      );
    return workloads.map((each) => mounted(each, provider, command, context)).reduce(worse);
  },
};

const MOUNT = "mount the plugin, and name it by its absolute path";
const STATIC = "take a static plugin, which runs in any image";

/** Where nobody says which container runs the plugin, each must have it. */
function mounted(
  { pods, container, isPartial }: ControllerPods,
  provider: string,
  command: string,
  context: FleetContext,
): Answer {
  const containers = list(own(pods.spec, "containers")).filter(
    (each) => container === "" || own(each, "name") === container,
  );
  const where = seen(pods.title, pods.source);
  const judged = containers.map((each) => {
    const mounts = list(own(each, "volumeMounts")).filter((mount) => text(own(mount, "mountPath")) !== "");
    const mountPaths = mounts.map((mount) => text(own(mount, "mountPath")));
    const name = text(own(each, "name"));
    const issues = commandIssues(provider, command, { name, mountPaths, onPath: [] });
    return { issues, mount: mounts.find((one) => command.startsWith(`${text(own(one, "mountPath"))}/`)) };
  });
  const without = judged.find(({ issues }) => issues.length > 0);
  const found = judged.find(({ issues }) => issues.length === 0);
  if (found && !without) return volumeAnswer(found.mount, command, pods, context);
  if (!without || found || (isPartial && container === ""))
    return unknown(
      `which container of ${pods.title} runs ${command}, and whether it has it, is not known`,
      "name the whole manifest, or mount the plugin into each container",
      where,
    );
  // An image of one's own may have the binary where the path says.
  return container !== "" && (isPartial || isStandard(pods.images.map(({ image }) => image)))
    ? unlessRefused(without.issues, "", where)
    : unknown(
        `${command} is under no mount of ${pods.title}; its image may have it`,
        "mount the plugin",
        where,
      );
}

/** Images of releases hold no plugin of clouds. */
function isStandard(images: readonly string[]): boolean {
  return images.some((image) => /(?:^|\/)(?:kueue\/kueue|argoproj\/argocd|knative-operator)[:@]/.test(image));
}

function volumeAnswer(
  mount: unknown,
  command: string,
  pods: WorkloadFact,
  { artefacts }: FleetContext,
): Answer {
  const { apiServer } = artefacts.cluster;
  const where = seen(pods.title, pods.source);
  const reason = `${pods.title} has ${command}`;
  const name = text(own(mount, "name"));
  const volume = list(own(pods.spec, "volumes")).find((each) => own(each, "name") === name);
  const isImage = own(volume, "image") !== undefined;
  if (volume === undefined || (isImage && text(at(volume, "image", "reference")) === ""))
    return broken(`${pods.title} has no volume ${name} that holds ${command}`, MOUNT, undefined, where);
  if (text(own(mount, "subPath")) !== "" || text(own(mount, "subPathExpr")) !== "")
    return unknown(
      `the mount of the volume ${name} has a subPath, and what is there is not known`,
      "mount the whole volume",
      where,
    );
  const path = pathInImage(command, artefacts.cluster.fleet);
  const rest = command.slice(text(own(mount, "mountPath")).length);
  if (!isImage) return otherVolume({ name, rest, path }, volume, pods, reason);
  if (path !== undefined && rest !== path)
    return unknown(
      `whether the plugin's image has it at ${rest} is not known`,
      `the image has it at ${path}`,
      where,
    );
  if (apiServer === undefined)
    return unknown(
      "the plugin's image is mounted as a volume, and the version of the hub is not known",
      "state apiServer with --cluster",
      where,
    );
  const imageVolume = apiServerGates(artefacts.cluster)["ImageVolume"];
  const hub = { version: apiServer, ...(imageVolume !== undefined && { imageVolume }) };
  const issues = hasImageVolumes(hub) ? [] : [refusal("plugin-mount-hub-too-old", apiServer)];
  return unlessRefused(issues, reason, where);
}

/** Path of the plugin in its image, as it was recorded or as the published image has it; `undefined` where nobody says. */
function pathInImage(command: string, recorded: DeclaredFleet | undefined): string | undefined {
  const plugin = pluginOfCommand(command);
  return plugin && (recorded?.pluginPaths.get(plugin) ?? fleetPlugins[plugin].path);
}

/** What begins empty is filled by an init container, or not at all; what other volumes hold nobody wrote. */
function otherVolume(
  wanted: WantedCopy,
  volume: unknown,
  { spec, title, source }: WorkloadFact,
  reason: string,
): Answer {
  const where = seen(title, source);
  const { name } = wanted;
  if (own(volume, "emptyDir") === undefined)
    return unknown(
      `what the volume ${name} of ${title} holds was not read`,
      "mount the plugin's image, or copy the plugin in an init container",
      where,
    );
  const copies = list(own(spec, "initContainers")).flatMap((each) => copyInto(each, wanted));
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

const ORDER: readonly Answer["status"][] = ["fail", "unknown", "pass", "skipped"];

function worse(one: Answer, other: Answer): Answer {
  return ORDER.indexOf(other.status) < ORDER.indexOf(one.status) ? other : one;
}
