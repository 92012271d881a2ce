/*
 * Answers what people ask about by name. A name that nothing declares is an error that lists the nearest names, so that
 * no one takes the answer for one about another name.
 */

import { namespacedName } from "../model/namespaced-name";
import { AskedNames } from "../rules/asked-names";
import { askedImage } from "./asked-image";
import type { Explainer } from "./explainer";
import type { PullResult } from "./pull-result";
import { selectedAccount, unknownName } from "./jobs/pull-questions";
import type { ExplainResult } from "./result";
import type { ExplainSelection } from "./selections";

/**
 * The results of a selection. An image without a service account is asked about for those that declare it or have it in
 * a workload. Throws for a service account or an image that nothing declares.
 */
export function* askedResults(explainer: Explainer, selection: ExplainSelection): Generator<ExplainResult> {
  const { image, serviceAccount, stack } = selection;
  if (serviceAccount !== undefined && image !== undefined) assertAccount(explainer, serviceAccount, stack);
  if (serviceAccount === undefined && image !== undefined) return yield* ofImage(explainer, image, stack);
  let isEmpty = true;
  for (const result of explainer.all(selection)) {
    isEmpty = false;
    yield result;
  }
  if (isEmpty && serviceAccount !== undefined) {
    assertAccount(explainer, serviceAccount, stack);
    unknownName("service-account", serviceAccount, subjects(explainer.all({ stack })));
  }
}

/** Throws for a service account that neither a manifest nor a declaration has. */
export function assertAccount(explainer: Explainer, serviceAccount: string, stack: string | undefined): void {
  selectedAccount(serviceAccount);
  // A question about an image has a result for each service account of the manifests.
  const written = explainer.pulls({ stack, image: "registry.invalid/none" });
  const known = [...new Set([...subjects(explainer.all({ stack })), ...subjects(written)])];
  const { namespace, name } = namespacedName(serviceAccount);
  const isDefault = name === "default" && known.some((key) => key.startsWith(`${namespace}/`));
  if (!isDefault && !known.includes(serviceAccount)) unknownName("service-account", serviceAccount, known);
}

function* ofImage(explainer: Explainer, image: string, stack: string | undefined): Generator<ExplainResult> {
  const declared = [...explainer.pulls({ stack })];
  const asking = declared.filter(({ target }) => isOf(target, image));
  if (asking.length === 0) unknownName("image", image, [...new Set(declared.map(({ target }) => target))]);
  const pairs = new Map(asking.map((each) => [`${each.stack} ${each.subject}`, each]));
  for (const each of pairs.values())
    yield* explainer.pulls({ stack: each.stack || undefined, serviceAccount: each.subject, image });
}

/** Whether a declared pattern covers the image, or a declared image is of the same repository. */
function isOf(target: string, image: string): boolean {
  const name = askedImage(image).repository?.name;
  if (target === image) return true;
  return (
    name !== undefined && (AskedNames.covers(target, name) || askedImage(target).repository?.name === name)
  );
}

function subjects(results: Iterable<Pick<PullResult, "subject">>): readonly string[] {
  return [...new Set([...results].map(({ subject }) => subject))];
}
