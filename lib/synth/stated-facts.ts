import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { misfitOf } from "../artefact/fact-shape";
import { propertyPath } from "../model/property-path";
import { at, fail } from "../errors";
import type { ExplainOptions } from "../explain";
import { STATED } from "../explain/every-cloud";
import { literal } from "../model/late";
import { anyObject, checkProps } from "../model/shape";
import { stateFact } from "../model/stated-facts";
import { Manifests } from "./manifests";
import { propertyInvalid } from "../model/problems";

/** Facts that no artefact shows, by cloud. */
export type StatedFactsProps = Omit<ExplainOptions, "cluster">;

/**
 * States facts that the files do not show to `explain`, the proof and the test matchers: for example a permissions
 * boundary that another team declares, or the policy of a repository in another account. They are written to
 * `workload-identity.json` under `stated`, and evidence based on them is marked as such.
 *
 * Facts of the cluster itself belong in `openShift()` or `kubernetes()`.
 */
export class StatedFacts extends Construct {
  constructor(scope: Construct, id: string, props: StatedFactsProps) {
    checkProps(new.target.name, scope, id, anyObject, props);
    super(scope, id);
    at(this, () => {
      const misfit = misfitOf(literal(props, "facts"), STATED);
      if (misfit)
        fail("property-invalid", propertyInvalid(propertyPath(misfit.path), misfit.reason, misfit.allowed));
      const stack = TerraformStack.of(this);
      Manifests.of(stack);
      for (const [cloud, kinds] of Object.entries(props))
        for (const [kind, facts] of Object.entries(kinds as Readonly<Record<string, readonly object[]>>))
          for (const fact of facts) stateFact(stack, cloud, kind, fact);
    });
  }
}
