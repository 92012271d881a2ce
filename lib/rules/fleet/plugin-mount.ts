/*
 * How a plugin's binary gets into the controller's container. Sources: KEP-4639 (image volumes: beta and off from
 * 1.33, on from 1.35, GA 1.36; read-only; a path is the mount's path with the path in the image behind it);
 * kubernetes-sigs/cluster-inventory-api:docs/plugin-images.md.
 */

import { type WorkloadIdentityError, fail, refusal } from "../../errors";
import { literal } from "../../model/late";
import { isCleanPath } from "../../model/node-file";
import { compareVersions, minorOf } from "../../model/version";
import { type FleetConsumer, FLEET_CONSUMER } from "./consumer";
import { NONROOT, checkContainerUser } from "./container-user";
import { type FleetPluginKey, fleetPlugin } from "./plugins";
import {
  type Kind,
  type ObjectKind,
  anyObject,
  boolean,
  checkGiven,
  choice,
  either,
  like,
  list,
  number,
  object,
  optional,
  text,
} from "../../model/shape";

/** The hub, as far as plugins depend on it. */
export interface HubFacts {
  /** Kubernetes version of the hub, `1.35`. */
  readonly version: string;
  /**
   * True where the feature gate ImageVolume is on in kube-apiserver and kubelets, false where it is off.
   *
   * @defaultValue - as in the release: on from 1.35
   */
  readonly imageVolume?: boolean;
}

/** The kind of {@link HubFacts}. */
export const HUB_FACTS: ObjectKind<HubFacts> = object({
  version: text,
  imageVolume: optional(boolean),
});

/** Ways of bringing a binary into a container. */
export type PluginMountMode = "auto" | "imageVolume" | "initContainer";

/** A plugin's image and the way it is mounted. */
export interface PluginSource {
  /** The plugin. */
  readonly plugin: FleetPluginKey;
  /** Image with tag or digest; of the nodes' architecture. */
  readonly image: string;
  /**
   * Absolute path of the binary in the image.
   *
   * @defaultValue - that of the published image
   */
  readonly path?: string;
  /**
   * `imageVolume`, `initContainer` (copies with `cp`), or `auto`: an image volume where the hub has them.
   *
   * @defaultValue "auto"
   */
  readonly mode?: PluginMountMode;
  /**
   * True where an image of your own has `cp`.
   *
   * @defaultValue - as in the published image
   */
  readonly hasCopy?: boolean;
  /**
   * User id of the init container that copies; `false` leaves it to the cluster, as OpenShift's security context
   * constraints want it. Any user can read what is copied.
   *
   * @defaultValue 65532
   */
  readonly runAsUser?: number | false;
}

/** The kind of {@link PluginSource}. */
export const PLUGIN_SOURCE: ObjectKind<PluginSource> = object({
  plugin: text,
  image: text,
  path: optional(text),
  mode: optional(choice(["auto", "imageVolume", "initContainer"])),
  hasCopy: optional(boolean),
  runAsUser: optional(either(number, choice([false]))),
});

/** Fields of a pod template that bring the plugin, and where it is then. */
export interface MountedPlugin {
  /** Absolute path of the binary in the container. */
  readonly command: string;
  /** `volumes` of the pod. */
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
  /** `volumeMounts` of the container. */
  readonly volumeMounts: readonly Readonly<Record<string, unknown>>[];
  /** `initContainers` of the pod. */
  readonly initContainers: readonly Readonly<Record<string, unknown>>[];
}

/** The kind of a {@link MountedPlugin}. */
export const MOUNTED_PLUGIN: Kind<MountedPlugin> = like("what mountedPlugin() returns", {
  command: text,
  volumes: list(anyObject),
  volumeMounts: list(anyObject),
  initContainers: list(anyObject),
});

const DIRECTORY = "/plugins";
const ON_SINCE = "1.35";
const GATE_SINCE = "1.33";

const HOST =
  "(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]+)?";
const PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
/** github.com/distribution/reference: upper case in host and tag alone. */
const IMAGE = new RegExp(
  `^(?:${HOST}/)?${PART}(?:/${PART})*(?::\\w[\\w.-]{0,127}(?:@sha256:[a-f0-9]{64})?|@sha256:[a-f0-9]{64})$`,
);

/** True where the hub has image volumes; throws `version-invalid`. */
export function hasImageVolumes({ version, imageVolume }: HubFacts): boolean {
  const minor = minorOf("version of the hub", version);
  return (imageVolume ?? compareVersions(minor, ON_SINCE) >= 0)
    ? compareVersions(minor, GATE_SINCE) >= 0
    : false;
}

