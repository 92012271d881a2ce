import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { describe, expect, it } from "vitest";
import { awsAccess, workloadRoles } from "../../../lib/cloud/aws";
import { explain } from "../../../lib/explain";
import { WorkloadAccess, bind } from "../../../lib/synth";
import { folderOf, synthesizedStack } from "../../fixtures/explain/artefacts";
import { INGRESS, accessArtefacts, withoutFile } from "../../fixtures/explain/access";
import { both, checks } from "../../fixtures/explain/checks";
import { content, credentialFile, provided, secret, threeOnAws } from "../../fixtures/explain/components";
import { argument, configured } from "../../fixtures/explain/configuration";

const ID = "identity-found";
const region = "eu-west-1";
const ACCOUNT = "111122223333";
const ANOTHER = "111122223339";
const inAccount = secret(`arn:aws:iam::${ACCOUNT}`, `arn:aws:iam::${ANOTHER}`);
const deploying = (account: string): object => ({ role_arn: `arn:aws:iam::${account}:role/deploy` });

for (const cloud of ["aws", "azure", "google"] as const)
  checks(ID, `of a component on ${cloud}`, { artefacts: accessArtefacts(cloud), serviceAccount: INGRESS }, [
    ["as written", [], "pass"],
    ["where Terraform was not read", (files) => withoutFile(files, "cdk.tf.json"), "unknown"],
  ]);

checks(ID, "account of a role on AWS", threeOnAws, [
  [
    "of another account than the provider's",
    both(provided({ region, allowed_account_ids: [ACCOUNT] }), inAccount),
    "unknown",
  ],
  [
    "of the account of an assumed role",
    provided({ region, assume_role: [deploying(ANOTHER), deploying(ACCOUNT)] }),
    "pass",
  ],
  [
    "of another account than an assumed role's",
    provided({ region, assume_role: [deploying(ANOTHER)] }),
    "unknown",
  ],
  [
    "of another account than that of a role assumed by a token",
    provided({ region, assume_role_with_web_identity: deploying(ANOTHER) }),
    "unknown",
  ],
]);

checks(
  ID,
  "the credential file of Google",
  { artefacts: accessArtefacts("google"), serviceAccount: INGRESS },
  [
    [
      "of another service account",
      content(
        JSON.stringify(credentialFile).replace(
          /serviceAccounts\/[^:]+/,
          "serviceAccounts/x@acme-prod.iam.gserviceaccount.com",
        ),
      ),
      "unknown",
    ],
  ],
);

const disabled = (value: unknown) => configured(argument("google_service_account", { disabled: value }));

checks(ID, "a service account of Google", { artefacts: accessArtefacts("google"), serviceAccount: INGRESS }, [
  ["enabled", disabled(false), "pass", "is declared"],
  ["disabled", disabled(true), "fail", "is disabled"],
  ["disabled in words", disabled("true"), "fail", "is disabled"],
  ["perhaps disabled", disabled("${var.off}"), "unknown", "known only after apply"],
]);

// What was filled in for components of Azure is in test/explain/read/bound-copies.test.ts.
describe("the ARN of a role that was filled in", () => {
  const REPORTS = "fixture/manifests/20-service-accounts.yaml";
  const right = "arn:aws:iam::111122223333:role/c1_shop_reports_access";

  /** A role whose ARN is known only after apply, and the finished files with an ARN. */
  function filledIn(arn: string, allowedAccountIds?: string[], output: string = right): readonly string[] {
    const artefacts = synthesizedStack((stack) => {
      new AwsProvider(stack, "aws", { region: "eu-west-1", ...(allowedAccountIds && { allowedAccountIds }) });
      new WorkloadAccess(stack, "workloads", {
        cluster: { name: "c1", issuer: "https://oidc.example.com" },
        workloads: [
          {
            serviceAccount: "shop/reports",
            may: awsAccess({
              statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: "arn:aws:s3:::reports/*" }],
            }),
          },
        ],
        identities: [workloadRoles({})],
      });
    });
    const from = folderOf(artefacts);
    const record = JSON.parse(artefacts.get("stacks/fixture/workload-identity.json") ?? "") as {
      placeholders: Record<string, { output: string }>;
    };
    const outputs = Object.values(record.placeholders).map(({ output: name }) => [name, output]);
    const values = folderOf({ "o.json": JSON.stringify({ fixture: Object.fromEntries(outputs) as object }) });
    const to = folderOf({});
    bind({ outputs: join(values, "o.json"), from, to });
    if (arn !== output) {
      const file = join(to, REPORTS);
      writeFileSync(file, readFileSync(file, "utf8").replace(output, arn));
    }
    return [from, to];
  }

  it("is refused by bind if it is another role's", () => {
    const other = right.replace("reports", "orders");
    expect(() => filledIn(other, undefined, other)).toThrowError(
      "allowed: arn:<partition>:iam::<account>:role/c1_shop_reports_access;",
    );
  });

  it.each<[string, string, string[] | undefined, string | undefined]>([
    ["that the configuration computes", right, ["111122223333"], undefined],
    ["in any account", right, undefined, undefined],
    ["with another name", right.replace("reports", "orders"), undefined, "<account of the provider aws>"],
    ["on a path", right.replace("role/", "role/apps/"), undefined, "<account of the provider aws>"],
    ["in another account than the provider's", right, ["444455556666"], "444455556666"],
  ])("%s", (_, arn, accounts, contradicted) => {
    const [result] = explain(filledIn(arn, accounts));
    const check = result?.checks.find(({ id }) => id === "identity-found");
    expect([result?.verdict, check?.status]).toEqual(
      contradicted === undefined ? ["allowed", "pass"] : ["unknown", "unknown"],
    );
    const other = `arn:aws:iam::${contradicted}:role/c1_shop_reports_access`;
    if (contradicted !== undefined)
      expect(check?.reason).toContain(`${arn} was filled in, but the configuration has ${other} there`);
  });
});
