/*
 * The proof at synth: what was written decides, whatever the constructs meant.
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import { ApiObject, JsonPatch } from "cdk8s";
import { App, Aspects, TerraformResource, TerraformStack, Testing } from "cdktf";
import type { Construct } from "constructs";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWorkloadIdentityError, type WorkloadIdentityError } from "../../lib/errors";
import { Duration } from "../../lib/model/duration";
import type { IPullIdentities } from "../../lib/model/pulls";
import { ImagePulls, type ImagePullsProps } from "../../lib/synth";
import { deniesPull, synthStack } from "../../lib/testing";
import { filesOf, temporaryFolder } from "../fixtures/synth/stack-fixture";
import { ACCOUNT, REGION, fromEcr, makers, openShiftCluster, plainCluster } from "../support/image-pulls";
import { refusal } from "../support/refusal";

const PROOF = "cdktf-workload-identity/proof";

/** Adds a stack with pulls, which `change` may break. */
function addPulls(
  app: App,
  change: (pulls: ImagePulls, stack: TerraformStack) => void = () => undefined,
  props: Partial<ImagePullsProps> = {},
  id = "prod",
): TerraformStack {
  const stack = new TerraformStack(app, id);
  new AwsProvider(stack, "aws", { region: REGION, allowedAccountIds: [ACCOUNT] });
  const pulls = new ImagePulls(stack, "pulls", {
    cluster: openShiftCluster(),
    identities: [makers.aws()],
    pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
    ...props,
  });
  change(pulls, stack);
  return stack;
}

const otherCluster = openShiftCluster({ name: "other", issuer: "https://oidc.example.com/other" });

function newApp(context: Readonly<Record<string, unknown>> = {}, more: object = {}): App {
  return new App({ outdir: temporaryFolder(), stackTraces: false, context, ...more });
}

function refusalOf(app: App): WorkloadIdentityError {
  try {
    app.synth();
  } catch (error) {
    if (isWorkloadIdentityError(error)) return error;
    throw error;
  }
  throw new Error("the synth was not refused");
}

function resource(stack: TerraformStack, type: string): TerraformResource {
  const found = stack.node
    .findAll()
    .filter((node) => TerraformResource.isTerraformResource(node))
    .find(({ terraformResourceType }) => terraformResourceType === type);
  if (!found) throw new Error(`no ${type}`);
  return found;
}

function objectsOf({ manifests }: ImagePulls): readonly ApiObject[] {
  return ["service-accounts", "token-audience", "machine-configs"].flatMap((name, place) =>
    manifests
      .chart(name, { order: [20, 10, 40][place] ?? 0 })
      .node.findAll()
      .filter((node) => ApiObject.isApiObject(node)),
  );
}

function patch(pulls: ImagePulls, kind: string, ...patches: readonly JsonPatch[]): void {
  for (const object of objectsOf(pulls)) if (object.kind === kind) object.addJsonPatch(...patches);
}

