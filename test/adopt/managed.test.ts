/*
 * Clusters that a cloud manages: what is written as constructs that take it over, what stays with its owner and why, and
 * that the printed program compiles, imports only what exists and writes what exists.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { cli } from "../support/cli";
import { compileErrors } from "../support/compile";
import type { Answers } from "./answers";
import {
  ANY_ASSOCIATION,
  CLUSTER_ARN,
  CONDITION,
  EKS_HOST,
  GROUP,
  GSA,
  ROLES,
  SUBSCRIPTION,
  aksAnswers,
  assignment,
  association,
  credential,
  eksAnswers,
  gkeAnswers,
  identityId,
  principal,
  roleArn,
  tokens,
} from "./managed-answers";
import { type Synthesized, block, importsOf, synthesize } from "./printed";

/** Everything that was printed, compiled together at the end. */
const printed = new Set<string>();

interface Adopted {
  readonly program: string;
  readonly err: string;
  readonly folder: string;
  readonly cluster: {
    readonly missing: readonly { readonly what: string }[];
    readonly notes: readonly string[];
    readonly parts: readonly { readonly call: string; readonly why?: string }[];
    readonly imports: readonly { readonly type: string; readonly id: string }[];
    readonly identities: readonly {
      readonly identity: string;
      readonly serviceAccounts: readonly string[];
    }[];
  };
  readonly synth: Synthesized;
}

async function adopted(answers: Answers, place = 0): Promise<Adopted> {
  const folder = temporaryFolder();
  const from = join(folder, "answers.json");
  writeFileSync(from, JSON.stringify(answers));
  const { out: program, err } = await cli("adopt", "--from", from);
  const { out } = await cli("adopt", "--from", from, "--format", "json");
  printed.add(program);
  const { clusters } = JSON.parse(out) as { clusters: Adopted["cluster"][] };
  const synth = synthesize(program, "adoptProd", folder);
  return { program, err, folder, cluster: clusters[place] as Adopted["cluster"], synth };
}

/** What was said of things that are not taken over. */
function said({ cluster: { missing, notes, parts } }: Adopted): string {
  return JSON.stringify([missing, notes, parts.map(({ why }) => why)]);
}

afterAll(() => {
  expect(compileErrors([...printed].map(block))).toEqual([]);
}, 300_000);

/** A member of answers, for a change. */
const at = (answers: Answers, ...path: readonly (string | number)[]): Answers & unknown[] =>
  path.reduce<unknown>((inner, key) => (inner as Answers)[key], answers) as never;

/** Resources of a type by an argument. */
const by = ({ resource }: Synthesized, type: string, argument: string): Answers =>
  Object.fromEntries(Object.values(resource[type] ?? {}).map((each) => [String(each[argument]), each]));

const document = (text: unknown): Answers => JSON.parse(String(text).replaceAll("$${", "${")) as Answers;

