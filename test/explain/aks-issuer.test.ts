/*
 * Tokens of AKS clusters end their `iss` with a slash, and each cloud compares it exactly: what lacks it trusts no one,
 * also where the record of the cluster lacks it too. Source: Azure/azure-workload-identity#1700.
 */

import { describe, expect, it } from "vitest";
import { type Edit, edited, explained, firstFailed } from "../fixtures/explain/artefacts";
import { fromAcr, fromEcr, fromGoogle, makers, plainCluster, synthesizedPulls } from "../support/image-pulls";
import { faults } from "../support/faults";

const WITHOUT = "usgovvirginia.oic.prod-aks.azure.us/4f1c8a52/9d0e";
const WITH = `${WITHOUT}/`;
const ISSUER = `https://${WITH}`;

const { written, outdir } = synthesizedPulls(() => ({
  cluster: plainCluster({ issuer: ISSUER }),
  identities: [makers.aws(), makers.azure(), makers.google()],
  pulls: [
    { serviceAccount: "shop/web", from: [fromEcr(), fromAcr()] },
    { serviceAccount: "shop/jobs", from: fromGoogle() },
  ],
}));
const files = new Map([...written.files].map(([path, text]) => [`stacks/prod/${path}`, text]));

const inTerraform = (host: string): Edit => ["cdk.tf.json", WITH, host];
const inRecord = (host: string): Edit => ["workload-identity.json", WITH, host];

describe("the issuer of an AKS cluster", () => {
  it("is written with its slash wherever clouds and cluster compare it", () => {
    expect(files.get("stacks/prod/cdk.tf.json")).toContain(`"issuer": "${ISSUER}"`);
    expect(files.get("stacks/prod/cdk.tf.json")).toContain(`"issuer_uri": "${ISSUER}"`);
    expect(files.get("stacks/prod/cdk.tf.json")).toContain(`oidc-provider/${WITH}\\"`);
    expect(files.get("stacks/prod/cdk.tf.json")).toContain(`${WITH}:aud`);
    expect(faults(outdir)).toEqual([]);
  });

  it.each([
    ["with the slash in both", [], "allowed"],
    ["recorded without it", [inRecord(WITHOUT)], "allowed"],
    ["trusted without it", [inTerraform(WITHOUT)], "denied"],
    ["without it in both", [inTerraform(WITHOUT), inRecord(WITHOUT)], "denied"],
  ])("%s", (_, edits, verdict) => {
    const results = explained(edited(files, edits));
    expect(results.map((each) => each.verdict)).toEqual([verdict, verdict, verdict]);
    expect(results.map(firstFailed)).toEqual(
      Array(3).fill(verdict === "denied" ? "issuer-trusted" : undefined),
    );
  });
});
