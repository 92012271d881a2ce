/* What is missing, what there is several of, and import blocks. */

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { type Ran, cli } from "../support/cli";
import { rowsOf } from "../support/tables";
import type { RequestCloud } from "../support/credentials-requests";
import { type Answers, adopt, awsAnswers, azureAnswers, googleAnswers, guidOf } from "./answers";

const START: Readonly<Record<RequestCloud, () => Answers>> = {
  aws: () => awsAnswers("public"),
  azure: azureAnswers,
  google: googleAnswers,
};

/** A member of answers, for a change. */
function at(answers: Answers, ...path: readonly (string | number)[]): Record<string, unknown> & unknown[] {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], answers) as never;
}

const PROVIDER = "iam get-open-id-connect-provider";
const ISSUER = "mycluster-oidc.s3.us-east-2.amazonaws.com";
const ARN = `arn:aws:iam::123456789012:oidc-provider/${ISSUER}`;
const INGRESS = "mycluster-openshift-ingress-operator-cloud-credentials";

type Change = (answers: Answers) => void;

/** A second OIDC provider of the same name. */
function addTwin(answers: Answers): void {
  const twin = { ...at(answers, PROVIDER, ARN), Url: "d1.cloudfront.net" };
  at(answers, PROVIDER)["arn:aws:iam::123456789012:oidc-provider/d1.cloudfront.net"] = twin;
}

/** Runs the command without requests of OpenShift. */
function adoptManaged(answers: Answers, ...more: string[]): Promise<Ran> {
  const from = join(temporaryFolder(), "answers.json");
  writeFileSync(from, JSON.stringify(answers));
  return cli("adopt", "--from", from, ...more);
}

/** Leaves out the answer of a command. */
const without =
  (command: string): Change =>
  (all) =>
    void delete all[command];
const DEFINITIONS = "role definition list";
const ASSIGNMENTS = "role assignment list";
const ACCOUNTS = "iam service-accounts list";