/**
 * How the plugin is mounted into each container that runs it.
 *
 * Throws `plugin-image-invalid`, `plugin-path-missing`, `plugin-mount-hub-too-old`, `plugin-mount-no-copy`,
 * `plugin-mount-way`, `fleet-plugin-not-static`, `version-invalid`, `late-value`, and of an unknown
 * plugin.
 */
export function mountedPlugin(source: PluginSource, hub: HubFacts, consumer: FleetConsumer): MountedPlugin {
  checkGiven("mountedPlugin()", PLUGIN_SOURCE, source, "source");
  checkGiven("mountedPlugin()", HUB_FACTS, hub, "hub");
  checkGiven("mountedPlugin()", FLEET_CONSUMER, consumer, "consumer");
  const { plugin, image } = source;
  const facts = fleetPlugin(plugin);
  if (!facts.isStatic && consumer.isDistroless)
    return fail("fleet-plugin-not-static", plugin, consumer.title);
  checkImage(source);
  const path = literal(source.path ?? facts.path, `path of ${plugin}`) ?? fail("plugin-path-missing", plugin);
  if (!isCleanPath(path)) return fail("plugin-image-invalid", plugin, path, "has no absolute, clean path");
  const hasCopy = source.hasCopy ?? facts.hasCopy;
  checkContainerUser(`runAsUser of the plugin ${plugin}`, source.runAsUser);
  const mode = chosenMode(source, hub, consumer, hasCopy);
  const name = `plugin-${plugin}`;
  const mountPath = `${DIRECTORY}/${plugin}`;
  const volumeMounts = [{ name, mountPath, readOnly: true }];
  if (mode === "imageVolume")
    return {
      command: mountPath + path,
      volumes: [{ name, image: { reference: image } }],
      volumeMounts,
      initContainers: [],
    };
  return {
    command: mountPath + path.slice(path.lastIndexOf("/")),
    volumes: [{ name, emptyDir: {} }],
    volumeMounts,
    initContainers: [
      {
        name,
        image,
        command: ["cp", path, `${mountPath}/`],
        volumeMounts: [{ name, mountPath }],
        securityContext: confined(source.runAsUser),
      },
    ],
  };
}

function checkImage({ plugin, image }: PluginSource): void {
  if (typeof literal(image, `image of ${plugin}`) !== "string" || !IMAGE.test(image))
    fail("plugin-image-invalid", plugin, image, "is no repository in lower case with a tag or a digest");
}

/** What the `restricted` Pod Security Standard wants; many a controller's pod insists on a user besides. */
function confined(runAsUser: number | false = NONROOT): Readonly<Record<string, unknown>> {
  return {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
    runAsNonRoot: true,
    ...(runAsUser !== false && { runAsUser }),
    seccompProfile: { type: "RuntimeDefault" },
  };
}

function chosenMode(
  { plugin, image, mode = "auto" }: PluginSource,
  hub: HubFacts,
  consumer: FleetConsumer,
  hasCopy: boolean,
): Exclude<PluginMountMode, "auto"> {
  const hasVolumes = hasImageVolumes(hub);
  if (mode === "initContainer") {
    if (consumer.imageVolumeOnly) return fail("plugin-mount-way", consumer.title, mode);
    return hasCopy ? mode : fail("plugin-mount-no-copy", plugin, image);
  }
  if (hasVolumes) return "imageVolume";
  const canCopy = mode === "auto" && hasCopy && !consumer.imageVolumeOnly;
  return canCopy ? "initContainer" : fail("plugin-mount-hub-too-old", hub.version);
}

/**
 * `fleet-command-invalid` or `fleet-plugin-not-mounted` where a container could not run the command. `mountPaths` are
 * those of the container, `onPath` the programs of its image. Never throws.
 */
export function commandIssues(
  provider: string,
  command: string,
  container: {
    readonly name: string;
    readonly mountPaths: readonly string[];
    readonly onPath: readonly string[];
  },
): readonly WorkloadIdentityError[] {
  const { name, mountPaths, onPath } = container;
  if (onPath.includes(command)) return [];
  if (!isCleanPath(command)) return [refusal("fleet-command-invalid", provider, command, onPath)];
  return mountPaths.some((path) => command.startsWith(`${path}/`))
    ? []
    : [refusal("fleet-plugin-not-mounted", command, name)];
}
