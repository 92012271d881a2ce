/*
 * What a controller runs for a profile: the access library's choice, with what the known consumers add to it.
 */

import { fleetPlugins, pluginOfCommand } from "../../rules/fleet/plugins";
import {
  type ExecResolution,
  type ResolvedExec,
  profileProviders,
  resolveExec,
} from "../../rules/fleet/resolve-exec";
import { type Json, list, own, text } from "../facts/access";
import type { Controller } from "./controllers";

const BUILTIN = "argo-cd-builtin-";
/** Aws is not among them: it would need the cluster's name. */
const BUILTINS: readonly string[] = ["azure", "gcp"];
const ARGO_CLOUDS: Readonly<Record<string, string>> = { aws: "aws", azure: "azure", gcp: "google" };

/** Entries of the list, and those that Argo CD knows without a list. */
export function providersFor({ kind, list: read }: Controller, profile: unknown): readonly unknown[] {
  const written = read?.providers ?? [];
  return kind === "argocd" ? [...written, ...builtinProviders(profile)] : written;
}

/** What Argo CD knows of itself, as far as the profile asks for it. */
export function builtinProviders(profile: unknown): readonly unknown[] {
  const offered = profileProviders(profile);
  return BUILTINS.filter((cloud) => offered.has(BUILTIN + cloud)).map((cloud) => ({
    name: BUILTIN + cloud,
    execConfig: {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      command: "argocd-k8s-auth",
      args: [cloud],
    },
  }));
}

/** The choice, templates of Argo CD filled in. */
export function resolutionFor(controller: Controller, profile: Json): ExecResolution {
  const resolution = resolveExec(providersFor(controller, profile), profile);
  if (resolution.outcome === "refused" || controller.kind !== "argocd") return resolution;
  const { exec } = resolution;
  const name = text(own(own(profile, "metadata"), "name"));
  const filled = (value: string): string =>
    value
      .replaceAll("{{ .ClusterProfileName }}", name)
      .replaceAll("{{ .ClusterProfileServer }}", exec.server);
  return {
    outcome: "resolved",
    exec: {
      ...exec,
      args: exec.args.map(filled),
      env: exec.env.map((each) => ({ name: each.name, value: filled(each.value) })),
    },
  };
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
