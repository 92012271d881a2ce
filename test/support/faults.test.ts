/* Each row breaks files that were good, and names what must be found. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { faults } from "./faults";
import { fromAcr, fromEcr, fromGoogle, makers, plainCluster, synthesizedPulls } from "./image-pulls";

const WEB = "system:serviceaccount:shop:web";

const { outdir } = synthesizedPulls(() => ({
  cluster: plainCluster(),
  identities: [makers.aws(), makers.azure(), makers.google()],
  pulls: [{ serviceAccount: "shop/web", from: [fromEcr(), fromAcr("shop/web"), fromGoogle()] }],
}));

const TERRAFORM = "cdk.tf.json";
const ACCOUNTS = "manifests/20-service-accounts.yaml";

it("finds nothing in what the library writes", () => {
  expect(faults(outdir)).toEqual([]);
});

it.each<[found: string, file: string, from: string | RegExp, to: string]>([
  ["denied, subject-admitted", TERRAFORM, `prod:sub\\":\\"${WEB}`, `prod:sub\\":\\"${WEB}s`],
  ["unknown, login-permitted", TERRAFORM, '"scope": "', '"scope": "${var.scope}'],
  [`332B9317 admits ${WEB}x`, TERRAFORM, `,\\"oidc.example.com/prod:sub\\":\\"${WEB}\\"`, ""],
  ["admits any audience", TERRAFORM, '\\"oidc.example.com/prod:aud\\":\\"sts.amazonaws.com\\",', ""],
  ["k8s-prod_6ADE2CE5 admits", TERRAFORM, `assertion.sub in ['${WEB}']`, "true"],
  ["may pull from all of 111122223333.dkr.ecr", TERRAFORM, "repository/shop/web", "repository/*"],
  ["holds a late value as cdktf writes it", ACCOUNTS, "name: web", "name: web # ${TfToken[TOKEN.1]}"],
  ["contains a Terraform expression", ACCOUNTS, "name: web", "name: web # ${aws_iam_role.web.name}"],
  ["nothing says what fills", ACCOUNTS, "name: web", "name: web # @late(aws_iam_role.web.name)@"],
  ["no Terraform output has the value of", TERRAFORM, ".client_id}", ".principal_id}"],
  ["is not declared", TERRAFORM, '"${aws_iam_role.', '"${aws_iam_user.'],
])("finds: %s", (found, file, from, to) => {
  const path = join(outdir, "stacks/prod", file);
  const before = readFileSync(path, "utf8");
  const after = before.replace(from, () => to);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
  try {
    expect(faults(outdir)).toContainEqual(expect.stringContaining(found));
  } finally {
    writeFileSync(path, before);
  }
});
