/*
 * How a plugin's binary gets into the controller's container. Sources: KEP-4639 (image volumes: beta and off from
 * 1.33, on from 1.35, GA 1.36; read-only; a path is the mount's path followed by the path in the image);
 * kubernetes-sigs/cluster-inventory-api:docs/plugin-images.md.
 */

import { type WorkloadIdentityError, fail, refusal } from "../../errors";
import { literal } from "../../model/late";
import { isCleanPath } from "../../model/node-file";
import { compareVersions, minorOf } from "../../model/version";
import { type FleetConsumer, FLEET_CONSUMER } from "./consumer";
import { type FleetPluginKey, fleetPlugin } from "./plugins";
import {
  type ObjectKind,
  boolean,
  checkGiven,
  choice,
  either,
  number,
  object,
  optional,
  text,
} from "../../model/shape";
import { propertyInvalid } from "../../model/problems";

/** The facts of the hub on which plugins depend. */
export interface HubFacts {
  /** Kubernetes version of the hub, `1.35`. */
  readonly version: string;
  /**
   * True if the feature gate ImageVolume is on in kube-apiserver and kubelets, false if it is off.
   *
   * @defaultValue - as in the release: on from 1.35
   */
  readonly imageVolume?: boolean;
}

export const HUB_FACTS: ObjectKind<HubFacts> = object({
  version: text,
  imageVolume: optional(boolean),
});

/** A plugin's image, mounted as an image volume if the hub supports that, otherwise copied with `cp`. */
export interface PluginSource {
  /** Key of the plugin. */
  readonly plugin: FleetPluginKey;
  /** Image with tag or digest, for the nodes' architecture. */
  readonly image: string;
  /**
   * Absolute path of the binary in the image.
   *
   * @defaultValue - that of the published image
   */
  readonly path?: string;
  /**
   * Whether an image of your own contains `cp`.
   *
   * @defaultValue - as in the published image
   */
  readonly hasCopy?: boolean;
  /**
   * User id of the init container that copies the binary; `false` lets the cluster choose, as OpenShift's security
   * context constraints require. Any user can read the copy.
   *
   * @defaultValue 65532
   */
  readonly runAsUser?: number | false;
}

export const PLUGIN_SOURCE: ObjectKind<PluginSource> = object({
  plugin: text,
  image: text,
  path: optional(text),
  hasCopy: optional(boolean),
  runAsUser: optional(either(number, choice([false]))),
});

/** Fields of a pod template that bring in the plugin, and the resulting path. */
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

/** The user `nonroot` of distroless images. */
export const NONROOT = 65_532;
const USER_MAX = 2_147_483_647;

/** User id of a container that can run as any user: root is refused, `false` lets the cluster choose. */
export function containerUser(what: string, runAsUser: number | false = NONROOT): number | false {
  const isGood =
    runAsUser === false ||
    (Number.isInteger(literal(runAsUser, what)) && runAsUser > 0 && runAsUser <= USER_MAX);
  return isGood
    ? runAsUser
    : fail("property-invalid", propertyInvalid(what, JSON.stringify(runAsUser), "1 to 2147483647, or false"));
}

const HOST =
  "(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]+)?";
const PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
/** github.com/distribution/reference: upper case is allowed only in host and tag. */
const IMAGE = new RegExp(
  `^(?:${HOST}/)?${PART}(?:/${PART})*(?::\\w[\\w.-]{0,127}(?:@sha256:[a-f0-9]{64})?|@sha256:[a-f0-9]{64})$`,
);

/** True if the hub has image volumes. */
export function hasImageVolumes({ version, imageVolume }: HubFacts): boolean {
  const minor = minorOf("version of the hub", version);
  return (imageVolume ?? compareVersions(minor, "1.35") >= 0) && compareVersions(minor, "1.33") >= 0;
}

/** What the `restricted` Pod Security Standard requires; many controllers' pods also set a user. */
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
} as const;

