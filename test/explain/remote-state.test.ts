/*
 * What a stack takes from another one's state is followed to the stack, where that was read.
 * Source: developer.hashicorp.com/terraform/language/state/remote-state-data.
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { App, TerraformStack } from "cdktf";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { IssuerBucket, OidcProvider, awsAccess, workloadRoles } from "../../lib/cloud/aws";
import { explain } from "../../lib/explain";
import { WorkloadAccess } from "../../lib/synth";
import { publicKey } from "../fixtures/explain/access";
import { statuses } from "../fixtures/explain/artefacts";
import { synthesized } from "../support/synthesized";

const place = { account: "111122223333", region: "eu-west-1" } as const;
const may = awsAccess({
  statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: "arn:aws:s3:::reports/*" }],
});

function written(): string {
  return synthesized((app) => {
    const [platform, apps] = ["platform", "apps"].map((id) => {
      const stack = new TerraformStack(app as App, id);
      new AwsProvider(stack, "aws", { region: place.region });
      return stack;
    });
    if (!platform || !apps) throw new Error("no stacks");
    const keys = [{ publicKey, use: "current" }] as const;
    const issuer = new IssuerBucket(platform, "issuer", { bucketName: "issuer-c1", ...place, keys });
    const cluster = { name: "c1", issuer };
    new WorkloadAccess(platform, "workloads", {
      cluster,
      workloads: [{ serviceAccount: "shop/web", may }],
      identities: [workloadRoles(place)],
    });
    const audiences = ["sts.amazonaws.com"];
    const oidcProvider = OidcProvider.fromIssuer(apps, "oidc", {
      issuer: issuer.issuer,
      ...place,
      audiences,
    });
    new WorkloadAccess(apps, "workloads", {
      cluster,
      workloads: [{ serviceAccount: "shop/jobs", may }],
      identities: [workloadRoles({ ...place, oidcProvider })],
    });
  });
}

it("finds the OIDC provider of a late issuer in the stack that declares it", () => {
  const [result] = explain([written()], { serviceAccount: "shop/jobs" });
  expect([result?.verdict, result && statuses(result)["audience-accepted"]]).toEqual(["allowed", "pass"]);
});

it.each([
  ["state of another place", '"path": "', '"path": "/elsewhere'],
  ["state of another workspace", "${terraform.workspace}", "blue"],
  ["state of another backend", '"backend": "local"', '"backend": "consul"'],
  ["state whose place is not known", /"config": \{[^}]*\}/, '"config": "${var.place}"'],
])("does not follow a %s", (_why, from, to) => {
  const folder = written();
  const file = join(folder, "stacks/apps/cdk.tf.json");
  const configuration = JSON.parse(readFileSync(file, "utf8")) as {
    data: { terraform_remote_state: object };
    terraform: { backend?: object };
  };
  // Without a backend of its own, the only state that was read is the other one.
  delete configuration.terraform.backend;
  const remote = JSON.stringify(configuration.data.terraform_remote_state, undefined, 1);
  expect(remote).toMatch(from);
  configuration.data.terraform_remote_state = JSON.parse(remote.replace(from, to)) as object;
  writeFileSync(file, JSON.stringify(configuration));
  const [result] = explain([folder], { serviceAccount: "shop/jobs" });
  expect(result?.verdict).toBe("unknown");
});
