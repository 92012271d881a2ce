/* No damage that changes what explain says is "no difference", and nothing that names an identity changes silently. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWorkloadIdentityError } from "../../lib/errors";
import { Explainer } from "../../lib/explain";
import { comparison } from "../../lib/explain/compare/compare";
import { type ExampleName, folderOf, synthesized } from "../fixtures/explain/artefacts";
import { adding, changed } from "../fixtures/explain/changed";
import { Damaged, damages, shownPlace } from "../support/damage";
import { runsOf, sampleNote } from "../support/sample";

const EXAMPLES: readonly ExampleName[] = ["aro-hcp", "eks-nodeadm", "openshift-aws", "rke2", "three-clouds"];
/** Of each example. */
const RUNS = 75;
const SAMPLE = 3;

interface Said {
  readonly explainer: Explainer;
  readonly verdicts: string;
}

/** The verdict of everything that is asked; `undefined` if the artefacts are refused. */
function said(folder: string): Said | undefined {
  try {
    const explainer = Explainer.read([folder]);
    const all = [...explainer.all()].map(({ job, subject, target, verdict }) => [
      job,
      subject,
      target,
      verdict,
    ]);
    return { explainer, verdicts: JSON.stringify(all) };
  } catch (error) {
    if (!isWorkloadIdentityError(error)) throw error;
    return undefined;
  }
}

describe.each(EXAMPLES)("%s", (name) => {
  it(
    `is no difference after no damage that changes a verdict${sampleNote(SAMPLE)}`,
    { timeout: 60_000 },
    () => {
      const example = new Damaged(synthesized(name), (file) => /\.tf\.json$|\.yaml$/.test(file), said);
      const { intact, places } = example;
      const silent: string[] = [];
      let counted = 0;
      fc.assert(
        fc.property(fc.nat(places.length - 1), fc.constantFrom(...damages), (place, damage) => {
          const where = places[place];
          const after = where && example.after(where, damage);
          if (!intact || !where || !after || after.verdicts === intact.verdicts) return;
          counted++;
          const { changes } = comparison(intact.explainer, after.explainer);
          if (changes.length === 0) silent.push(`${damage}: ${shownPlace(where)}`);
        }),
        { numRuns: runsOf(RUNS, SAMPLE), seed: 3 },
      );
      expect(silent).toEqual([]);
      expect(counted).toBeGreaterThan(runsOf(5, SAMPLE));
    },
  );
});

it("says that a resource of a type that is not read differs if it names an identity, wherever", () => {
  const NAMES = [
    "${aws_iam_role.pulls_aws_shop_web_332B9317.arn}",
    "arn:aws:iam::111122223333:role/edge-1_shop_web",
    "${azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.client_id}",
    "principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/subject/system:serviceaccount:shop:tools",
  ];
  /** A value with a text somewhere in it. */
  const holding = (text: string): fc.Arbitrary<unknown> =>
    fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constant(text),
        fc.constant(`{"Resource":"${text}"}`),
        tie("value").map((inner) => [1, inner]),
        tie("value").map((inner) => ({ a: "b", inner })),
      ),
    })).value;
  const block = fc.constantFrom(...NAMES).chain(holding);
  fc.assert(
    fc.property(block, fc.constantFrom("handler", "code", "x"), fc.integer(), (names, argument, value) => {
      const sides = [value, value + 1].map((each) =>
        changed(adding(["acme_function", { names, [argument]: { nested: [each] } }])),
      );
      const [old, made] = sides.map((side) => Explainer.read([folderOf(side)]));
      if (!old || !made) return;
      const targets = comparison(old, made).changes.map(({ kind, target }) => `${kind} ${target}`);
      expect(targets).toEqual([`incomparable acme_function.more.${argument}`]);
    }),
    { numRuns: 15 },
  );
});