const noPolicy = JSON.stringify({ Version: "2012-10-17", Statement: [] });
const otherRepository = JSON.stringify({
  Version: "2012-10-17",
  Statement: [
    { Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" },
    {
      Effect: "Allow",
      Action: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
      Resource: `arn:aws:ecr:${REGION}:${ACCOUNT}:repository/shop/other`,
    },
  ],
});

/** The role's trust with one text replaced. */
function changedTrust(from: string, to: string): (pulls: ImagePulls, stack: TerraformStack) => void {
  return (_, stack) => {
    const role = resource(stack, "aws_iam_role") as IamRole;
    role.addOverride("assume_role_policy", role.assumeRolePolicyInput?.replaceAll(from, to));
  };
}

const BROKEN: readonly (readonly [
  link: string,
  how: string,
  change: (pulls: ImagePulls, stack: TerraformStack) => void,
])[] = [
  [
    "provider-matches-image",
    "a second MachineConfig writes the file without the pattern",
    ({ manifests }) =>
      void new ApiObject(manifests.chart("machine-configs", { order: 40 }), "other", {
        apiVersion: "machineconfiguration.openshift.io/v1",
        kind: "MachineConfig",
        metadata: { name: "99-worker-z", labels: { "machineconfiguration.openshift.io/role": "worker" } },
        spec: {
          config: {
            ignition: { version: "3.2.0" },
            storage: {
              files: [
                {
                  path: "/etc/kubernetes/credential-providers/ecr-credential-provider.yaml",
                  contents: {
                    source: `data:,${encodeURIComponent(
                      'apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n  - name: acr-credential-provider\n    matchImages: ["*.azurecr.io"]\n    defaultCacheDuration: 1m\n    apiVersion: credentialprovider.kubelet.k8s.io/v1\n',
                    )}`,
                  },
                },
              ],
            },
          },
        },
      }),
  ],
  [
    "provider-on-node",
    "a patch moves the file",
    (pulls) =>
      patch(
        pulls,
        "MachineConfig",
        JsonPatch.replace("/spec/config/storage/files/0/path", "/etc/kubernetes/elsewhere.yaml"),
      ),
  ],
  [
    "service-account-present",
    "a patch renames the service account",
    (pulls) => patch(pulls, "ServiceAccount", JsonPatch.replace("/metadata/name", "other")),
  ],
  [
    "annotations-present",
    "a patch takes the annotations away",
    (pulls) => patch(pulls, "ServiceAccount", JsonPatch.remove("/metadata/annotations")),
  ],
  [
    "audience-granted",
    "a patch changes the audience of the ClusterRole",
    (pulls) => patch(pulls, "ClusterRole", JsonPatch.replace("/rules/0/resources/0", "sts.example.com")),
  ],
  [
    "issuer-trusted",
    "an override trusts another issuer",
    changedTrust("oidc.example.com", "oidc.example.org"),
  ],
  ["audience-accepted", "an override asks for another audience", changedTrust("sts.amazonaws.com", "other")],
  ["subject-admitted", "an override admits another subject", changedTrust("shop:web", "shop:other")],
  [
    "login-permitted",
    "an aspect empties the policy",
    (_, stack) =>
      Aspects.of(stack).add({
        visit: (node) => {
          if (node instanceof IamRolePolicy) node.policy = noPolicy;
        },
      }),
  ],
  [
    "repository-permitted",
    "an override permits another repository",
    (_, stack) => resource(stack, "aws_iam_role_policy").addOverride("policy", otherRepository),
  ],
];

describe("a declared pull that would be denied", () => {
  it.each(BROKEN)("ends the synth at %s: %s", (link, _, change) => {
    const app = newApp();
    addPulls(app, change);
    const { code, message } = refusalOf(app);
    expect(code).toBe("proof-failed");
    expect(message).toContain(
      `the written files would not give what is declared, so the files of prod were removed (1 at ${link}); allowed:`,
    );
    expect(message).toContain(`  fail    ${link}: `);
  });

  it("says what to do, shows the chain without the folder, and how to write the files all the same", () => {
    const app = newApp();
    addPulls(app, changedTrust("shop:web", "shop:other"));
    const { message, remedy } = refusalOf(app);
    expect(remedy).toContain(
      "; to keep the files and inspect each link with `explain`, set `proof: false` on the construct that declares it",
    );
    expect(message).toContain(
      `\n\ndenied  prod: shop/web pulls ${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/shop/web\n  fail    subject-admitted: `,
    );
    expect(message).toMatch(/\n +seen: .*\(stacks\/prod\/cdk\.tf\.json resource\.aws_iam_role\./);
    expect(message).not.toContain(app.outdir);
    expect(message).not.toContain("\u001b");
    expect(message.endsWith("\n")).toBe(false);
  });

  it("shows one chain of each link and counts the others", () => {
    const app = newApp();
    const from = fromEcr();
    const names = ["a", "b", "c", "d"].map((name) => `shop/${name}`);
    addPulls(
      app,
      (pulls) => {
        patch(pulls, "ServiceAccount", JsonPatch.replace("/metadata/annotations", {}));
        const [first] = objectsOf(pulls);
        first?.addJsonPatch(JsonPatch.replace("/metadata/name", "other"));
      },
      { pulls: names.map((serviceAccount) => ({ serviceAccount, from })) },
    );
    const { message } = refusalOf(app);
    expect(message).toContain("(1 at service-account-present, 3 at annotations-present)");
    expect(message.match(/^denied {2}/gm)).toHaveLength(2);
    expect(message.endsWith("\n\nand 2 more")).toBe(true);
  });

  it("leaves nothing of its stack to apply, and what is Terraform's own or another stack's", () => {
    const app = newApp();
    addPulls(app, changedTrust("shop:web", "shop:other"));
    addPulls(app, undefined, { cluster: otherCluster }, "test");
    const folder = join(app.outdir, "stacks/prod");
    mkdirSync(join(folder, ".terraform"), { recursive: true });
    writeFileSync(join(folder, ".terraform.lock.hcl"), "");
    expect(refusalOf(app).problem).toContain("the files of prod were removed");
    expect(readdirSync(folder).sort()).toEqual([".terraform", ".terraform.lock.hcl"]);
    expect(readdirSync(join(app.outdir, "stacks/test")).sort()).toEqual([
      "cdk.tf.json",
      "manifests",
      "workload-identity.json",
    ]);
    expect(existsSync(join(app.outdir, "manifest.json"))).toBe(false);
  });

  it("is found in each stack of an app", () => {
    const app = newApp();
    addPulls(app, changedTrust("shop:web", "shop:other"));
    addPulls(app, changedTrust("shop:web", "shop:other"), { cluster: otherCluster }, "b");
    const { message } = refusalOf(app);
    expect(message).toContain("the files of prod, b were removed (2 at subject-admitted)");
  });
});

describe("the proof is left out", () => {
  const breaking = changedTrust("shop:web", "shop:other");
  it.each<[what: string, app: App, proof: boolean | undefined]>([
    ["with `proof: false`", newApp(), false],
    ["by the app's context", newApp({ [PROOF]: false }), undefined],
    ["by the app's context, whatever the construct says", newApp({ [PROOF]: false }), true],
    ["with cdktf's skipValidation", newApp({}, { skipValidation: true }), undefined],
  ])("%s", (_, app, proof) => {
    addPulls(app, breaking, proof === undefined ? {} : { proof });
    app.synth();
    expect(Object.keys(filesOf(join(app.outdir, "stacks/prod")))).toContain("cdk.tf.json");
  });

  it("for one stack alone", () => {
    const app = newApp();
    addPulls(app, breaking, { proof: false });
    addPulls(app, breaking, { cluster: otherCluster }, "b");
    expect(refusalOf(app).message).toContain("the files of b were removed (1 at subject-admitted)");
  });

  it("where the app writes HCL, which is not read", () => {
    const app = newApp({}, { hclOutput: true });
    addPulls(app, breaking);
    app.synth();
    expect(Object.keys(filesOf(join(app.outdir, "stacks/prod")))).toContain("cdk.tf");
  });

  it("by Testing.fullSynth, which synthesizes no app", () => {
    const stack = addPulls(newApp(), breaking);
    expect(existsSync(join(Testing.fullSynth(stack), "stacks/prod/cdk.tf.json"))).toBe(true);
  });

  it.each([
    ["context", newApp({ [PROOF]: "false" }), {}] as const,
    ["prop", newApp(), { proof: 0 }] as const,
  ])("by no %s that is neither true nor false", (_, app, props) => {
    expect(() => addPulls(app, undefined, props as Partial<ImagePullsProps>)).toThrowError(
      refusal("property-invalid"),
    );
  });
});

describe("a pull that cannot be told from the files", () => {
  it.each<[what: string, props: Partial<ImagePullsProps>]>([
    ["nothing carries the node's files", { carriers: [] }],
    ["plain nodes, carried by someone else", { cluster: plainCluster(), carriers: [] }],
    [
      "a plugin whose version no one states",
      { cluster: plainCluster({ plugins: { ecr: { abilities: ["tokens"] } } }) },
    ],
  ])("passes without a word: %s", (_, props) => {
    const app = newApp();
    addPulls(app, undefined, props);
    app.synth();
    const [{ annotations = [] } = {}] = Object.values(app.manifest.stacks);
    expect(annotations).toEqual([]);
  });

  it("passes for a cloud of someone else's, whose plugin no one knows", () => {
    const app = newApp();
    const identities: IPullIdentities<Construct> = {
      cloud: "harbor",
      job: "pulls",
      declare: (_, { accounts }) => ({
        grants: accounts.map(({ subject }) => ({
          subject,
          identity: subject.key,
          annotations: { "example.com/robot": "web" },
        })),
        provider: {
          plugin: "acr",
          name: "harbor-credential-provider",
          matchImages: ["harbor.example.com"],
          defaultCacheDuration: Duration.minutes(1),
          args: [],
          nodeIdentityArgs: [],
          env: [],
          audience: "harbor",
          cacheType: "ServiceAccount",
          annotationKeys: ["example.com/robot"],
          needs: [],
        },
        nodeFiles: [],
      }),
    };
    const images = ["harbor.example.com/shop/web"];
    addPulls(app, undefined, {
      cluster: plainCluster(),
      identities: [],
      pulls: [
        {
          serviceAccount: "shop/web",
          from: { cloud: "harbor", images, defaultIdentities: () => identities },
        },
      ],
    });
    app.synth();
    expect(existsSync(join(app.outdir, "manifest.json"))).toBe(true);
  });

  it("passes where the role is in a stack that is written later, and which is read all the same", () => {
    const app = newApp();
    const stack = addPulls(app);
    const role = resource(stack, "aws_iam_role");
    const later = new TerraformStack(app, "later");
    new AwsProvider(later, "aws", { region: REGION, allowedAccountIds: [ACCOUNT] });
    new IamRole(later, "role", {
      name: "prod_shop_web",
      assumeRolePolicy: (role as IamRole).assumeRolePolicyInput ?? "",
      inlinePolicy: [
        { name: "pull", policy: (resource(stack, "aws_iam_role_policy") as IamRolePolicy).policyInput ?? "" },
      ],
    });
    Aspects.of(stack).add({
      visit: (node) => (node === role ? void role.node.scope?.node.tryRemoveChild(role.node.id) : undefined),
    });
    app.synth();
    expect(existsSync(join(app.outdir, "manifest.json"))).toBe(true);
  });

  it("is no reason to judge the pods among the manifests, which no one declared", () => {
    const app = newApp();
    addPulls(app, ({ manifests }) => {
      new ApiObject(manifests.chart("pods", { order: 60 }), "pod", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "pod", namespace: "shop" },
        spec: {
          containers: [{ name: "a", image: "999999999999.dkr.ecr.eu-west-1.amazonaws.com/not/ours:1" }],
        },
      });
    });
    app.synth();
    expect(existsSync(join(app.outdir, "manifest.json"))).toBe(true);
  });
});

describe("synthStack", () => {
  const build = (app: App): TerraformStack => addPulls(app, changedTrust("shop:web", "shop:other"));
  const image = `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/shop/web:1`;

  it("lets a test find the denial", () => {
    const { holds, text } = deniesPull(synthStack(build), {
      serviceAccount: "shop/web",
      image,
      check: "subject-admitted",
    });
    expect(holds, text).toBe(true);
  });

  it("proves where the test wants it", () => {
    expect(() => synthStack(build, { context: { [PROOF]: true } })).toThrowError(refusal("proof-failed"));
  });
});

it("proves again when the app is synthesized again", () => {
  const app = newApp();
  const stack = addPulls(app);
  app.synth();
  changedTrust("shop:web", "shop:other")(undefined as never, stack);
  expect(refusalOf(app).code).toBe("proof-failed");
});

it("waits for the synth: validations that are asked before it say nothing", () => {
  const app = newApp();
  addPulls(app, changedTrust("shop:web", "shop:other"));
  expect(app.node.validate()).toEqual([]);
});
