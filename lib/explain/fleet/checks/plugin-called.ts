import { isDeepStrictEqual } from "node:util";
import { pluginExec } from "../../../rules/fleet/plugin-exec";
import { pluginCallIssues } from "../../../rules/fleet/provider-checks";
import { isStoredTokenCommand, pluginOfCommand } from "../../../rules/fleet/plugins";
import type { ResolvedExec } from "../../../rules/fleet/resolve-exec";
import { type Answer, type Evidence, seen, unknown } from "../../answer";
import type { FleetCheck } from "../fleet-context";
import { unlessRefused } from "../refused";
import { SELF_MANAGED } from "../self-managed";

/** Does the plugin get the arguments and variables that it needs, and answer in the version that is asked for? */
export const pluginCalled: FleetCheck = {
  id: "plugin-called",
  asks: "Does the plugin get the arguments and variables that it needs, and answer in the version that is asked for?",
  why: "Each plugin takes the spoke in its own way, and none says which one it misses before it is run.",
  run: ({ controller, exec, env, cloud, cloudSpokes, recorded }) => {
    if (!exec) return unknown("what is run is not known", "see the checks before");
    const { list: read } = controller;
    const where = read ? [seen(`access provider ${exec.provider}`, read.source)] : [];
    if (pluginOfCommand(exec.command) === undefined && !isStoredTokenCommand(exec.command))
      return unknown(
        `the plugin ${exec.command} is not known here`,
        "read what it needs in its own documentation",
        ...where,
      );
    if (cloud === SELF_MANAGED && !isTokenReader(exec))
      return unknown(
        `what ${exec.command} does with these arguments is not judged here`,
        "write the arguments that this library writes for the plugin projected-token",
        ...where,
      );
    const variables = [...env].map(([name, value]) => ({ name, value }));
    // What only the container sets is what overrides an argument; what the entry sets was meant.
    const own = new Set(exec.env.map(({ name }) => name));
    const given = exec.command.endsWith("kubelogin")
      ? variables.filter(({ name }) => own.has(name))
      : variables;
    const called = unlessRefused(
      pluginCallIssues({ ...exec, env: given }),
      `${exec.command} is called as it must be`,
      ...where,
    );
    if (called.status !== "pass") return called;
    const call = { args: exec.args, env, server: exec.server, recorded: recorded?.cloud === cloud };
    const refused = cloudSpokes?.called?.(call, where);
    return refused ?? (controller.kind === "argocd" ? templateAnswer(exec, where) : undefined) ?? called;
  },
};

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

/** A shell can be told anything; known is the script that prints the token of a file. */
function isTokenReader({ args, command, provider }: ResolvedExec): boolean {
  const parameters = { tokenFile: args.at(-1) ?? "" };
  const written = pluginExec({
    plugin: "projected-token",
    cloud: SELF_MANAGED,
    command,
    provider,
    parameters,
  });
  return isDeepStrictEqual(written.args, args);
}