/** How the plugin is mounted into each container that runs it. Throws if hub, image or consumer do not support it. */
export function mountedPlugin(source: PluginSource, hub: HubFacts, consumer: FleetConsumer): MountedPlugin {
  checkGiven("mountedPlugin()", PLUGIN_SOURCE, source, "source");
  checkGiven("mountedPlugin()", HUB_FACTS, hub, "hub");
  checkGiven("mountedPlugin()", FLEET_CONSUMER, consumer, "consumer");
  const { plugin, image } = source;
  const facts = fleetPlugin(plugin);
  if (!facts.isStatic && consumer.isDistroless) throw notStatic(plugin, consumer.title);
  if (typeof literal(image, `image of ${plugin}`) !== "string" || !IMAGE.test(image))
    return badImage(plugin, image, "is not a repository in lower case with a tag or a digest");
  const path = literal(source.path ?? facts.path, `path of ${plugin}`) ?? withoutPath(plugin);
  if (!isCleanPath(path)) return badImage(plugin, path, "does not have an absolute, clean path");
  const user = containerUser(`runAsUser of the plugin ${plugin}`, source.runAsUser);
  const name = `plugin-${plugin}`;
  const mountPath = `/plugins/${plugin}`;
  const volumeMounts = [{ name, mountPath, readOnly: true }];
  const hasCopy = source.hasCopy ?? facts.hasCopy;
  if (hasImageVolumes(hub))
    return {
      command: mountPath + path,
      volumes: [{ name, image: { reference: image } }],
      volumeMounts,
      initContainers: [],
    };
  if (!hasCopy || consumer.imageVolumeOnly) throw withoutImageVolumes(hub.version);
  const copy = {
    name,
    image,
    command: ["cp", path, `${mountPath}/`],
    volumeMounts: [{ name, mountPath }],
    securityContext: { ...RESTRICTED, ...(user !== false && { runAsUser: user }) },
  };
  return {
    command: mountPath + path.slice(path.lastIndexOf("/")),
    volumes: [{ name, emptyDir: {} }],
    volumeMounts,
    initContainers: [copy],
  };
}

function badImage(plugin: string, value: unknown, reason: string): never {
  return fail("fleet-invalid", {
    problem: `the image of ${plugin} ${reason}`,
    value,
    allowed: "repository with tag or digest, for example ghcr.io/azure/kubelogin:v0.2.19",
    remedy: "write the full name of the image; a digest pins it permanently",
  });
}

function withoutPath(plugin: string): never {
  return fail("fleet-missing", {
    problem: "no image of the plugin is published, so the path of the binary is not known",
    value: plugin,
    allowed: "an absolute, clean path",
    remedy: "set `path` to the path of the binary in your image",
  });
}

export function notStatic(plugin: string, consumer: string): WorkloadIdentityError {
  return refusal("fleet-unsupported", {
    problem: `${plugin} needs libraries or programs that the image of ${consumer} does not have`,
    value: plugin,
    allowed: "a static binary: aws-iam-authenticator, kubelogin, gcp-auth-plugin",
    remedy: "choose a static plugin, or build an image of the controller that contains them",
  });
}

export function withoutImageVolumes(hub: string): WorkloadIdentityError {
  return refusal("fleet-unsupported", {
    problem: "the hub has no image volumes",
    value: hub,
    allowed: "Kubernetes 1.35 or newer, or 1.33 and 1.34 with the feature gate ImageVolume on",
    remedy:
      "upgrade the hub; set `imageVolume: true` if the gate is on; or, if the controller supports a copied plugin, use an image with cp (`hasCopy: true`)",
  });
}

export function badCommand(
  provider: string,
  command: unknown,
  onPath: readonly string[],
): WorkloadIdentityError {
  return refusal("fleet-invalid", {
    problem: `the command of access provider ${provider} is neither an absolute path nor on the PATH of the controller's image`,
    value: command,
    allowed: ["an absolute path", ...onPath].join(", "),
    remedy: "use the path below the plugin's mount",
  });
}

/** Why a container could not run the command. `mountPaths` are its own, `onPath` the programs of its image. */
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
  if (!isCleanPath(command)) return [badCommand(provider, command, onPath)];
  if (mountPaths.some((path) => command.startsWith(`${path}/`))) return [];
  return [
    refusal("fleet-missing", {
      problem: `no mount of the container ${name} contains the command`,
      value: command,
      allowed: "a path below a mount of the container, in every workload that runs the plugin",
      remedy: "mount the plugin into the container",
    }),
  ];
}
