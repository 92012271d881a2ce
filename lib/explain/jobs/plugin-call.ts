/*
 * What a controller runs for a profile: the access library's choice with what the known consumers add to it, and how it
 * is called. Source: argoproj-labs/clusterprofile-integration-for-argocd, controller.go (`renderSecret`).
 */

import { isDeepStrictEqual } from "node:util";
import { type Known, isKnown, match, unread } from "../../model/known";
import { at, list, text } from "../../model/parsed";
import { pluginExec } from "../../rules/fleet/plugin-exec";
import { fleetPlugins, isStoredTokenCommand, pluginOfCommand } from "../../rules/fleet/plugins";
import { pluginCallIssues } from "../../rules/fleet/provider-checks";
import { type ExecResolution, type ResolvedExec, resolveExec } from "../../rules/fleet/resolve-exec";
import { type Answer, type Evidence, seen, unknown } from "../answer";
import type { CloudSpokes, SpokeCall } from "../cloud";
import type { ProfileFact } from "../read/fleet-facts";
import { lateName, namedText, shownNames } from "../read/late-text";
import { type Controller, containersIn } from "./fleet-controllers";
import { listEntries, profileDocument, unlessRefused, whyListOpen } from "./fleet-profile";
import { SELF_MANAGED } from "./self-managed";

/** What is run for a profile. */
export interface PluginCall extends SpokeCall {
  readonly exec: ResolvedExec;
  readonly own: ReadonlyMap<string, Known<string>>;
  /** Key of the plugin's cloud; `undefined` where it is not known. */
  readonly cloud: string | undefined;
}

const BUILTIN = "argo-cd-builtin-";
const ARGO_CLOUDS: Readonly<Record<string, string>> = { aws: "aws", azure: "azure", gcp: "google" };

/** Entries of the list; of a profile that names what Argo CD knows without a list, that alone. */
export function providersFor(
  { kind, list: read }: Pick<Controller, "kind" | "list">,
  profile: unknown,
): readonly unknown[] {
  const name = kind === "argocd" ? builtinName(profile) : undefined;
  if (name === undefined) return listEntries(read);
  const apiVersion = "client.authentication.k8s.io/v1beta1";
  const execConfig = { apiVersion, command: "argocd-k8s-auth", args: [name.slice(BUILTIN.length)] };
  return [{ name, execConfig }];
}

/** True for what Argo CD knows without a list; of a cloud it is the same for all spokes. */
export function isBuiltin(provider: string): boolean {
  return provider.startsWith(BUILTIN);
}

/** The first such name among the profile's `accessProviders`, which decides whatever the list says. */
export function builtinName(profile: unknown): string | undefined {
  return list(at(profile, "status", "accessProviders"))
    .map((each) => text(at(each, "name")))
    .find(isBuiltin);
}

/** Which provider is chosen, or why none; why that is not known where profile or list are not. */
export function resolutionFor(
  controller: Controller,
  profile: ProfileFact,
): ExecResolution | { readonly outcome: "open"; readonly reason: string } {
  const { plain, open } = profileDocument(profile);
  const reason = open ?? (controller.list && whyListOpen(controller.list));
  if (reason !== undefined) return { outcome: "open", reason };
  const builtin = controller.kind === "argocd" ? builtinName(plain) : undefined;
  if (builtin !== undefined && ARGO_CLOUDS[builtin.slice(BUILTIN.length)] === undefined)
    return { outcome: "refused", reason: `unsupported built-in access provider "${builtin}"` };
  const resolution = resolveExec(providersFor(controller, plain), plain);
  if (resolution.outcome === "refused" || controller.kind !== "argocd") return resolution;
  const { exec } = resolution;
  // Argo CD fills templates into the arguments; it copies variables as they are.
  const filled = (value: string): string =>
    value
      .replaceAll("{{ .ClusterProfileName }}", text(at(plain, "metadata", "name")))
      .replaceAll("{{ .ClusterProfileServer }}", exec.server);
  return { outcome: "resolved", exec: { ...exec, args: exec.args.map(filled) } };
}

/** The call that was chosen. */
export function pluginCall(
  controller: Controller,
  exec: ResolvedExec,
  recordedCloud: string | undefined,
): PluginCall {
  const own = new Map(exec.env.map(({ name, value }) => [name, namedText(value)]));
  const cloud = cloudOf(exec);
  return {
    exec,
    server: namedText(exec.server),
    args: exec.args.map(namedText),
    env: new Map([...containerVariables(controller), ...own]),
    own,
    cloud,
    recorded: recordedCloud !== undefined && recordedCloud === cloud,
  };
}

