/*
 * Rules about pods and their service accounts.
 */

import { askedImage } from "../explain/asked-image";
import { below } from "../explain/read/source";
import { named } from "../explain/shared/words";
import type { ServiceAccountFact } from "../explain/read/service-accounts";
import { orElse } from "../model/known";
import { once, remembered } from "../model/once";
import { matches, repositoriesOf } from "./entries";
import { type ConfigFact, type EntryFact, type LintFacts, isOpen } from "./read";
import type { LintRule, Spot } from "./rule";

type Workload = LintFacts["workloads"][number];

/** For service accounts that were read, and whose annotations nothing else may add. */
function annotationsMissing(facts: LintFacts): readonly Spot[] {
  // Many pods share an account.
  const found = new Map<string, Spot>();
  for (const workload of facts.workloads)
    for (const config of facts.configs) missingFor(workload, config, facts, found);
  return [...found.values()];
}

/** The keys that an account lacks. */
const missingOf = once((account: ServiceAccountFact) =>
  once(({ requiredKeys }: EntryFact) =>
    requiredKeys.filter((key) => !isOpen(key) && !account.annotations.has(key)),
  ),
);

function missingFor(
  workload: Workload,
  { entries }: ConfigFact,
  { accounts }: LintFacts,
  spots: Map<string, Spot>,
): void {
  const { namespace, serviceAccount, pullSecrets, isStatic, hasEnded } = workload;
  const account = accounts.get(`${namespace}/${serviceAccount}`);
  if (account === undefined || account.patch !== undefined || isStatic || hasEnded) return;
  const repositories = repositoriesOf(workload);
  const missing = missingOf(account);
  const matching = entries.filter((entry) => repositories.some((each) => matches(entry, each)));
  // Another entry or a pull secret may give credentials.
  if (
    pullSecrets.length + account.pullSecrets.length > 0 ||
    matching.some((entry) => missing(entry).length === 0)
  )
    return;
  for (const entry of matching) {
    const keys = missing(entry);
    const ofPod = keys.some((key) => workload.annotations.has(key));
    remembered(spots, `${account.key} ${entry.name} ${keys.join(" ")} ${ofPod}`, () => {
      const isNear = (key: string): boolean => keys.some((each) => each.split("/")[0] === key.split("/")[0]);
      const near = [...account.annotations.keys()].filter(isNear).map((key) => `; it has ${key}`);
      const also = ofPod ? "; the pod has it instead" : "";
      const what = `it lacks ${named(keys)}, which ${entry.name} requires${near.join("")}${also}`;
      return { subject: account.key, what, source: below(account.source ?? workload.source, "metadata") };
    });
  }
}

export const ACCOUNT_RULES: readonly LintRule[] = [
  {
    id: "annotation-missing",
    severity: "warning",
    question: "Has each service account that was read the annotations that its images require?",
    effect: "the kubelet does not run the plugin: without other credentials it pulls anonymously",
    remedy: "annotate the service account, not the pod",
    source: "kubernetes:pkg/credentialprovider/plugin/plugin.go",
    log: "at verbosity 5: required annotation … not found",
    run: annotationsMissing,
  },
  {
    id: "image-invalid",
    severity: "error",
    question: "Does the kubelet take the name of each image?",
    effect: "the pod does not start",
    remedy: "write registry/path:tag, the path in lower case",
    source: "kubernetes:pkg/util/parsers/parsers.go",
    log: "InvalidImageName",
    run: ({ workloads }) =>
      workloads.flatMap(({ title, images }) =>
        images.flatMap(({ image, source }) => {
          const written = orElse(image, () => "");
          const { problem } = askedImage(written);
          const spot = { subject: title, target: written, what: problem, source };
          return written === "" || problem === "" ? [] : [spot];
        }),
      ),
  },
];
