/* What is missing, what there is several of, and clusters that a cloud manages. */

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
    }),
  )("with %s names what is missing, of %3$s", async (what, [change, message], cloud) => {
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

describe("a managed cluster", () => {
  const json = async (
    answers: Answers,
  ): Promise<{ parts: Answers[]; imports: { id: string }[]; identities: unknown; missing: Answers[] }> => {
    const { out } = await adoptManaged(answers, "--format", "json");
    return (JSON.parse(out) as { clusters: never[] }).clusters[0] as never;
  };
  const EKS = "oidc.eks.eu-west-1.amazonaws.com/id/ABC";
  const EKS_PROVIDER = `arn:aws:iam::111122223333:oidc-provider/${EKS}`;
  const eks = (): Answers => {
    const arn = "arn:aws:eks:eu-west-1:111122223333:cluster/prod";
    const cluster = { name: "prod", arn, identity: { oidc: { issuer: `https://${EKS}` } } };
    const Tags = [{ Key: "team", Value: "platform" }];
    const subjects = { [`${EKS}:sub`]: ["system:serviceaccount:shop:*", "system:serviceaccount:a:b"] };
    const Statement = {
      Effect: "Allow",
      Principal: { Federated: EKS_PROVIDER },
      Condition: { StringLike: subjects },
    };
    const others = [{ Principal: "*" }, { Principal: { Service: "ec2.amazonaws.com" } }];
    const Arn = "arn:aws:iam::111122223333:role/shop/web";
    return {
      "sts get-caller-identity": { Account: "111122223333" },
      "eks describe-cluster": { prod: { cluster } },
      [PROVIDER]: { [EKS_PROVIDER]: { Url: EKS, ClientIDList: ["sts.amazonaws.com"], Tags } },
      "iam get-role": {
        web: { Role: { RoleName: "web", Arn, AssumeRolePolicyDocument: { Statement } } },
        other: { Role: { Arn: "arn:x", AssumeRolePolicyDocument: { Statement: others } } },
      },
    };
  };

  it("on EKS: OIDC provider and the roles that trust it", async () => {
    expect(await json(eks())).toMatchObject({
      missing: [],
      parts: [
        {
          call: "new OidcProvider",
          props: {
            issuer: `https://${EKS}`,
            account: "111122223333",
            region: "eu-west-1",
            audiences: ["sts.amazonaws.com"],
            tags: { team: "platform" },
            adopt: true,
          },
        },
      ],
      imports: [{ id: EKS_PROVIDER }, { type: "aws_iam_role", id: "web" }],
      identities: [
        { identity: "arn:aws:iam::111122223333:role/shop/web", serviceAccounts: ["a/b", "shop/*"] },
      ],
    });
    const trust = (answers: Answers): Answers =>
      at(answers, "iam get-role", "web", "Role", "AssumeRolePolicyDocument", "Statement");
    const denied = eks();
    trust(denied)["Effect"] = "Deny";
    expect((await json(denied)).identities).toEqual([]);
    const [anyone, others] = [eks(), eks()];
    delete trust(anyone)["Condition"];
    trust(others)["Condition"] = { StringNotLike: { [`${EKS}:sub`]: "system:serviceaccount:a:b" } };
    for (const answers of [anyone, others])
      expect((await json(answers)).identities).toMatchObject([
        { serviceAccounts: ["every service account"] },
      ]);
    const without = eks();
    delete without[PROVIDER];
    expect((await json(without)).missing).toMatchObject([{ what: `the OIDC provider of https://${EKS}` }]);
  });

  it("on AKS: identities whose credentials trust the cluster", async () => {
    const id = `/subscriptions/${guidOf("s")}/resourcegroups/rg/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web`;
    const url = "https://westeurope.oic.prod-aks.azure.com/t/c";
    const answers: Answers = {
      "account show": { id: guidOf("s"), tenantId: guidOf("t") },
      "aks show": { prod: { name: "prod", oidcIssuerProfile: { enabled: true, issuerUrl: `${url}/` } } },
      "identity list": [
        { id, name: "web", resourceGroup: "rg", principalId: guidOf("p"), clientId: guidOf("c") },
      ],
      "identity federated-credential list": {
        [id]: [
          { name: "shop", issuer: `${url}/`, subject: "system:serviceaccount:shop:web" },
          // Without the slash it trusts no token of the cluster.
          { name: "old", issuer: url, subject: "system:serviceaccount:shop:old" },
        ],
      },
      "role assignment list": [
        { id: "/x/roleAssignments/1", principalId: guidOf("p"), name: "1", scope: "/x" },
      ],
    };
    const resourceId = id.replace("resourcegroups", "resourceGroups");
    expect(await json(answers)).toMatchObject({
      issuer: `${url}/`,
      missing: [],
      parts: [
        {
          call: "PullIdentity.fromResourceId",
          props: { resourceId, clientId: guidOf("c"), principalId: guidOf("p"), tenantId: guidOf("t") },
        },
      ],
      imports: [
        { type: "azurerm_user_assigned_identity", id: resourceId },
        {
          type: "azurerm_federated_identity_credential",
          id: `${resourceId}/federatedIdentityCredentials/shop`,
        },
        { type: "azurerm_role_assignment", id: "/x/roleAssignments/1" },
      ],
      identities: [{ identity: resourceId, serviceAccounts: ["shop/web"] }],
    });
    const unasked = { ...answers, "identity federated-credential list": {} };
    delete (unasked as Answers)["role assignment list"];
    expect((await json(unasked)).missing).toMatchObject([
      { what: "the federated credentials of web" },
      { what: "the role assignments" },
    ]);
    at(answers, "aks show", "prod")["oidcIssuerProfile"] = { enabled: false };
    expect((await json(answers)).missing).toMatchObject([{ what: "the issuer of prod" }]);
  });

  it("on GKE: service accounts that the pool's may act as, and direct grants", async () => {
    const account = "projects/p/serviceAccounts/web@p.iam.gserviceaccount.com";
    const member =
      "principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p.svc.id.goog/subject/ns/shop/sa/jobs";
    const answers: Answers = {
      "projects describe": { projectId: "p", projectNumber: 1 },
      "container clusters describe": {
        prod: {
          name: "prod",
          location: "europe-west1",
          workloadIdentityConfig: { workloadPool: "p.svc.id.goog" },
        },
      },
      "iam service-accounts list": [{ email: "web@p.iam.gserviceaccount.com", name: account }],
      "iam service-accounts get-iam-policy": {
        "web@p.iam.gserviceaccount.com": {
          bindings: [
            { role: "roles/iam.workloadIdentityUser", members: ["serviceAccount:p.svc.id.goog[shop/web]"] },
            { role: "roles/viewer", members: ["serviceAccount:p.svc.id.goog[shop/other]"] },
          ],
        },
      },
      "projects get-iam-policy": {
        bindings: [{ role: "roles/storage.objectViewer", members: [member, "user:a@b"] }],
      },
    };
    expect(await json(answers)).toMatchObject({
      issuer: "https://container.googleapis.com/v1/projects/p/locations/europe-west1/clusters/prod",
      missing: [],
      imports: [
        { type: "google_service_account", id: account },
        { id: `${account} roles/iam.workloadIdentityUser serviceAccount:p.svc.id.goog[shop/web]` },
        { type: "google_project_iam_member", id: `p roles/storage.objectViewer ${member}` },
      ],
      identities: [
        { identity: "web@p.iam.gserviceaccount.com", serviceAccounts: ["shop/web"] },
        { identity: member, serviceAccounts: ["shop/jobs"] },
      ],
    });
    const unasked: Answers = { ...answers, "iam service-accounts get-iam-policy": {} };
    delete unasked["projects get-iam-policy"];
    expect((await json(unasked)).missing).toMatchObject([
      { what: "who may act as web@p.iam.gserviceaccount.com" },
      { what: "what the project grants to the pool directly" },
    ]);
    delete at(answers, "container clusters describe", "prod")["workloadIdentityConfig"];
    expect((await json(answers)).missing).toMatchObject([
      {
        what: "the workload pool of prod",
        remedy: expect.stringContaining("update prod --workload-pool=p.svc.id.goog") as string,
      },
    ]);
  });

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
