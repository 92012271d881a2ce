import { expect, it } from "vitest";
import { Explainer } from "../../lib/explain";
import { INGRESS, accessArtefacts } from "../fixtures/explain/access";
import { explained, firstFailed, folderOf } from "../fixtures/explain/artefacts";

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
