/*
 * What a controller runs for a profile: the access library's choice, with what the known consumers add to it.
 */

import { fleetPlugins, pluginOfCommand } from "../../rules/fleet/plugins";
import { type ExecResolution, type ResolvedExec, resolveExec } from "../../rules/fleet/resolve-exec";
import { type Json, at, list, own, text } from "../facts/access";
import type { Controller } from "./controllers";

const BUILTIN = "argo-cd-builtin-";
const ARGO_CLOUDS: Readonly<Record<string, string>> = { aws: "aws", azure: "azure", gcp: "google" };

/** Entries of the list; of a profile that names what Argo CD knows without a list, that alone. */
export function providersFor({ kind, list: read }: Controller, profile: unknown): readonly unknown[] {
  const written = read?.providers ?? [];
  const builtin = kind === "argocd" ? builtinProviders(profile) : [];
  return builtin.length > 0 ? builtin : written;
}

/**
 * What Argo CD knows of itself: the first such name among the profile's `accessProviders` decides, whatever the list
 * says. Source: argoproj-labs/clusterprofile-integration-for-argocd, controller.go (`renderSecret`).
 */
export function builtinProviders(profile: unknown): readonly unknown[] {
  const name = builtinName(profile);
  if (name === undefined) return [];
  const apiVersion = "client.authentication.k8s.io/v1beta1";
  const execConfig = { apiVersion, command: "argocd-k8s-auth", args: [name.slice(BUILTIN.length)] };
  return [{ name, execConfig }];
}

/** True for what Argo CD knows without a list; of a cloud it is the same for all spokes. */
export function isBuiltin(provider: string): boolean {
  return provider.startsWith(BUILTIN);
}

function builtinName(profile: unknown): string | undefined {
  return list(at(profile, "status", "accessProviders"))
    .map((each) => text(own(each, "name")))
    .find(isBuiltin);
}

/** The choice, templates of Argo CD filled into the arguments; it copies variables as they are. */
export function resolutionFor(controller: Controller, profile: Json): ExecResolution {
  const builtin = controller.kind === "argocd" ? builtinName(profile) : undefined;
  if (builtin !== undefined && ARGO_CLOUDS[builtin.slice(BUILTIN.length)] === undefined)
    return { outcome: "refused", reason: `unsupported built-in access provider "${builtin}"` };
  const resolution = resolveExec(providersFor(controller, profile), profile);
  if (resolution.outcome === "refused" || controller.kind !== "argocd") return resolution;
  const { exec } = resolution;
  const name = text(own(own(profile, "metadata"), "name"));
  const filled = (value: string): string =>
    value
      .replaceAll("{{ .ClusterProfileName }}", name)
      .replaceAll("{{ .ClusterProfileServer }}", exec.server);
  return { outcome: "resolved", exec: { ...exec, args: exec.args.map(filled) } };
}

/** Key of the cloud that the plugin gives credentials for; `undefined` for a plugin that is not known. */
export function cloudOf({ command, args }: ResolvedExec): string | undefined {
  const plugin = pluginOfCommand(command);
  if (plugin === undefined) return undefined;
  if (plugin === "argocd-k8s-auth") return ARGO_CLOUDS[args[0] ?? ""];
  return fleetPlugins[plugin].clouds[0];
}

/**
 * Variables of the plugin: those of the container, and above them those of the exec configuration; empty where
 * workloads differ, or only the cluster tells it.
 */
export function variablesOf({ workloads }: Controller, { env }: ResolvedExec): ReadonlyMap<string, string> {
  const written = workloads.flatMap(({ pods, container }) =>
    list(own(pods.spec, "containers"))
      .filter((each) => container === "" || own(each, "name") === container)
      .flatMap((each) => list(own(each, "env")))
      .map((each) => [text(own(each, "name")), text(own(each, "value"))] as const),
  );
  const differing = written.filter(([name, value]) =>
    written.some(([other, another]) => other === name && another !== value),
  );
  return new Map([
    ...written,
    ...differing.map(([name]) => [name, ""] as const),
    ...env.map((each) => [each.name, each.value] as const),
  ]);
}
