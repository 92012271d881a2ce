import { expect, it } from "vitest";
import { Explainer } from "../../../lib/explain";
import { INGRESS, accessArtefacts, withoutFile } from "../../fixtures/explain/access";
import { type Artefacts, folderOf } from "../../fixtures/explain/artefacts";
import { checks } from "../../fixtures/explain/checks";
import { SECRET, capaRequest, capaSecret } from "../../fixtures/explain/components";

const ID = "secret-present";

for (const cloud of ["aws", "azure", "google"] as const)
  checks(ID, `of the stack on ${cloud}`, { artefacts: accessArtefacts(cloud), serviceAccount: INGRESS }, [
    ["as written", [], "pass"],
    ["not written", (files) => withoutFile(files, SECRET), "fail", "", { as: null }],
  ]);

const withoutSecret = (files: Artefacts): Artefacts =>
  new Map([...files].filter(([path]) => !path.endsWith(SECRET)));
const google = { artefacts: accessArtefacts("google"), serviceAccount: INGRESS };

checks(ID, "manifests that were not read as they should", google, [
  [
    "a Secret that the API server refuses",
    [SECRET, "service_account.json: ", "service_account.json: x"],
    "fail",
    "is not base64",
  ],
  ["a manifest that the record lists and that is not there", withoutSecret, "fail"],
]);

it("reports a manifest that the record lists and that is not there", () => {
  const { skipped } = Explainer.read([folderOf(withoutSecret(google.artefacts))]);
  expect(skipped.map(({ source, reason }) => [source.file.endsWith(SECRET), reason])).toEqual([
    [true, "workload-identity.json lists it, but it does not exist; its objects count as absent"],
  ]);
});

const AUTHENTICATION = `apiVersion: config.openshift.io/v1
kind: Authentication
metadata: { name: cluster }
spec: { serviceAccountIssuer: "https://issuer.example.com" }
`;
const GATE = '{release.openshift.io/feature-gate: "ClusterAPI"}';

checks(
  ID,
  "a request of other people",
  {
    artefacts: new Map([["a.yaml", capaRequest()]]),
    serviceAccount: "openshift-cluster-api/capa-controller-manager",
  },
  [
    [
      "with its Secret",
      (files) => new Map(files).set("b.yaml", capaSecret),
      "pass",
      "",
      { verdict: "unknown" },
    ],
    ["without its Secret, which the operator may write", [], "unknown", "unless credentialsMode is Manual"],
    [
      "without its Secret, in a cluster whose tokens are set up",
      (files) => new Map(files).set("b.yaml", AUTHENTICATION),
      "fail",
    ],
    [
      "without its Secret, behind a feature gate",
      (files) => new Map(files).set("a.yaml", capaRequest(GATE)),
      "unknown",
    ],
  ],
);
