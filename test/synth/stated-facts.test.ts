import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { OidcProvider, awsAccess, workloadRoles } from "../../lib/cloud/aws";
import { StatedFacts, type StatedFactsProps, WorkloadAccess } from "../../lib/synth";
import { Explainer } from "../../lib/explain";
import { synthStack, type SynthesizedStack } from "../../lib/testing";
import { refusal } from "../support/refusal";

const ACCOUNT = "111122223333";
const PROVIDER = `arn:aws:iam::${ACCOUNT}:oidc-provider/oidc.example.com/prod`;
const BOUNDARY = `arn:aws:iam::${ACCOUNT}:policy/boundary`;
const boundary = (action: string): StatedFactsProps => ({
  aws: {
    policies: [
      {
        arn: BOUNDARY,
        document: {
          Version: "2012-10-17",
          Statement: [{ Effect: "Allow", Action: action, Resource: "*" }],
        },
      },
    ],
  },
});

interface Case {
  readonly audiences?: readonly string[];
  readonly facts?: StatedFactsProps;
}

/** A workload whose OIDC provider and boundary exist already. */
function synthesized({ audiences, facts }: Case): SynthesizedStack {
  return synthStack((app) => {
    const stack = new TerraformStack(app, "prod");
    new AwsProvider(stack, "aws", { region: "eu-west-1" });
    const oidcProvider = OidcProvider.fromArn(stack, "oidc", PROVIDER, audiences ? { audiences } : {});
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "prod", issuer: "https://oidc.example.com/prod" },
      workloads: [
        {
          serviceAccount: "shop/web",
          may: awsAccess({
            statements: [{ Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::orders/*" }],
          }),
        },
      ],
      identities: [
        workloadRoles({
          account: ACCOUNT,
          region: "eu-west-1",
          oidcProvider,
          permissionsBoundary: BOUNDARY,
        }),
      ],
    });
    if (facts) new StatedFacts(stack, "facts", facts);
    return stack;
  });
}

function openLinks({ outdir }: SynthesizedStack): readonly string[] {
  const [result] = Explainer.read([outdir]).workloads();
  return (result?.checks ?? [])
    .filter(({ status }) => status === "fail" || status === "unknown")
    .map(({ id, status }) => `${status} ${id}`);
}

const ACCEPTED = ["sts.amazonaws.com"];

describe("StatedFacts", () => {
  it.each<[what: string, given: Case, open: readonly string[]]>([
    ["nothing", {}, ["unknown issuer-trusted", "unknown audience-accepted", "unknown permissions-granted"]],
    ["the audiences", { audiences: ACCEPTED }, ["unknown permissions-granted"]],
    ["the boundary as well", { audiences: ACCEPTED, facts: boundary("s3:*") }, []],
    ["a narrower boundary", { audiences: ACCEPTED, facts: boundary("sqs:*") }, ["fail permissions-granted"]],
  ])("says what explain could not see: %s", (_, given, open) => {
    expect(openLinks(synthesized(given))).toEqual(open);
  });

  it("is recorded, each fact once", () => {
    const facts = boundary("s3:*");
    const { identity } = synthesized({
      audiences: ACCEPTED,
      facts: { aws: { ...facts.aws, oidcProviders: [{ arn: PROVIDER, audiences: ACCEPTED }] } },
    });
    expect(identity?.stated).toEqual({
      aws: { oidcProviders: [{ arn: PROVIDER, audiences: ACCEPTED }], policies: facts.aws?.policies },
    });
  });

  it.each<[what: string, facts: unknown, code: string]>([
    ["an unknown cloud", { oci: {} }, "property-invalid"],
    ["facts of the cluster", { cluster: { kubelet: "1.34" } }, "property-invalid"],
    ["a policy as text", { aws: { policies: [{ arn: BOUNDARY, document: "{}" }] } }, "property-invalid"],
    ["a late value", { aws: { policies: [{ arn: "${TfToken[TOKEN.7]}", document: {} }] } }, "late-value"],
  ])("refuses %s", (_, facts, code) => {
    expect(() => synthesized({ facts: facts as StatedFactsProps })).toThrowError(refusal(code));
  });
});
