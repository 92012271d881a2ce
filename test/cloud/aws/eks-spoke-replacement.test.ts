import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Testing } from "cdktf";
import { expect, it } from "vitest";
import { eksSpoke, workloadRoles } from "../../../lib/cloud/aws";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { noTerraform, runTerraform } from "../../support/terraform-program";
import { ACCOUNT, ISSUER, type Json, REGION, newStack } from "./synthesized";

type Resources = Record<string, Record<string, Json>>;

const KINDS = ["aws_iam_role", "aws_eks_access_entry", "aws_eks_access_policy_association"];
const skipped = noTerraform ? " (terraform is not installed)" : "";

it.skipIf(noTerraform)(`replaces entry and policy when the role is made again${skipped}`, () => {
  const folder = temporaryFolder();
  const write = (role: string): void =>
    writeFileSync(join(folder, "main.tf.json"), JSON.stringify(withoutProvider(role)));
  write("first");
  runTerraform(folder, "init", "-input=false");
  runTerraform(folder, "apply", "-auto-approve", "-input=false");
  runTerraform(folder, "plan", "-detailed-exitcode", "-input=false");
  write("second");
  runTerraform(folder, "plan", "-input=false", "-out=plan");
  const plan = JSON.parse(runTerraform(folder, "show", "-json", "plan")) as {
    resource_changes: { name: string; change: { actions: string[] } }[];
  };
  const actions = plan.resource_changes.map(({ name, change }) => [name, change.actions]);
  expect(Object.fromEntries(actions)).toEqual(
    Object.fromEntries(KINDS.map((kind) => [kind, ["delete", "create"]])),
  );
});

/** The order and the triggers as they are synthesized, on resources that Terraform has built in; the id is new with the role. */
function withoutProvider(role: string): object {
  const stack = newStack();
  const { grants } = workloadRoles({ account: ACCOUNT, region: REGION }).declare(stack, {
    clusterName: "hub",
    issuer: Issuer.of(ISSUER),
    accounts: [{ subject: Subject.of("argocd/argocd-server"), asks: [] }],
  });
  eksSpoke({
    cluster: { name: "spoke-a", endpoint: "https://a.example.com", certificateAuthorityData: "LS0t" },
    region: REGION,
    accessPolicies: [{ policy: "AmazonEKSViewPolicy" }],
  }).declare(stack, { hub: "hub", spoke: "spoke-a", controllers: grants });
  const { resource } = JSON.parse(Testing.synth(stack)) as { resource: Resources };
  const builtIn = KINDS.map((kind): [string, Json] => {
    const [block = {}] = Object.values(resource[kind] ?? {});
    const { lifecycle, depends_on, principal_arn } = block;
    const own = kind === "aws_iam_role";
    return [
      kind,
      own ? { triggers_replace: role } : { input: principal_arn, depends_on: depends_on, lifecycle },
    ];
  });
  const text = JSON.stringify({ resource: { terraform_data: Object.fromEntries(builtIn) } });
  const address = new RegExp(
    String.raw`(${KINDS.join("|")})\.[\w-]+(?:\.(?:unique_id|access_entry_arn))?`,
    "g",
  );
  return JSON.parse(
    text.replace(
      address,
      (found, kind: string) => `terraform_data.${kind}${found.split(".").length > 2 ? ".id" : ""}`,
    ),
  ) as object;
}
