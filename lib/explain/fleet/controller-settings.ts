/*
 * Options of a hub's controllers, by argument or by variable.
 */

import { ARGO_NAMESPACES, PROVIDER_FILE_FLAG } from "../../rules/fleet/names";
import { flagOf } from "../clouds/plugin-flags";
import { list, own, text } from "../facts/access";
import type { ControllerPods } from "./controllers";

/** Variables that stand for an option where it is left out: argoproj-labs/clusterprofile-integration-for-argocd, README. */
const VARIABLES: Readonly<Record<string, string>> = {
  [PROVIDER_FILE_FLAG]: "ARGOCD_CLUSTERPROFILE_CONTROLLER_CLUSTERPROFILE_PROVIDER_FILE",
  [ARGO_NAMESPACES]: "ARGOCD_CLUSTERPROFILE_CONTROLLER_NAMESPACES",
  "--dry-run": "ARGOCD_CLUSTERPROFILE_CONTROLLER_DRY_RUN",
};

/** What the containers that read the list are started with. */
export function argumentsOf(reader: ControllerPods): readonly string[] {
  return readingContainers(reader)
    .flatMap((each) => [...list(own(each, "command")), ...list(own(each, "args"))])
    .map(text);
}

/** The value of an option; `undefined` where it is left out. What stands elsewhere has `$(` in it. */
export function settingOf(reader: ControllerPods, flag: string): string | undefined {
  const variable = VARIABLES[flag];
  return (
    flagOf(argumentsOf(reader), flag) ?? (variable === undefined ? undefined : valueOf(reader, variable))
  );
}

/** Whether a switch is on, as Go reads it; `undefined` where that stands elsewhere. */
export function isSwitchedOn(reader: ControllerPods, flag: string): boolean | undefined {
  const given = argumentsOf(reader).findLast((each) => each === flag || each.startsWith(`${flag}=`));
  const value =
    given === flag ? "true" : (given?.slice(flag.length + 1) ?? valueOf(reader, VARIABLES[flag] ?? ""));
  if (value?.includes("$(")) return undefined;
  return /^(?:1|t|true)$/i.test(value ?? "");
}

/** Variables of a whole ConfigMap or Secret are not looked for. */
function valueOf(reader: ControllerPods, variable: string): string | undefined {
  const containers = readingContainers(reader);
  const entry = containers
    .flatMap((each) => list(own(each, "env")))
    .findLast((each) => own(each, "name") === variable);
  const elsewhere = `$(${variable})`;
  if (entry !== undefined)
    return own(entry, "valueFrom") === undefined ? text(own(entry, "value")) : elsewhere;
  return containers.some((each) => list(own(each, "envFrom")).length > 0) ? elsewhere : undefined;
}

function readingContainers({ pods, container }: ControllerPods): readonly unknown[] {
  return list(own(pods.spec, "containers")).filter(
    (each) => container === "" || own(each, "name") === container,
  );
}
