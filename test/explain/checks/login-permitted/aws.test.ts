/*
 * Which policies a role has is in test/explain/aws/attachments.test.ts, what they allow in permission.test.ts there.
 */

import { synthesized } from "../../../fixtures/explain/artefacts";
import { checks } from "../../../fixtures/explain/checks";
import { argument, configured } from "../../../fixtures/explain/configuration";
import { ecr, resources, terraform } from "../../../fixtures/explain/three-clouds";

const ID = "login-permitted";
const LOGIN = '\\"ecr:GetAuthorizationToken\\"';
const MAY_NOT = "the role may not ecr:GetAuthorizationToken";
const DESCRIPTION = '"description": "Pulls container images for shop/web"';
const own = terraform('"aws_iam_role_policy"', '"aws_other"');
const attached = (policy_arn: string) =>
  resources("aws_iam_role_policy_attachment", { a: { role: "edge-1_shop_web", policy_arn } });
const bounded = (arn: string) => terraform(DESCRIPTION, `"permissions_boundary": "${arn}"`);
const limit = (Action: string) => {
  const policy = JSON.stringify({ Statement: { Effect: "Allow", Action, Resource: "*" } });
  return [
    resources("aws_iam_policy", { limit: { name: "limit", policy } }),
    bounded("${aws_iam_policy.limit.arn}"),
  ];
};
const OTHER = "arn:aws:iam::111122223333:policy/other";

checks(ID, "policies of the role", ecr, [
  ["as written", [], "pass"],
  ["none at all", own, "fail", "may not"],
  [
    "another action",
    terraform(LOGIN, '\\"ecr:DescribeRegistry\\"'),
    "fail",
    MAY_NOT,
    { log: "is not authorized to perform: ecr:GetAuthorizationToken on resource: *" },
  ],
  [
    "on a repository, where there is no login",
    terraform(
      `${LOGIN},\\"Resource\\":\\"*\\"`,
      `${LOGIN},\\"Resource\\":\\"arn:aws:ecr:eu-west-1:111122223333:repository/shop/*\\"`,
    ),
    "fail",
    MAY_NOT,
  ],
  [
    "one of an ARN that was not read",
    attached(OTHER),
    "unknown",
    `the policy ${OTHER} is not declared in what was read`,
  ],
  [
    "one of AWS that is not known",
    [own, attached("arn:aws:iam::aws:policy/Other")],
    "unknown",
    "what the AWS managed policy Other allows is not known here",
  ],
  ["a boundary that leaves the pull", limit("ecr:*"), "pass"],
  ["a boundary that does not", limit("s3:*"), "fail", "the permissions boundary"],
  [
    "a boundary that was not read",
    bounded(OTHER),
    "unknown",
    `the permissions boundary: the policy ${OTHER} is not declared in what was read`,
  ],
]);

checks(
  ID,
  "a role of another account than the registry",
  {
    artefacts: synthesized("openshift-aws"),
    serviceAccount: "batch/jobs",
    image: "444455556666.dkr.ecr.eu-west-1.amazonaws.com/batch/runner",
  },
  [
    ["as written", [], "pass"],
    [
      "with a boundary that was not read",
      configured(argument("aws_iam_role", { permissions_boundary: OTHER })),
      "unknown",
    ],
  ],
);
