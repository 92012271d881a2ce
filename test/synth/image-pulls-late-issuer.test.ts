/*
 * A cluster that the same configuration creates: its issuer is known only after apply. Each cloud takes it, since no
 * cloud needs its text at synth; the one thing that does, GKE's pool, is refused with the way out.
 */

import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { TerraformStack, TerraformVariable } from "cdktf";
import { describe, expect, it } from "vitest";
import { OidcProvider } from "../../lib/cloud/aws";
import type { ImagePullsProps } from "../../lib/synth";
import { fromAcr, fromEcr, fromGoogle, makers, plainCluster, synthesizedPulls } from "../support/image-pulls";
import { inside, list, record } from "../support/json";
import { faults } from "../support/faults";
import { resources } from "../support/terraform";
import { refusal } from "../support/refusal";

type Clouds = Pick<ImagePullsProps, "identities" | "pulls">;

/** Of each row: what the files leave open. */
const ROWS: readonly (readonly [cloud: string, open: readonly string[], clouds: () => Clouds])[] = [
  [
    "AWS",
    [],
    () => ({ identities: [makers.aws()], pulls: [{ serviceAccount: "shop/web", from: fromEcr() }] }),
  ],
  [
    "AWS, account unknown too",
    ["whether the role and the registry are in one account is not known"],
    () => ({ pulls: [{ serviceAccount: "shop/web", from: fromEcr() }] }),
  ],
  [
    "Azure",
    [],
    () => ({ identities: [makers.azure()], pulls: [{ serviceAccount: "shop/web", from: fromAcr() }] }),
  ],
  [
    "Google",
    [],
    () => ({ identities: [makers.google()], pulls: [{ serviceAccount: "shop/web", from: fromGoogle() }] }),
  ],
  [
    "all three",
    // One file of the plugin names one tenant, and each identity its own, as far as the files tell.
    ["whether the annotation and the plugin's file name the same tenant is known only after apply"],
    () => ({
      identities: [makers.aws(), makers.azure(), makers.google()],
      pulls: [
        { serviceAccount: "shop/web", from: [fromEcr(), fromAcr(), fromGoogle()] },
        { serviceAccount: "shop/jobs", from: [fromEcr(), fromAcr(), fromGoogle()] },
      ],
    }),
  ],
];

describe.each(ROWS)("late issuer with %s", (_, open, clouds) => {
  const synthesize = (): ReturnType<typeof synthesizedPulls> =>
    synthesizedPulls((stack) => {
      const issuer = new TerraformVariable(stack, "issuer", { type: "string" });
      return { cluster: plainCluster({ issuer: issuer.stringValue }), ...clouds() };
    });

  it("is trusted by reference, and leaves nothing else open", () => {
    expect(faults(synthesize().outdir)).toEqual(open.map((each) => expect.stringContaining(each) as string));
  });

  it("stands in workload-identity.json as a placeholder with an output", () => {
    const { written } = synthesize();
    const [cluster] = list(written.identity["clusters"]).map(record);
    expect(cluster?.["issuer"]).toBe("@late(var.issuer)@");
    expect(inside(written.identity, "placeholders", "@late(var.issuer)@")).toEqual({
      output: "var_issuer",
      path: ["prod", "Manifests", "var_issuer"],
      expression: "${var.issuer}",
    });
    expect(inside(written.terraform, "output", "var_issuer", "value")).toBe("${var.issuer}");
    expect([...written.files.values()].filter((text) => text.includes("TfToken"))).toEqual([]);
  });

  it("is in no manifest and no node file, since neither needs it", () => {
    const files = [...synthesize().written.files].filter(([path]) => path.endsWith(".yaml"));
    expect(files.filter(([, text]) => text.includes("var.issuer"))).toEqual([]);
  });
});

describe("late issuer of a cluster", () => {
  it("of EKS with its existing OIDC provider is trusted by reference", () => {
    const { outdir, written } = synthesizedPulls((stack: TerraformStack) => {
      const oidcProvider = OidcProvider.fromEksCluster(stack, "oidc", { clusterName: "prod" });
      return {
        cluster: plainCluster({ issuer: oidcProvider.issuer }),
        identities: [makers.aws({ oidcProvider })],
        pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
      };
    });
    const host = '${trimprefix(data.aws_eks_cluster.oidc-cluster.identity[0].oidc[0].issuer, "https://")}';
    expect(written.terraform["locals"]).toEqual({ oidc_IssuerHost_65CF95D5: host });
    const [role] = resources(written.terraform, "aws_iam_role");
    expect(JSON.parse(String(role?.["assume_role_policy"]))).toEqual({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Federated: "${data.aws_iam_openid_connect_provider.oidc_7DBC7B85.arn}" },
          Action: "sts:AssumeRoleWithWebIdentity",
          Condition: {
            StringEquals: {
              "${local.oidc_IssuerHost_65CF95D5}:aud": "sts.amazonaws.com",
              "${local.oidc_IssuerHost_65CF95D5}:sub": "system:serviceaccount:shop:web",
            },
          },
        },
      ],
    });
    expect(resources(written.terraform, "aws_iam_openid_connect_provider")).toEqual([]);
    // What the OIDC provider of the account accepts is in no file.
    expect(faults(outdir)).toEqual([expect.stringMatching("unknown, audience-accepted: which audiences")]);
  });

  it("is one OIDC provider for the roles of all service accounts", () => {
    const { written } = synthesizedPulls((stack) => {
      const cluster = new DataAwsEksCluster(stack, "cluster", { name: "prod" });
      return {
        cluster: plainCluster({ issuer: cluster.identity.get(0).oidc.get(0).issuer }),
        pulls: [
          { serviceAccount: "shop/web", from: fromEcr() },
          { serviceAccount: "shop/jobs", from: fromEcr() },
        ],
      };
    });
    expect(resources(written.terraform, "aws_iam_role")).toHaveLength(2);
    expect(resources(written.terraform, "aws_iam_openid_connect_provider")).toHaveLength(1);
  });

  it("of GKE is refused: the pool of GKE must be told its URL", () => {
    expect(() =>
      synthesizedPulls((stack) => ({
        cluster: plainCluster({
          issuer: new TerraformVariable(stack, "issuer", { type: "string" }).stringValue,
          plugins: { gcp: "36.3.8" },
        }),
        identities: [makers.google({ pool: "fleet" })],
        pulls: [{ serviceAccount: "shop/web", from: fromGoogle() }],
      })),
    ).toThrowError(refusal("google-invalid: identity provider of the GKE or fleet pool"));
  });

  it("with a late audience is refused: RBAC and node files hold it", () => {
    expect(() =>
      synthesizedPulls((stack) => ({
        cluster: plainCluster(),
        identities: [
          makers.google({ projectNumber: new TerraformVariable(stack, "number", {}).stringValue }),
        ],
        pulls: [{ serviceAccount: "shop/web", from: fromGoogle() }],
      })),
    ).toThrowError(refusal("late-value", { message: expect.stringMatching(/project ?number/i) }));
  });
});
