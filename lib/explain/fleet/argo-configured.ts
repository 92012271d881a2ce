/*
 * Whether Argo CD gets a cluster Secret from a profile. Source: argoproj-labs/clusterprofile-integration-for-argocd,
 * README (namespace placement) and controller.go: the Secret stands in the namespace of the profile.
 */

import { refusal } from "../../errors";
import { ARGO_NAMESPACES } from "../../rules/fleet/names";
import { type Answer, broken, seen, unknown } from "../answer";
import { argumentsOf, isSwitchedOn, settingOf } from "./controller-settings";
import type { Controller, ControllerPods } from "./controllers";
import { unlessRefused } from "./refused";

const DRY_RUN = "--dry-run";

/** The answer, or why Argo CD gets nothing from profiles of that namespace. */
export function argoAnswer(controller: Controller, namespace: string, answer: Answer): Answer {
  const { account, title, readers, kind } = controller;
  const [home = "", name] = account.split("/");
  if (kind !== "argocd" || name === "*") return answer;
  if (namespace !== home)
    return unlessRefused(
      [refusal("fleet-profile-namespace", title, namespace, home)],
      "",
      ...answer.evidence,
    );
  const found = readers.flatMap((reader) => readerAnswer(controller, reader, namespace) ?? []);
  return found.find(({ status }) => status === "fail") ?? found[0] ?? answer;
}

function readerAnswer(
  { declared }: Controller,
  reader: ControllerPods,
  namespace: string,
): Answer | undefined {
  const { pods, isPartial } = reader;
  const where = seen(pods.title, pods.source);
  const isDry = isSwitchedOn(reader, DRY_RUN);
  if (isDry)
    return broken(
      `${pods.title} has ${DRY_RUN} and writes no Secret`,
      `leave ${DRY_RUN} out`,
      undefined,
      where,
    );
  const watched = settingOf(reader, ARGO_NAMESPACES);
  const names = (watched || pods.namespace).split(",").map((each) => each.trim());
  const isRead = names.includes(namespace) || names.includes("*");
  const isScript =
    watched === undefined && argumentsOf(reader).some((each) => each.includes(ARGO_NAMESPACES));
  // A partial manifest shows no arguments; what was declared is told in the header of its file.
  const isUntold = watched === undefined && isPartial && !isRead;
  if (isUntold && declared) return undefined;
  const remedy = `give it ${ARGO_NAMESPACES} with ${namespace} in the list`;
  if (isDry === undefined || isScript || isUntold || watched?.includes("$("))
    return unknown(`of which namespaces ${pods.title} reads profiles is not known`, remedy, where);
  const reason = `${pods.title} reads profiles of ${names.join(", ")} alone, not of ${namespace}`;
  return isRead ? undefined : broken(reason, remedy, undefined, where);
}
