/*
 * What the cluster says of its issuer, whatever the cloud.
 */

import { expect, it } from "vitest";
import { pass } from "../../../../lib/explain/answer";
import { TRUST_LINKS, type TrustFacts } from "../../../../lib/explain/jobs/links";
import { type Known, Reference, known, textOf } from "../../../../lib/model/known";
import { INGRESS, WORKLOAD, accessArtefacts } from "../../../fixtures/explain/access";
import { synthesized } from "../../../fixtures/explain/artefacts";
import { checks } from "../../../fixtures/explain/checks";
import { ISSUER, ecr, objects, record, terraform } from "../../../fixtures/explain/three-clouds";
import {
  fromAcr,
  fromEcr,
  fromGoogle,
  makers,
  plainCluster,
  synthesizedPulls,
} from "../../../support/image-pulls";
import { faults } from "../../../support/faults";

const ID = "issuer-trusted";
const authentication = (issuer: string, name = "cluster") =>
  objects({
    apiVersion: "config.openshift.io/v1",
    kind: "Authentication",
    metadata: { name },
    spec: { serviceAccountIssuer: issuer },
  });

checks(ID, "Authentication/cluster", ecr, [
  ["of the recorded issuer", authentication(ISSUER), "pass"],
  ["of another issuer", authentication("https://elsewhere.example"), "unknown"],
  ["of none, which is the API server's own", authentication(""), "unknown"],
  ["of another name", authentication("https://elsewhere.example", "other"), "pass"],
]);

// openshift/api, config/v1/types_authentication.go: without serviceAccountIssuer it is https://kubernetes.default.svc.
it.each<[string, Known<string>]>([
  ["a text", known(ISSUER)],
  ["a reference", textOf(["https://", new Reference("aws_cloudfront_distribution.x.domain_name")])],
])("Authentication/cluster without issuer beside a recorded one, %s, says so", (_, issuer) => {
  const read = { issuer: known(undefined), source: { file: "a.yaml", path: "" } };
  const artefacts = { authentication: read, cluster: { issuer } } as TrustFacts["artefacts"];
  const trust = { issuer: pass("trusted"), audience: pass("accepted"), subject: pass("admitted") };
  const [link] = TRUST_LINKS;
  expect(link && "run" in link ? link.run({ artefacts, trust }) : undefined).toMatchObject({
    status: "unknown",
    reason: expect.stringContaining("was read without serviceAccountIssuer") as string,
  });
});

const slash = [
  ["cluster-authentication-02-config.yaml", "https://oidc.example.com/c1", "https://oidc.example.com/c1/"],
  record("https://oidc.example.com/c1", "https://oidc.example.com/c1/"),
] as const;

for (const cloud of ["aws", "azure", "google"] as const)
  checks(
    ID,
    `tokens of components and workloads on ${cloud}`,
    { artefacts: accessArtefacts(cloud), serviceAccount: INGRESS },
    [
      ["as written", [], "pass"],
      ["the component, by an issuer with a slash", slash, "fail"],
      ["the workload, by an issuer with a slash", slash, "fail", "", { serviceAccount: WORKLOAD }],
    ],
  );

const REFERENCE = "https://${aws_cloudfront_distribution.issuer_Distribution_6D5A4523.domain_name}";
const late = { artefacts: synthesized("openshift-manual-aws"), serviceAccount: INGRESS };
checks(ID, "an issuer known only after apply", late, [
  ["of the same reference", [], "pass"],
  ["of another reference", terraform(REFERENCE, REFERENCE.replace("6D5A4523", "OTHER")), "unknown"],
]);

// Tokens of AKS clusters end their `iss` with a slash, and each cloud compares it exactly: Azure/azure-workload-identity#1700.
const WITHOUT = "usgovvirginia.oic.prod-aks.azure.us/4f1c8a52/9d0e";
const WITH = `${WITHOUT}/`;
const { written, outdir } = synthesizedPulls(() => ({
  cluster: plainCluster({ issuer: `https://${WITH}` }),
  identities: [makers.aws(), makers.azure(), makers.google()],
  pulls: [
    { serviceAccount: "shop/web", from: [fromEcr(), fromAcr()] },
    { serviceAccount: "shop/jobs", from: fromGoogle() },
  ],
}));
const artefacts = new Map([...written.files].map(([path, text]) => [`stacks/prod/${path}`, text]));
const trusted = terraform(WITH, WITHOUT);
const recorded = record(WITH, WITHOUT);

for (const [registry, serviceAccount, image] of [
  ["ECR", "shop/web", "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web"],
  ["ACR", "shop/web", "acmeshop.azurecr.io/x"],
  ["Artifact Registry", "shop/jobs", "europe-west1-docker.pkg.dev/acme-images/tools/x"],
] as const)
  checks(ID, `the issuer of an AKS cluster, before ${registry}`, { artefacts, serviceAccount, image }, [
    ["with the slash in both", [], "pass"],
    ["recorded without it", recorded, "pass"],
    ["trusted without it", trusted, "fail"],
    ["without it in both", [trusted, recorded], "fail"],
  ]);

it("writes the issuer of an AKS cluster with its slash wherever clouds and cluster compare it", () => {
  const text = artefacts.get("stacks/prod/cdk.tf.json");
  for (const part of [
    `"issuer": "https://${WITH}"`,
    `"issuer_uri": "https://${WITH}"`,
    `oidc-provider/${WITH}\\"`,
    `${WITH}:aud`,
  ])
    expect(text).toContain(part);
  expect(faults(outdir)).toEqual([]);
});
