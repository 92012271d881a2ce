/*
 * Whether the controller that reads the list of access providers has it. Source: the option of the access library,
 * kubernetes-sigs/cluster-inventory-api:pkg/access.
 */

import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import { containersOf } from "../clouds/pod-containers";
import type { ProviderListFact } from "../facts/fleet-facts";
import { PROVIDER_FILE_FLAG } from "../../rules/fleet/names";
import { settingOf } from "./controller-settings";
import type { Controller, ControllerPods } from "./controllers";

const FLAGS: Readonly<Record<ProviderListFact["form"], string>> = {
  file: PROVIDER_FILE_FLAG,
  kueue: "--config",
};

/** Where Kueue's own manifests have its configuration, which they mount. */
const KUEUE = "kueue-manager-config";

/** The answer, or why the list does not reach who reads it. */
export function listAnswer(controller: Controller, answer: Answer): Answer {
  const { list: read, readers, title } = controller;
  if (read === undefined) return answer;
  if (read.form === "kueue") return kueueAnswer(controller, read, answer);
  if (readers.length === 0)
    return unknown(
      `which workload of ${title} reads the list of access providers is not known`,
      `name the manifest that mounts the ConfigMap ${read.configMap} as well`,
      ...answer.evidence,
    );
  return worst(readers, read) ?? answer;
}

/** Kueue's configuration is mounted by its own manifests, which a partial one says nothing of. */
function kueueAnswer({ readers, title }: Controller, read: ProviderListFact, answer: Answer): Answer {
  const whole = readers.filter(({ isPartial }) => !isPartial);
  if (whole.length > 0) return worst(whole, read) ?? answer;
  if (read.configMap === KUEUE) return answer;
  return unknown(
    `whether ${title} reads the ConfigMap ${read.configMap} is not known`,
    `name the manifest of its manager as well; the usual name is ${KUEUE}`,
    ...answer.evidence,
  );
}

function worst(readers: readonly ControllerPods[], read: ProviderListFact): Answer | undefined {
  return obstacle(readers.map((reader) => readerAnswer(reader, read)));
}

function readerAnswer(reader: ControllerPods, read: ProviderListFact): Answer | undefined {
  const { pods, container, isPartial } = reader;
  const where = seen(pods.title, pods.source);
  const files = containersOf(pods.spec, (name) => (name === read.configMap ? [read.key] : []))
    .filter(({ name }) => container === "" || name === container)
    .flatMap((each) => each.files)
    .filter(({ of }) => of?.configMap === read.configMap && of.key === read.key)
    .map(({ path }) => path)
    .filter((path) => path.startsWith("/"));
  if (files.length === 0)
    return broken(
      `${pods.title} does not mount the ConfigMap ${read.configMap} with its key ${read.key}`,
      "mount it into the container that reads profiles",
      "failed to read access providers",
      where,
    );
  return isPartial ? undefined : flagAnswer(reader, FLAGS[read.form], files, where);
}

/** Only a whole manifest shows the arguments. */
function flagAnswer(
  reader: ControllerPods,
  flag: string,
  files: readonly string[],
  where: Evidence,
): Answer | undefined {
  const { pods } = reader;
  const file = settingOf(reader, flag);
  if (file !== undefined && files.includes(file)) return undefined;
  const remedy = `give it the argument ${flag}=${files[0] ?? ""}`;
  if (file === undefined || file.includes("$("))
    return unknown(`which list ${pods.title} reads is not known`, remedy, where);
  return broken(
    `${pods.title} reads ${file}, and has the list at ${files.join(", ")}`,
    remedy,
    undefined,
    where,
  );
}
