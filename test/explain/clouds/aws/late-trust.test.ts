import { expect, it } from "vitest";
import { lateTrust } from "../../../../lib/explain/clouds/aws/late-trust";
import type { RoleFact } from "../../../../lib/explain/clouds/aws/role-fact";
import { seen } from "../../../../lib/explain/answer";

const ISSUER = "${0#aws_cloudfront_distribution.issuer.domain_name}";
const source = { file: "cdk.tf.json", path: "resource.aws_iam_role.web" };

/** As roles of configurations are: what stands elsewhere is told by getters. */
class Role implements RoleFact {
  readonly pathName = "web";
  readonly account = "111122223333";
  readonly policies: readonly string[] = [];
  readonly perhaps = [];
  readonly boundary = undefined;
  readonly trustPolicy = JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Action: "sts:AssumeRoleWithWebIdentity",
        Principal: { Federated: `arn:aws:iam::111122223333:oidc-provider/${ISSUER}` },
        Condition: {
          StringEquals: {
            [`${ISSUER}:sub`]: Array.from({ length: 200 }, (_, index) => `subject-number-${index}`),
          },
        },
      },
    ],
  });

  get adopted(): boolean {
    return false;
  }

  get source(): typeof source {
    return source;
  }
}

it("says where the role stands, also where the issuer is known only after apply", () => {
  const url = `https://${ISSUER}`;
  const [answer] = lateTrust({
    role: new Role(),
    account: "111122223333",
    partition: "aws",
    issuer: url,
    subject: "system:serviceaccount:shop:web",
    audience: "sts.amazonaws.com",
    oidcProviders: [
      {
        address: "aws_iam_openid_connect_provider.oidc",
        url,
        arn: `arn:aws:iam::111122223333:oidc-provider/${ISSUER}`,
        account: "111122223333",
        clientIds: ["sts.amazonaws.com"],
        source,
      },
    ],
  });
  expect(answer.reason).toContain("longer than");
  expect(answer.evidence).toContainEqual(seen("trust policy of the IAM role", source));
});
