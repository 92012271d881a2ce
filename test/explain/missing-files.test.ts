import { describe, expect, it } from "vitest";
import { Explainer } from "../../lib/explain";
import { INGRESS, accessArtefacts } from "../fixtures/explain/access";
import { edited, explained, firstFailed, folderOf, synthesized } from "../fixtures/explain/artefacts";

const SECRET = "stacks/fixture/manifests/openshift-ingress-operator-cloud-credentials-credentials.yaml";

it("a manifest that the record lists and that is not there counts as absent objects, and is reported", () => {
  const artefacts = new Map([...accessArtefacts("aws")].filter(([path]) => path !== SECRET));
  const [result] = explained(artefacts, { serviceAccount: INGRESS });
  expect([result?.verdict, result && firstFailed(result)]).toEqual(["denied", "secret-present"]);
  const { skipped } = Explainer.read([folderOf(artefacts)]);
  expect(skipped.map(({ source, reason }) => [source.file.endsWith(SECRET), reason])).toEqual([
    [true, "workload-identity.json lists it, but it does not exist; its objects count as absent"],
  ]);
});

describe("a file that a stack lists for nodes", () => {
  it.each([
    ["as it was written", "application/node.eks.aws", "allowed"],
    ["in a form that is not read", "application/node.eks", "unknown"],
  ])("%s", (_, type, verdict) => {
    const artefacts = edited(synthesized("eks-nodeadm"), [
      ["nodes/nodeadm.txt", "application/node.eks.aws", type],
    ]);
    const verdicts = Explainer.read([folderOf(artefacts)]).pulls();
    expect(new Set([...verdicts].map((each) => each.verdict))).toEqual(new Set([verdict]));
  });
});