describe("what can be written exactly is taken over", () => {
  it.each<readonly [string, () => Answers, readonly RegExp[]]>([
    [
      "EKS",
      () => eksAnswers({ web: { ...ROLES["web"]!, attached: [] } }),
      [/2 allowed, 0 denied, 0 unknown/],
    ],
    [
      "EKS Pod Identity",
      () => eksAnswers({ agent: ROLES["agent"]! }),
      [/0 denied, 1 unknown/, /shop\/agent.*account-present/],
    ],
    ["AKS", aksAnswers, [/2 allowed, 0 denied, 0 unknown/]],
    ["GKE", gkeAnswers, [/0 denied, 3 unknown/, /no node pool was read/]],
  ])("%s: every import block names what exists, and the synth is explained", async (_, answers, lines) => {
    const { cluster, synth, folder } = await adopted(answers());
    expect(importsOf(synth)).toEqual(cluster.imports.map(({ type, id }) => `${type} ${id}`).sort());
    expect(said({ cluster } as Adopted)).not.toMatch(/left alone|not taken over/);
    expect(cluster.missing).toEqual([]);
    const { out } = await cli("explain", join(folder, "cdktf.out"));
    for (const line of lines) expect(out).toMatch(line);
  });

  it("on EKS with name, path, trust, policies and associations", async () => {
    const { synth } = await adopted(eksAnswers());
    const { web, agent } = by(synth, "aws_iam_role", "name") as Record<string, Answers>;
    expect(web).toMatchObject({ path: "/shop/", description: "The shop", tags: { team: "shop" } });
    const trust = document(web?.["assume_role_policy"])["Statement"];
    expect(trust).toEqual([tokens("shop/api", "shop/web")]);
    expect(document(agent?.["assume_role_policy"])["Statement"]).toEqual([
      { ...association("shop/agent"), Action: ["sts:AssumeRole", "sts:TagSession"] },
    ]);
    const policies = Object.values(synth.resource["aws_iam_role_policy"] ?? {});
    expect(policies.map(({ name }) => name)).toEqual(["sales", "sales"]);
    expect(document(policies[0]?.["policy"])["Statement"]).toEqual(ROLES["web"]?.inline?.["sales"]);
    const worker = by(synth, "aws_eks_pod_identity_association", "service_account")["worker"];
    expect(worker).toMatchObject({ role_arn: roleArn("any.cluster"), cluster_name: "prod" });
  });

  it("on AKS with names of credentials, conditions, and nothing that azurerm cannot read", async () => {
    const { synth } = await adopted(aksAnswers());
    const credentials = by(synth, "azurerm_federated_identity_credential", "name");
    expect(Object.keys(credentials).sort()).toEqual(["api", "web-1"]);
    expect(credentials["web-1"]).toMatchObject({ subject: "system:serviceaccount:shop:web" });
    const { [`${GROUP}/providers/Microsoft.Storage/storageAccounts/sales`]: sales } = by(
      synth,
      "azurerm_role_assignment",
      "scope",
    );
    const ignored = { ignore_changes: ["skip_service_principal_aad_check", "description"] };
    expect(sales).toMatchObject({ condition: CONDITION, condition_version: "2.0", lifecycle: ignored });
  });

  it("prints the same for the same answers, and everything as import blocks", async () => {
    const folder = temporaryFolder();
    const from = join(folder, "answers.json");
    writeFileSync(from, JSON.stringify(eksAnswers()));
    const { out } = await cli("adopt", "--from", from, "--format", "imports");
    expect(out).toContain('id = "web/arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess"');
    expect((await adopted(eksAnswers())).program).toBe((await adopted(eksAnswers())).program);
  });
});

type Change = (answers: Answers) => void;
/** The one role of the answers, with changes. */
const role = (facts: Partial<(typeof ROLES)[string]>) => (): Answers =>
  eksAnswers({ web: { trust: [tokens("shop/web")], attached: [QUEUES], ...facts } });
