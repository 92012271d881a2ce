import { expect, it } from "vitest";
import { differsAsGenerated, generatedName } from "../../lib/rules/generated-names";

// Names as users report them: terraform-aws-modules/terraform-aws-iam issue 486, crossplane-contrib/provider-aws pull request 582.
it.each([
  ["provider-aws-s3-6f461b0ba11f", /^Crossplane/],
  ["provider-aws-4ebd5d8c7cb7", /^Crossplane/],
  ["upbound-provider-family-azure-0123456789ab", /^Crossplane/],
  ["function-auto-ready-59868730b9a9", /^Crossplane/],
  ["hello-sa-c8c7fda7", /^cdk8s/],
  ["reports-1a2b3c4d", /Pulumi/],
])("%s is made up", (name, maker) => {
  expect(generatedName(name)?.makes).toMatch(maker);
});

it.each([
  "provider-aws",
  "provider-aws-s3",
  "ebs-csi-controller-sa",
  "web-20260301",
  "web-deadbeef",
  "provider-aws-6f461b0ba11",
  "service-6f461b0ba11f0",
])("%s may last", (name) => {
  expect(generatedName(name)).toBeUndefined();
});

const SUBJECT = "system:serviceaccount:crossplane-system:";

it.each([
  [`${SUBJECT}provider-aws-s3-6f461b0ba11f`, `${SUBJECT}provider-aws-s3-4ebd5d8c7cb7`, /^Crossplane/],
  [`${SUBJECT}provider-aws-s3`, `${SUBJECT}provider-aws-s3-4ebd5d8c7cb7`, /^Crossplane/],
  ["principal://pool/subject/ns/shop/sa/web-c8c7fda7", "principal://pool/subject/ns/shop/sa/web", /^cdk8s/],
  [`${SUBJECT}provider-aws-s3-6f461b0ba11f`, `${SUBJECT}provider-aws-ec2-4ebd5d8c7cb7`, undefined],
  [`${SUBJECT}provider-aws-6f461b0ba11f`, "system:serviceaccount:other:provider-aws-6f461b0ba11f", undefined],
  ["shop/web-c8c7fda7", "shop/web-1a2b3c4d", undefined],
  ["shop/web-20260301", "shop/web", undefined],
  ["shop/web-c8c7fda7", "shop/web-c8c7fda7", undefined],
])("%s and %s differ as generated names do", (one, other, maker) => {
  for (const made of [differsAsGenerated(one, other), differsAsGenerated(other, one)])
    if (maker) expect(made?.makes).toMatch(maker);
    else expect(made).toBeUndefined();
});
