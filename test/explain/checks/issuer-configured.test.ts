import { AUTHENTICATION, INGRESS, accessArtefacts, issuer, withoutFile } from "../../fixtures/explain/access";
import { checks } from "../../fixtures/explain/checks";
import { capaRequest, capaSecret } from "../../fixtures/explain/components";

const of = (text: string) =>
  [AUTHENTICATION, `serviceAccountIssuer: ${issuer}`, `serviceAccountIssuer: ${text}`] as const;

for (const cloud of ["aws", "azure", "google"] as const)
  checks(
    "issuer-configured",
    `the issuer's manifest on ${cloud}`,
    { artefacts: accessArtefacts(cloud), serviceAccount: INGRESS },
    [
      ["as written", [], "pass"],
      ["missing", (files) => withoutFile(files, AUTHENTICATION), "fail"],
      ["empty", of("''"), "fail"],
      ["another one than recorded", of(`${issuer}/`), "fail"],
    ],
  );

checks(
  "issuer-configured",
  "a request and its Secret alone",
  {
    artefacts: new Map([["a.yaml", capaRequest() + capaSecret]]),
    serviceAccount: "openshift-cluster-api/capa-controller-manager",
  },
  [["which say nothing of the cluster", [], "unknown"]],
);
