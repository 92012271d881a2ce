import { WORKLOAD, accessArtefacts, withoutFile } from "../../fixtures/explain/access";
import { type Damage, checks } from "../../fixtures/explain/checks";

const ID = "account-present";
const unwritten: Damage = (files) => withoutFile(files, "20-service-accounts.yaml");

const [, NAME = ""] = WORKLOAD.split("/");
const regenerated: Damage = [["20-service-accounts.yaml", `name: ${NAME}\n`, `name: ${NAME}-c8c7fda7\n`]];

for (const cloud of ["aws", "azure"] as const)
  checks(ID, `a workload on ${cloud}`, { artefacts: accessArtefacts(cloud), serviceAccount: WORKLOAD }, [
    ["as written", [], "pass"],
    ["whose service account is not written", unwritten, "fail"],
    [
      "written with the name that cdk8s makes",
      regenerated,
      "fail",
      `${WORKLOAD}-c8c7fda7 differs only in its`,
    ],
  ]);

// Nothing on the service account names an identity of Google.
checks(ID, "a workload on google", { artefacts: accessArtefacts("google"), serviceAccount: WORKLOAD }, [
  ["as written", [], "pass"],
  ["whose service account is not written", unwritten, "unknown"],
]);