function cloudOf({ command, args }: ResolvedExec): string | undefined {
  const plugin = pluginOfCommand(command);
  if (plugin === undefined) return undefined;
  if (plugin === "argocd-k8s-auth") return ARGO_CLOUDS[args[0] ?? ""];
  return fleetPlugins[plugin].clouds[0];
}

/** Variables of the containers that run the plugin; not known where workloads differ, or only the cluster tells it. */
function containerVariables({ workloads }: Controller): ReadonlyMap<string, Known<string>> {
  const variables = new Map<string, Known<string>>();
  for (const each of workloads.flatMap(containersIn).flatMap((container) => list(at(container, "env")))) {
    const name = text(at(each, "name"));
    const [value, before] = [variableOf(each, name), variables.get(name)];
    const differs = before !== undefined && lateName(before) !== lateName(value);
    variables.set(name, differs ? unread(`the variable ${name} differs between containers`) : value);
  }
  return variables;
}

function variableOf(variable: unknown, name: string): Known<string> {
  const value = text(at(variable, "value"));
  if (at(variable, "valueFrom") !== undefined)
    return unread(`the variable ${name} comes from another object`);
  return value.includes("$(") ? unread(`the variable ${name} is made of others`) : namedText(value);
}

/** Does the plugin get the arguments and variables that it needs, and answer in the version that is asked for? */
export function pluginCalled(
  { kind, list: read }: Controller,
  call: PluginCall | undefined,
  spokes: CloudSpokes | undefined,
): Answer {
  if (!call) return unknown("what is run is not known", "see the checks before");
  const { exec, cloud } = call;
  const where = read ? [seen(`access provider ${exec.provider}`, read.source)] : [];
  if (pluginOfCommand(exec.command) === undefined && !isStoredTokenCommand(exec.command))
    return unknown(
      `the plugin ${shownNames(exec.command)} is not known here`,
      "read what it needs in its own documentation",
      ...where,
    );
  if (cloud === SELF_MANAGED && !isTokenReader(exec))
    return unknown(
      `what ${exec.command} does with these arguments is not judged here`,
      "write the arguments that this library writes for the plugin projected-token",
      ...where,
    );
  const called = unlessRefused(
    pluginCallIssues({ ...exec, env: variablesOf(call) }),
    `${exec.command} is called as it must be`,
    ...where,
  );
  if (called.status !== "pass") return openVariable(call, called);
  const refused = spokes?.called?.(call, where);
  return refused ?? (kind === "argocd" ? templateAnswer(exec, where) : undefined) ?? called;
}

/** What only the container sets overrides an argument of kubelogin; what the entry sets was meant. */
function variablesOf({ exec, env, own }: PluginCall): ResolvedExec["env"] {
  if (exec.command.endsWith("kubelogin")) return exec.env;
  return [...env].map(([name, value]) => ({
    name,
    value: match(
      value,
      (plain) => plain,
      // Of what is not known it is not presumed that it is there; a reference that only apply tells is.
      (why) => (why.kind === "apply" || own.has(name) ? lateName(value) : ""),
    ),
  }));
}

/** What is missing may be in a variable that is not known. */
function openVariable({ exec, env }: PluginCall, answer: Answer): Answer {
  if (exec.command.endsWith("kubelogin") || [...env.values()].every(isKnown)) return answer;
  const present = [...env].map(([name, value]) => ({ name, value: lateName(value) }));
  if (pluginCallIssues({ ...exec, env: present }).length > 0) return answer;
  return unknown(
    `${answer.reason}, unless a variable gives it that is not known`,
    answer.remedy,
    ...answer.evidence,
  );
}

/** What Argo CD would fill into an argument. */
const TEMPLATE = /\{\{ \.ClusterProfile(?:Name|Server) \}\}/;

/** What reads the variable gets the template itself; `undefined` where none has one. */
function templateAnswer({ env }: ResolvedExec, where: readonly Evidence[]): Answer | undefined {
  const unfilled = env.find(({ value }) => TEMPLATE.test(value));
  if (!unfilled) return undefined;
  return unknown(
    `Argo CD fills templates into arguments alone, and the variable ${unfilled.name} has one`,
    "write the variable into an entry for each spoke",
    ...where,
  );
}

/** A shell can do anything; known is the script that prints the token of a file. */
function isTokenReader({ args, command, provider }: ResolvedExec): boolean {
  const plugin = "projected-token";
  const parameters = { tokenFile: args.at(-1) ?? "" };
  const written = pluginExec({ plugin, cloud: SELF_MANAGED, command, provider, parameters });
  return isDeepStrictEqual(written.args, args);
}
