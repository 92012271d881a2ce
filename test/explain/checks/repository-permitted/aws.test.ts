/*
 * A role's own policies and those of repositories and registries. Further cases of each are in
 * test/explain/aws/permission.test.ts and attachments.test.ts.
 */

import { synthesized } from "../../../fixtures/explain/artefacts";
import { type Row, checks } from "../../../fixtures/explain/checks";
import { type Change, added, argument, configured } from "../../../fixtures/explain/configuration";
import { HOST, ecr, node, resources, terraform } from "../../../fixtures/explain/three-clouds";

const ID = "repository-permitted";
const SHOP = '\\"Resource\\":\\"arn:aws:ecr:eu-west-1:111122223333:repository/shop/*\\"';
const DESCRIPTION = '"description": "Pulls container images for shop/web"';
const PULL = "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryReadOnly";
const ROLE = "edge-1_shop_web";
const json = (...statements: readonly object[]): string => JSON.stringify({ Statement: statements });
const DENY = { Effect: "Deny", Principal: "*", Action: "ecr:*" };
const ALLOW = { ...DENY, Effect: "Allow" };
const own = terraform('"aws_iam_role_policy"', '"aws_other"');
const everywhere = { image: `${HOST.replace("111122223333", "444455556666")}/shop/web` };
const other = { name: ROLE, provider: "aws.other", assume_role_policy: "{}" };

checks(ID, "policies of the role", ecr, [
  ["as written", [], "pass", "may pull"],
  [
    "for another repository",
    [],
    "fail",
    "the role may not ecr:BatchGetImage",
    {
      image: `${HOST}/base/web`,
      log: "because no identity-based policy allows the ecr:BatchGetImage action",
    },
  ],
  [
    "one of AWS, attached",
    [own, resources("aws_iam_role_policy_attachment", { a: { role: ROLE, policy_arn: PULL } })],
    "pass",
    "may pull",
  ],
  [
    "one of AWS, attached to several roles",
    [
      own,
      resources("aws_iam_policy_attachment", {
        a: { roles: [ROLE], policy_arn: PULL.replace("aws:", "aws-cn:") },
      }),
    ],
    "pass",
    "may pull",
  ],
  ["one of AWS, in the role", [own, terraform(DESCRIPTION, `"managed_policy_arns": ["${PULL}"]`)], "pass"],
  [
    "an inline block",
    [
      own,
      terraform(
        DESCRIPTION,
        `"inline_policy": ${JSON.stringify({ policy: json({ Effect: "Allow", Action: "*", Resource: "*" }) })}`,
      ),
    ],
    "pass",
  ],
  [
    "under a condition that is not judged",
    terraform(
      SHOP,
      '\\"Resource\\":\\"*\\",\\"Condition\\":{\\"StringEquals\\":{\\"aws:SourceVpc\\":\\"vpc-1\\"}}',
    ),
    "unknown",
    "aws:SourceVpc",
  ],
  [
    "one of a role of the same name in another account",
    [
      resources("aws_iam_role_policy_attachment", {
        a: { provider: "aws.other", role: ROLE, policy_arn: PULL },
      }),
      terraform('"aws_iam_role": {', `"aws_iam_role": {"other": ${JSON.stringify(other)},`),
      terraform('"aws": [', '"aws": [{"alias": "other", "allowed_account_ids": ["999988887777"]},'),
    ],
    "fail",
    "",
    { image: `${HOST}/base/web` },
  ],
  [
    "for a repository of another account, whose owner was not read",
    [
      terraform("arn:aws:ecr:eu-west-1:111122223333:repository/shop/*", "*"),
      node(HOST, '"*.dkr.ecr.*.amazonaws.com"'),
    ],
    "unknown",
    "no repository policy was read",
    everywhere,
  ],
]);

const ofRepository = (values: object, policy = json(DENY)) =>
  resources("aws_ecr_repository_policy", { p: { policy, ...values } });
const MAY_BE = "belongs or may belong to the repository";

checks(ID, "policies of repositories that may be the one", ecr, [
  ["one that is", ofRepository({ repository: "shop/web" }), "fail", "the repository policy does not admit"],
  [
    "of a repository that only apply will tell",
    ofRepository({ repository: "${module.r.name}" }),
    "unknown",
    MAY_BE,
  ],
  [
    "of a region that only apply will tell",
    ofRepository({ repository: "shop/web", region: "${var.region}" }),
    "fail",
    "does not",
  ],
  [
    "the second of one name in regions that only apply will tell",
    resources("aws_ecr_repository_policy", {
      a: { policy: json(ALLOW), repository: "shop/web", region: "${var.region}" },
      b: { policy: json(DENY), repository: "shop/web", region: "${var.region}" },
    }),
    "unknown",
    "two policies for the repository were read",
  ],
  ["one that denies nothing", ofRepository({ repository: "${module.r.name}" }, json(ALLOW)), "pass"],
  ["of another region", ofRepository({ repository: "shop/web", region: "us-east-1" }), "pass"],
]);

// "Private registry permissions" in the ECR user guide: "enforces the registry policy in all ECR requests".
const ofRegistry = (statement: object, more: object = {}) =>
  resources("aws_ecr_registry_policy", { p: { policy: json(statement), ...more } });