const changed = (answers: () => Answers, change: Change) => (): Answers => {
  const all = answers();
  change(all);
  return all;
};
const QUEUES = "arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess";
const wildcard = {
  ...tokens("shop/web"),
  Condition: { StringLike: { [`${EKS_HOST}:sub`]: "system:serviceaccount:shop:*" } },
};
const withoutAudience = {
  ...tokens("shop/web"),
  Condition: { StringEquals: { [`${EKS_HOST}:sub`]: "system:serviceaccount:shop:web" } },
};
const ec2 = { Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" };
const wide = { Effect: "Allow", Action: "s3:*", Resource: "*" };
const notAction = { Effect: "Allow", NotAction: "iam:*", Resource: "arn:aws:s3:::a" };
const DESCRIBE = "eks describe-pod-identity-association";
const agent = (more: Answers) =>
  changed(
    () => eksAnswers({ agent: ROLES["agent"]! }),
    (all) => void Object.assign(at(all, DESCRIBE, "a-1agent", "association"), more),
  );
const CREDENTIALS = "identity federated-credential list";
const ASSIGNMENTS = "role assignment list";
const USERS = "iam service-accounts get-iam-policy";
const aks = (change: Change) => changed(aksAnswers, change);
const gke = (change: Change) => changed(gkeAnswers, change);
const bind = (member: string, more: Answers = {}) =>
  gke(
    (all) =>
      void at(all, USERS, GSA, "bindings").push({
        role: "roles/iam.workloadIdentityUser",
        members: [member],
        ...more,
      }),
  );
const grant = (member: string, granted: string) =>
  gke(
    (all) => void at(all, "projects get-iam-policy", "bindings").push({ role: granted, members: [member] }),
  );

/** The calls that remain, and what is said. */
const NONE = /^$/;
const KEPT = /WorkloadRole\.fromArn\(stack, "roleWeb", "arn:aws:iam::111122223333:role\/web"\)/;

describe("what cannot be written exactly stays with its owner, and is named", () => {
  it.each<readonly [string, () => Answers, RegExp, RegExp]>([
    ["a wildcard alone", role({ trust: [wildcard] }), NONE, /role\/web admits shop\/\*; a line names one/],
    [
      "a wildcard beside a name",
      role({ trust: [tokens("shop/web"), wildcard] }),
      KEPT,
      /it has the trust statement .*shop:\*/,
    ],
    [
      "no subject",
      role({ trust: [{ ...tokens("shop/web"), Condition: undefined }] }),
      NONE,
      /admits every service account/,
    ],
    ["no audience", role({ trust: [withoutAudience] }), KEPT, /it has the trust statement/],
    [
      "another audience",
      role({
        trust: [
          JSON.parse(JSON.stringify(tokens("shop/web")).replace('"sts.amazonaws.com"', '"other"')) as Answers,
        ],
      }),
      KEPT,
      /it has the trust statement .*:aud\W+other/,
    ],
    [
      "another principal",
      role({ trust: [tokens("shop/web"), ec2] }),
      KEPT,
      /it has the trust statement .*ec2\.amazonaws/,
    ],
    [
      "a denial",
      role({ trust: [{ ...tokens("shop/web"), Effect: "Deny" }] }),
      NONE,
      /names the cluster in its trust policy, but no service account gets it/,
    ],
    [
      "an association of any cluster",
      role({ trust: [tokens("shop/web"), ANY_ASSOCIATION] }),
      KEPT,
      /pods\.eks\.amazonaws\.com/,
    ],
    ["two inline policies", role({ inline: { a: [], b: [] } }), KEPT, /it has 2 inline policies, not one/],
    ["a wide statement", role({ inline: { a: [wide] } }), KEPT, /covers every action/],
    ["NotAction", role({ inline: { a: [notAction] } }), KEPT, /has a field that it cannot have/],
    [
      "an administrator",
      role({ attached: ["arn:aws:iam::aws:policy/AdministratorAccess"] }),
      KEPT,
      /covers every action/,
    ],
    [
      "long sessions",
      role({ settings: { MaxSessionDuration: 43200 } }),
      KEPT,
      /sessions may last 43200 seconds/,
    ],
    [
      "a CloudFormation stack",
      role({ settings: { Tags: [{ Key: "aws:cloudformation:stack-name", Value: "eksctl-prod" }] } }),
      KEPT,
      /belongs to the CloudFormation stack eksctl-prod/,
    ],
    [
      "an old policy language",
      changed(
        role({}),
        (all) =>
          void (at(all, "iam get-role", "web", "Role", "AssumeRolePolicyDocument")["Version"] = "2008-10-17"),
      ),
      KEPT,
      /the version of its trust policy is 2008-10-17/,
    ],
    [
      "policies that were not asked for",
      changed(role({}), (all) => void delete all["iam list-role-policies"]),
      KEPT,
      /policies of the role web.*not all among the answers/,
    ],
    [
      "an inline policy that was not asked for",
      changed(role({ inline: { a: [] } }), (all) => void delete all["iam get-role-policy"]),
      KEPT,
      /get-role-policy --policy-name a --role-name web/,
    ],
    [
      "two roles for one service account",
      () => {
        const web = { trust: [tokens("shop/web")], attached: [QUEUES] };
        return eksAnswers({ web, two: web });
      },
      NONE,
      /the identity of service account shop\/web.*role\/two","arn.*role\/web/,
    ],
    [
      "an association of an add-on",
      agent({ ownerArn: "arn:aws:eks:eu-west-1:111122223333:addon/prod/x" }),
      NONE,
      /association a-1agent of shop\/agent .* belongs to arn:aws:eks.*role\/agent names the cluster/,
    ],
    ["a session policy", agent({ policy: "{}" }), NONE, /association a-1agent .* has a session policy/],
    [
      "tags of an association",
      agent({ tags: { team: "a" } }),
      /new WorkloadRole/,
      /the tags of the association a-1agent become those of its role or of workloadRoles\(\): team/,
    ],
    [
      "a target role",
      agent({ targetRoleArn: "arn:aws:iam::222222222222:role/t" }),
      NONE,
      /association a-1agent .* has a session policy, a target role or no session tags/,
    ],
    [
      "an association without its role",
      agent({ roleArn: roleArn("gone") }),
      NONE,
      /the role arn:aws:iam::111122223333:role\/gone of the association a-1agent/,
    ],
    [
      "an association that was not described",
      changed(
        () => eksAnswers({ agent: ROLES["agent"]! }),
        (all) => void delete all[DESCRIBE],
      ),
      NONE,
      /the association a-1agent/,
    ],
    [
      "associations that were not listed",
      changed(role({}), (all) => void delete all["eks list-pod-identity-associations"]),
      /new WorkloadRole/,
      /the associations of EKS Pod Identity/,
    ],
    [
      "an association beside a token",
      () => eksAnswers({ web: { trust: [tokens("shop/agent")] }, agent: ROLES["agent"]! }),
      /as: roleAgent/,
      /shop\/agent gets arn:aws:iam::111122223333:role\/agent by its association, which overrides arn/,
    ],
    [
      "no OIDC provider",
      changed(role({}), (all) => void delete all["iam get-open-id-connect-provider"]),
      NONE,
      /the OIDC provider of https/,
    ],
    [
      "no roles",
      changed(role({}), (all) => void delete all["iam get-role"]),
      NONE,
      /roles that trust the OIDC provider/,
    ],

    [
      "an expression for subjects",
      aks(
        (all) =>
          void at(all, CREDENTIALS, identityId("web")).push(
            credential("flex", "", { subject: null, claimsMatchingExpression: {} }),
          ),
      ),
      /new WorkloadIdentity/,
      /web: its credential flex for .* is left alone/,
    ],
    [
      "another audience of Azure",
      aks((all) => void (at(all, CREDENTIALS, identityId("web"), 1)["audiences"] = ["other"])),
      /new WorkloadIdentity/,
      /its credential api .* requests no token for other/,
    ],
    [
      "an issuer without slash",
      aks(
        (all) =>
          void at(all, CREDENTIALS, identityId("other")).push(
            credential("old", "shop/old", { issuer: "https://westeurope.oic.prod-aks.azure.com/t/c" }),
          ),
      ),
      /new WorkloadIdentity/,
      /other: its credential old trusts no token, as its issuer lacks the slash/,
    ],
    [
      "an owner of the subscription",
      aks((all) => void at(all, ASSIGNMENTS).push(assignment("Owner", `/subscriptions/${SUBSCRIPTION}`))),
      /new WorkloadIdentity/,
      /web: also holds Owner at .*, which is left alone: .*access to everything/,
    ],
    [
      "an old condition",
      aks((all) => void (at(all, ASSIGNMENTS, 0)["conditionVersion"] = "1.0")),
      /new WorkloadIdentity/,
      /its condition has version 1\.0/,
    ],
    [
      "no location",
      aks((all) => void delete at(all, "identity list", 0)["location"]),
      /WorkloadIdentity\.fromResourceId\([^]*declareTrust: false/,
      /web is not taken over: its location/,
    ],
    [
      "two identities for one service account",
      aks((all) => void at(all, CREDENTIALS, identityId("other")).push(credential("w", "shop/web"))),
      /serviceAccount: "shop\/api"/,
      /the identity of service account shop\/web/,
    ],
    [
      "credentials that were not asked for",
      aks((all) => void delete at(all, CREDENTIALS)[identityId("other")]),
      /new WorkloadIdentity/,
      /the federated credentials of other/,
    ],
    [
      "role assignments that were not asked for",
      aks((all) => void delete all[ASSIGNMENTS]),
      /WorkloadIdentity\.fromResourceId\([^]*declareTrust: false/,
      /the role assignments.*holds no role among the answers/,
    ],
    [
      "no issuer",
      aks((all) => void (at(all, "aks show", "prod")["oidcIssuerProfile"] = { enabled: false })),
      NONE,
      /the issuer of prod/,
    ],

    [
      "every service account of a namespace",
      bind(
        "principalSet://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/acme-prod.svc.id.goog/namespace/shop",
      ),
      /adoptUsers: \["shop\/api", "shop\/web"\]/,
      /namespace\/shop holds roles\/iam\.workloadIdentityUser on web-shop@.* left alone/,
    ],
    [
      "another right on the account",
      bind("serviceAccount:acme-prod.svc.id.goog[shop/web]", {
        role: "roles/iam.serviceAccountTokenCreator",
      }),
      /new FederatedServiceAccount/,
      /serviceAccountTokenCreator on web-shop@/,
    ],
    [
      "a user on a condition",
      bind("serviceAccount:acme-prod.svc.id.goog[shop/x]", {
        condition: { title: "t", expression: "false" },
      }),
      /new FederatedServiceAccount/,
      /\[shop\/x\] holds .* left alone/,
    ],
    [
      "a basic role",
      grant(`serviceAccount:${GSA}`, "roles/editor"),
      /new RoleBinding/,
      /holds roles\/editor on acme-prod, which is left alone/,
    ],
    [
      "a right of the whole pool",
      grant(
        "principalSet://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/acme-prod.svc.id.goog/*",
        "roles/viewer",
      ),
      /new RoleBinding/,
      /goog\/\* holds roles\/viewer .* not the principal of one service account/,
    ],
    [
      "direct rights beside an account",
      grant(principal("shop/web"), "roles/pubsub.viewer"),
      /new RoleBinding\(stack, "bindingShopSaWebPubsubViewer"/,
      /shop\/web has a Google service account and holds roles\/pubsub\.viewer itself/,
    ],
    [
      "a disabled account",
      gke((all) => void (at(all, "iam service-accounts list", 0)["disabled"] = true)),
      /WorkloadServiceAccount\.fromEmail/,
      /web-shop@.* is not taken over: it is disabled/,
    ],
    [
      "no policy of an account",
      gke((all) => void delete at(all, USERS)[GSA]),
      /new RoleBinding/,
      /who may act as web-shop@/,
    ],
    [
      "no policy of the project",
      gke((all) => void delete all["projects get-iam-policy"]),
      /WorkloadServiceAccount\.fromEmail\([^]*adoptUsers: \["shop\/api", "shop\/web"\]/,
      /what the project grants to the pool directly.*holds no role in the project/,
    ],
    [
      "no pool",
      gke((all) => void delete at(all, "container clusters describe", "prod")["workloadIdentityConfig"]),
      NONE,
      /update prod --workload-pool=acme-prod\.svc\.id\.goog/,
    ],
    [
      "the pool of another project",
      gke(
        (all) =>
          void (at(all, "container clusters describe", "prod")["workloadIdentityConfig"] = {
            workloadPool: "b.svc.id.goog",
          }),
      ),
      NONE,
      /the project of the pool b\.svc\.id\.goog/,
    ],
  ])("%s", async (_, answers, code, why) => {
    const result = await adopted(answers());
    const calls = result.program.slice(result.program.indexOf("export function"));
    if (code === NONE) expect(calls).not.toMatch(/ as: |may:/);
    else expect(calls).toMatch(code);
    expect(said(result) + result.err).toMatch(why);
    const existing = result.cluster.imports.map(({ type, id }) => `${type} ${id}`);
    for (const each of importsOf(result.synth)) expect(existing).toContain(each);
  });

  it("declares the pool of a project once", async () => {
    const answers = gkeAnswers();
    const clusters = at(answers, "container clusters describe");
    clusters["test"] = { ...at(clusters, "prod"), name: "test" };
    const { cluster } = await adopted(answers, 1);
    expect(cluster.parts).toEqual([]);
    expect(cluster.notes).toContain("what its service accounts may do is declared for the cluster prod");
  });

  it("keeps a name of EKS that is no DNS label", async () => {
    const text = JSON.stringify(eksAnswers({ agent: ROLES["agent"]! }));
    const renamed = text
      .replaceAll('"prod"', '"Prod_EU"')
      .replaceAll(CLUSTER_ARN, CLUSTER_ARN.replace("prod", "Prod_EU"));
    const { program } = await adopted(JSON.parse(renamed) as Answers);
    expect(program).toMatch(/name: "prod-eu",\n *cloudName: "Prod_EU"/);
  });
});
