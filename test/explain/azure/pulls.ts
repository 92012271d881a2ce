import { type Edit, type Artefacts, edited, synthesized } from "../../fixtures/explain/artefacts";
import type { Change, Configuration } from "../../fixtures/explain/azure-pulls";
import { azureFacts, firstOpenOf, pullOf } from "../../support/azure-explained";

export { type Change, type Configuration, only } from "../../fixtures/explain/azure-pulls";

const TF = "cdk.tf.json";
const artefacts = synthesized("three-clouds");

/** The image that the example pulls. */
export const IMAGE = "acmeshop.azurecr.io/models/llm";

/** The first check that is not passed of the example's pull from ACR, with its reason, or `allowed`. */
export function firstOpen(change: Change, edits: readonly Edit[] = [], image = IMAGE): string {
  return firstOpenOf(pullOf(azureFacts(changed(edited(artefacts, edits), change)), "shop/web", image));
}

/** The example's files with a change of its configuration. */
export function changedFiles(change: Change): Artefacts {
  return changed(artefacts, change);
}

function changed(files: Artefacts, change: Change): Artefacts {
  const [path = "", text = ""] = [...files].find(([each]) => each.endsWith(TF)) ?? [];
  const configuration = JSON.parse(text) as Configuration;
  change(configuration);
  return new Map([...files, [path, JSON.stringify(configuration)]]);
}