const ALL = { ...DENY, Resource: "*" };
const ofAccount = terraform(
  '"region": "eu-west-1"',
  '"region": "eu-west-1", "allowed_account_ids": ["111122223333"]',
);
const base = "arn:aws:ecr:eu-west-1:111122223333:repository/base/*";

checks(ID, "policies of registries", ecr, [
  [
    "a denial in an account that is not known",
    ofRegistry(ALL),
    "unknown",
    `a policy that denies the pull, or that explain cannot judge, ${MAY_BE} or its registry`,
  ],
  ["a denial of everything", [ofAccount, ofRegistry(ALL)], "unknown"],
  ["a denial of other repositories", [ofAccount, ofRegistry({ ...DENY, Resource: base })], "pass"],
  ["a denial of another region's", [ofAccount, ofRegistry(ALL, { region: "us-east-1" })], "pass"],
  ["a denial of a late region", [ofAccount, ofRegistry(ALL, { region: "${var.r}" })], "unknown"],
  ["one known only after apply", [ofAccount, ofRegistry({}, { policy: "${var.policy}" })], "unknown"],
  [
    "one that lets others replicate",
    [ofAccount, ofRegistry({ ...ALL, Effect: "Allow", Action: "ecr:ReplicateImage" })],
    "pass",
  ],
]);

const batch = {
  artefacts: synthesized("openshift-aws"),
  serviceAccount: "batch/jobs",
  image: "444455556666.dkr.ecr.eu-west-1.amazonaws.com/batch/runner",
};
const NO_POLICY = "no repository policy was read";

checks(ID, "a repository of another account", batch, [
  ["where both sides allow", [], "pass", "between accounts"],
  [
    "whose policy names another role",
    terraform('role/prod-eu_batch_jobs\\"},', 'role/other\\"},'),
    "fail",
    "does not admit",
    { log: "because no resource-based policy allows the ecr:BatchGetImage action" },
  ],
  [
    "whose policy has a Resource, which ECR refuses",
    terraform('role/prod-eu_batch_jobs\\"},', 'role/prod-eu_batch_jobs\\"},\\"Resource\\":\\"*\\",'),
    "unknown",
    "ECR refuses it: the policy of a repository may not have a Resource",
  ],
  [
    "whose policy names another role, beside one of the registry that may admit it",
    [
      terraform('role/prod-eu_batch_jobs\\"},', 'role/other\\"},'),
      ofRegistry({ ...ALL, Effect: "Allow" }, { provider: "aws.batch" }),
    ],
    "unknown",
    "whether the registry policy does is not known",
  ],
  [
    "whose policy is not there",
    terraform('"aws_ecr_repository_policy"', '"aws_other"'),
    "unknown",
    NO_POLICY,
  ],
  [
    "whose policy is of another region",
    terraform('"region": "eu-west-1",\n        "repository"', '"region": "us-east-1",\n        "repository"'),
    "unknown",
    NO_POLICY,
  ],
  [
    "whose policy is of an account that is not stated",
    terraform('"provider": "aws.batch",', '"provider": "aws.other",'),
    "unknown",
    "the account and region of the policy's repository",
  ],
  ["whose policy is of the role's account", terraform('"provider": "aws.batch",', ""), "unknown", NO_POLICY],
]);

const unread = argument("aws_iam_role", { permissions_boundary: "arn:aws:iam::111122223333:policy/unread" });
const open = (...changes: readonly Change[]) => configured(unread, ...changes);
const owner = (...statements: readonly object[]): Change =>
  argument("aws_ecr_repository_policy", { policy: json(...statements) });
const perhaps = { Condition: { StringEquals: { "aws:SourceVpce": "vpce-1" } } };
const grant = (role: string, Action: string): object => ({
  Effect: "Allow",
  Principal: { AWS: `arn:aws:iam::111122223333:role/${role}` },
  Action,
});
const LOGIN = { Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" };
const pulls = (Action: string): Change =>
  argument("aws_iam_role_policy", {
    policy: json(LOGIN, { Effect: "Allow", Action, Resource: "*", ...perhaps }),
  });
const evidence = (text: string) => ({ evidence: text });
const OF_REPOSITORY = evidence("policy of the repository");

// A link that is certainly broken denies, whatever else cannot be determined.
const foreign: readonly Row[] = [
  [
    "the owner's policy lets another role in",
    open(owner(grant("other", "ecr:*"))),
    "fail",
    "",
    OF_REPOSITORY,
  ],
  [
    "the owner's policy lets it do the one of two things, perhaps, and never the other",
    open(owner({ ...grant("prod-eu_batch_jobs", "ecr:BatchGetImage"), ...perhaps })),
    "fail",
    "",
    OF_REPOSITORY,
  ],
  ["the owner's policy denies it", open(owner(DENY)), "fail", "", OF_REPOSITORY],
];
const same: readonly Row[] = [
  [
    "a policy of its repository denies it",
    open(added("aws_ecr_repository_policy", { repository: "shop/web", policy: json(DENY) })),
    "fail",
    "",
    OF_REPOSITORY,
  ],
  [
    "its own policies allow the one of two things, perhaps, and never the other",
    open(pulls("ecr:BatchGetImage")),
    "fail",
    "",
    evidence(`role/${ROLE}`),
  ],
];
checks(ID, "a boundary that is not read, of a role of another account", batch, foreign);
checks(ID, "a boundary that is not read, of a role of the same account", ecr, same);
