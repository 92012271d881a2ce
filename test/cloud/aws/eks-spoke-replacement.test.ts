import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Testing } from "cdktf";
import { expect, it } from "vitest";
import { eksSpoke, workloadRoles } from "../../../lib/cloud/aws";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { ACCOUNT, ISSUER, type Json, REGION, newStack } from "./synthesized";

type Resources = Record<string, Record<string, Json>>;

const missing = spawnSync("terraform", ["version"]).status !== 0;
const KINDS = ["aws_iam_role", "aws_eks_access_entry", "aws_eks_access_policy_association"];

it.skipIf(missing)(
  `replaces entry and policy when the role is made again${missing ? " (terraform is not installed)" : ""}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "cdktf-workload-identity-"));
    const terraform = (...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync("terraform", args, { cwd: folder, encoding: "utf8" });
      expect(status, stderr).toBe(0);
      return stdout;
    };
    try {
      const write = (role: string): void =>
        writeFileSync(join(folder, "main.tf.json"), JSON.stringify(withoutProvider(role)));
      write("first");
      terraform("init", "-input=false");
      terraform("apply", "-auto-approve", "-input=false");
      terraform("plan", "-detailed-exitcode", "-input=false");
      write("second");
      terraform("plan", "-input=false", "-out=plan");
      const plan = JSON.parse(terraform("show", "-json", "plan")) as {
        resource_changes: { name: string; change: { actions: string[] } }[];
      };
      expect(
        Object.fromEntries(plan.resource_changes.map(({ name, change }) => [name, change.actions])),
      ).toEqual(Object.fromEntries(KINDS.map((kind) => [kind, ["delete", "create"]])));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

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