describe("an OpenShift cluster", () => {
  it.each(
    rowsOf<readonly [Change, RegExp?]>({
      aws: {
        "no account": [without("sts get-caller-identity")],
        "no provider": [without(PROVIDER), /the name that ccoctl was given: run `aws iam get-open/],
        "two names": [
          (all) => {
            const Tags = [{ Key: "openshift.io/cloud-credential-operator/blue", Value: "owned" }];
            const arn = "arn:aws:iam::123456789012:oidc-provider/b.example.com";
            at(all, PROVIDER)[arn] = { Url: "b.example.com", Tags };
          },
          /the name that ccoctl was given \(found blue, mycluster\): choose one with --name/,
        ],
        "two OIDC providers of one name": [
          addTwin,
          /the OIDC provider of mycluster \(found https:\/\/d1\.cloudfront\.net, https:\/\/mycluster-oidc.*--issuer/,
        ],
        "no bucket": [without("s3api get-bucket-location"), /whether there is a bucket mycluster-oidc/],
        "no roles": [without("iam get-role"), /the roles: run `aws iam get-role`/],
        "different boundaries": [
          (all) => {
            const PermissionsBoundary = { PermissionsBoundaryArn: "arn:b" };
            Object.assign(at(all, "iam get-role", INGRESS, "Role"), { PermissionsBoundary });
          },
          /the permissions boundary \(found arn:b, none\)/,
        ],
        "different tags": [
          (all) => void at(all, "iam get-role", INGRESS, "Role", "Tags").push({ Key: "team", Value: "a" }),
          /the tags of the roles \(found \[\["team","a"\]\], \[\]\)/,
        ],
      },
      azure: {
        "no account": [without("account show"), /subscription and tenant: run `az account show`/],
        "no credentials": [without("identity federated-credential list"), /the issuer: run `az/],
        "no assignments": [
          without(ASSIGNMENTS),
          /the installation resource group: run `az role assignment list --all`/,
        ],
        "no definitions": [without(DEFINITIONS), /the custom roles: run `az role definition/],
        "no storage account": [without("storage account list"), /the storage account of https/],
        "two custom roles of one name": [
          (all) => void at(all, DEFINITIONS).push({ ...at(all, DEFINITIONS, 0), name: guidOf("twin") }),
          /the custom role mycluster-openshift-cluster-csi-drivers-azure-disk-credentials \(found .*adopt\.roleDefinitions/,
        ],
        "a second group where the registry and others hold custom roles": [
          (all) => {
            const scoped = at(all, ASSIGNMENTS) as unknown as { scope: string }[];
            const inNetwork = scoped.filter(({ scope }) => scope.endsWith("/netrg"));
            scoped.push(
              ...inNetwork.map((each) => ({ ...each, scope: each.scope.replace("netrg", "more") })),
            );
          },
          /the network's resource group \(found more, netrg\)/,
        ],
      },
      google: {
        "no project": [without("projects describe"), /id and number of the project/],
        "no pools": [without("iam workload-identity-pools list"), /the name that ccoctl was given/],
        "no accounts": [without(ACCOUNTS), /the service accounts: run/],
        "no policies": [without("iam service-accounts get-iam-policy"), /who else uses the pool/],
        "no roles": [without("iam roles list"), /the custom roles: run/],
        "no bucket": [without("storage buckets describe"), /whether there is a bucket/],
        "two accounts of one name": [
          (all) => void at(all, ACCOUNTS).push({ ...at(all, ACCOUNTS, 0), email: "twin@x" }),
          /the service account of cloud-credential-operator-gcp-ro-creds \(found mycluster-.*, twin@x\)/,
        ],
      },
    }).map(([what, [change, message], cloud]) => ({ what, cloud, change, message })),
  )("with $what names what is missing, of $cloud", async ({ what, cloud, change, message }) => {
    const answers = START[cloud as RequestCloud]();
    change(answers);
    const { code, err } = await adopt(cloud as RequestCloud, answers);
    expect(code).toBe(message ? 1 : 0);
    if (message) expect(err, what).toMatch(message);
    expect(err.split("\n").filter((line) => line !== "" && !line.includes(": missing "))).toEqual([]);
  });

  it("is the one of --name and --issuer", async () => {
    const answers = awsAnswers("public");
    addTwin(answers);
    const { code, out } = await adopt("aws", answers, "--name", "mycluster", "--issuer", `https://${ISSUER}`);
    expect(code).toBe(0);
    expect(out).toContain('bucketName: "mycluster-oidc"');
  });

  it("declares an OIDC provider that has more than ccoctl gave it, as it is", async () => {
    const answers = awsAnswers("public");
    at(answers, PROVIDER, ARN, "Tags").push({ Key: "team", Value: "a" });
    const { code, out } = await adopt("aws", answers);
    expect(code).toBe(0);
    const [, props] = /new OidcProvider\(stack, "[^"]*", (\{[^]*?\n {2}\})\);/.exec(out) ?? [];
    expect(props).toContain(`issuer: "https://${ISSUER}"`);
    expect(props).toContain('team: "a"');
    expect(props).toContain("adopt: true");
  });

  it("says of each part whether it exists", async () => {
    const answers = azureAnswers();
    const identities = at(answers, "identity list");
    const ingress = identities.findIndex((each) => (each as Answers)["name"] === INGRESS);
    const [gone] = identities.splice(ingress, 1) as Answers[];
    const [credentials] = Object.values(at(answers, "identity federated-credential list")) as unknown[][];
    credentials?.splice(0, 1);
    const definitions = at(answers, DEFINITIONS) as unknown as Answers[];
    const lost = definitions.findIndex((each) =>
      String(each["roleName"]).endsWith("image-registry-installer-cloud-credentials"),
    );
    definitions.splice(lost, 1);
    const assignments = at(answers, ASSIGNMENTS) as unknown as Answers[];
    const other = { roleDefinitionName: "Reader", roleDefinitionId: "/x/other", name: guidOf("r") };
    assignments.push({ ...assignments[0], ...other });
    const { out, code } = await adopt("azure", answers, "--format", "json");
    expect(code).toBe(0);
    const [cluster] = (JSON.parse(out) as { clusters: { notes: string[]; parts: { props: Answers }[] }[] })
      .clusters;
    const props = cluster?.parts.at(-1)?.props["adopt"] as Record<string, Record<string, unknown>>;
    expect(gone?.["name"]).toBe(INGRESS);
    expect(props["absent"]).toEqual(
      ["azure-disk-csi-driver-operator/azure-disk-csi-driver-operator", "openshift-ingress-azure"].sort(),
    );
    expect(props["roleDefinitions"]?.["openshift-image-registry-azure"]).toBe("absent");
    expect(cluster?.notes.join("\n")).toMatch(/also holds Reader at .*, which is left alone/);
  });

  it("without requests is not looked for", async () => {
    const { code, err } = await adoptManaged(awsAnswers("public"));
    expect(code).toBe(2);
    expect(err).toContain("give --requests for OpenShift");
  });
});

describe("answers that are refused", () => {
  it.each<readonly [string, unknown, RegExp]>([
    ["a list", [], /\(adopt-invalid\)/],
    ["nothing", {}, /one entry per command.*\(adopt-invalid\)/],
    ["an unknown command", { "iam get-rol": {} }, /"iam get-rol".*was `iam get-role` meant\?.*adopt-unknown/],
    ["two clouds", { "iam get-role": {}, "account show": {} }, /got "account show".*\(adopt-unknown\)/],
    [
      "a text for an object",
      { "iam get-role": "x" },
      /the answer of iam get-role is not .*an object.*adopt-invalid/,
    ],
    [
      "a list for a text",
      { "sts get-caller-identity": { Account: [] } },
      /get-caller-identity: Account.*a text/,
    ],
    [
      "two accounts",
      { ...awsAnswers("public"), "sts get-caller-identity": { Account: "999999999999" } },
      /the answers come from several accounts.*\(adopt-mismatch\)/,
    ],
  ])("%s", async (_, answers, message) => {
    const { code, out, err } = await adopt("aws", answers as Answers);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });
});

describe("import blocks", () => {
  it.runIf(spawnSync("terraform", ["version"]).status === 0)(
    "has import blocks that Terraform reads",
    async () => {
      const folder = temporaryFolder();
      const { out } = await adopt("azure", azureAnswers(), "--format", "imports");
      writeFileSync(join(folder, "imports.tf"), out);
      const { status, stdout } = spawnSync("terraform", ["fmt", "-"], { input: out, encoding: "utf8" });
      expect(status).toBe(0);
      expect([...stdout.matchAll(/^import \{$/gm)]).toHaveLength(50);
      expect(new Set(stdout.match(/(?<= to = ).*/g)).size).toBe(50);
    },
  );
});
