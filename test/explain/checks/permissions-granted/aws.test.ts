/*
 * What a role's policies leave of the rights that are asked for is in test/explain/aws/rights.test.ts and access.test.ts.
 */

import { INGRESS, WORKLOAD, accessArtefacts } from "../../../fixtures/explain/access";
import { synthesized } from "../../../fixtures/explain/artefacts";
import { type Damage, type Row, both, checks } from "../../../fixtures/explain/checks";
import { type Change, argument, configured, without } from "../../../fixtures/explain/configuration";
import {
  AGENT,
  EKS,
  type Resources,
  associated,
  association,
  attached,
  found,
  irsa,
  role,
  running,
  roleArn,
} from "../../../fixtures/explain/states";
import { record, terraform } from "../../../fixtures/explain/three-clouds";

const ID = "permissions-granted";
const POLICY = "aws_iam_role_policy";
const artefacts = accessArtefacts("aws");
const policy = (Effect: string, Action: string): string =>
  JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect, Action, Resource: "*" }] });
const denying: Change = ({ resource }) => {
  for (const [name, { role }] of Object.entries(resource[POLICY] ?? {}))
    Object.assign(resource[POLICY] ?? {}, {
      [`${name}_deny`]: { name: "deny", role, policy: policy("Deny", "*") },
    });
};
const bounded = (permissions_boundary: string): Change => argument("aws_iam_role", { permissions_boundary });
const boundary = (action: string): Damage =>
  configured(bounded("${aws_iam_policy.bound.arn}"), ({ resource }) => {
    resource["aws_iam_policy"] = { bound: { name: "bound", policy: policy("Allow", action) } };
  });
const conditional: Change = ({ resource }) =>
  Object.values(resource[POLICY] ?? {}).forEach((each) => {
    const condition = '"Condition":{"StringEquals":{"aws:RequestedRegion":"eu-west-1"}},"Effect":"Allow"';
    each["policy"] = String(each["policy"]).replaceAll('"Effect":"Allow"', condition);
  });
const unrecorded = record('"workloads"', '"others"');

// docs.aws.amazon.com/IAM, "Policy evaluation logic".
const rows: readonly Row[] = [
  ["as written", [], "pass"],
  ["none", configured(without(POLICY)), "fail"],
  ["under a condition", configured(conditional), "unknown"],
  ["a Deny takes everything away", configured(denying), "fail"],
  ["a boundary that leaves nothing of it takes everything away", boundary("sns:Publish"), "fail"],
  ["a boundary that leaves everything takes nothing away", boundary("*"), "pass"],
  [
    "a boundary that was not read leaves it open",
    configured(bounded("arn:aws:iam::111122223333:policy/other")),
    "unknown",
  ],
];

checks(ID, "a component", { artefacts, serviceAccount: INGRESS }, [
  ...rows,
  [
    "one is missing",
    terraform("route53:ListHostedZones", "route53:ListHostedZonesX"),
    "fail",
    "the request includes route53:ListHostedZones",
  ],
]);
checks(ID, "a workload", { artefacts, serviceAccount: WORKLOAD }, [
  ...rows,
  ["that no one recorded, which are whatever is granted", unrecorded, "pass"],
  ["that no one recorded, under a condition", both(configured(conditional), unrecorded), "unknown"],
]);
checks(
  ID,
  "a request's own condition, which the component meets",
  {
    artefacts: synthesized("openshift-manual-aws"),
    serviceAccount: "openshift-cluster-csi-drivers/aws-ebs-csi-driver-operator",
  },
  [["as written", [], "pass"]],
);

const request = (action: string): string =>
  JSON.stringify({
    apiVersion: "cloudcredential.openshift.io/v1",
    kind: "CredentialsRequest",
    metadata: { name: "openshift-cluster-api-aws" },
    spec: {
      secretRef: { namespace: "openshift-cluster-api", name: "capa-manager-bootstrap-credentials" },
      serviceAccountNames: ["cluster-capi-operator"],
      providerSpec: {
        apiVersion: "cloudcredential.openshift.io/v1",
        kind: "AWSProviderSpec",
        statementEntries: [{ effect: "Allow", action: [action], resource: "*" }],
      },
    },
  });

checks(
  ID,
  "a request of another release beside the stack",
  {
    artefacts: accessArtefacts("aws", [JSON.parse(request("ec2:RunInstances")) as object]),
    serviceAccount: "openshift-cluster-api/cluster-capi-operator",
  },
  [
    [
      "an action that the role of the older release is not granted",
      [],
      "fail",
      "the request includes ec2:AllocateHosts, which the role does not allow",
      { others: [{ "requests.yaml": request("ec2:AllocateHosts") }] },
    ],
  ],
);

/** A workload that asks for nothing in particular, in a state with these resources beside its role `web`. */
const having = (more: Resources, ofRole: Parameters<typeof role>[2] = {}) =>
  found(
    { ...EKS, "aws_iam_role.web": role("web", [irsa("shop", "web")], ofRole), ...more },
    running("shop", "web", { "eks.amazonaws.com/role-arn": roleArn("web") }, {}),
  );
const ofAws = (name: string): string => `arn:aws:iam::aws:policy/${name}`;
const has = (...names: readonly string[]) =>
  having(
    Object.fromEntries(
      names.map((name, place) => [
        `aws_iam_role_policy_attachment.a${place}`,
        attached("web", name.startsWith("arn:") ? name : ofAws(name)),
      ]),
    ),
  );
const KNOWN = "AmazonS3ReadOnlyAccess";
const NOT_READ = "AmazonSESFullAccess";
const inline = (Effect: string): Resources => ({
  "aws_iam_role_policy.own": {
    id: "web:own",
    name: "own",
    role: "web",
    policy: policy(Effect, "ses:SendEmail"),
  },
  "aws_iam_role_policy_attachment.a": attached("web", ofAws(NOT_READ)),
});
const PLANNED = (files: ReadonlyMap<string, string>) =>
  new Map(
    [...files].map(([path, text]) => [
      path,
      text
        .replace(/"id":"web-\d+",/, "")
        .replace('"values":{"root_module"', '"planned_values":{"root_module"'),
    ]),
  );

// AWS managed policy reference; "Policy evaluation logic" and "Permissions boundaries for IAM entities" in the IAM user guide.
checks(ID, "managed policies of AWS", { artefacts: has(KNOWN), serviceAccount: "shop/web" }, [
  ["one that is known", [], "pass", "the role is granted s3:Get*, s3:List*, s3:Describe*"],
  [
    "one that is not read",
    () => has(NOT_READ),
    "pass",
    `${NOT_READ}, a managed policy of AWS that is not read`,
  ],
  [
    "one that is not read, in the role itself",
    () => having({}, { managed_policy_arns: [ofAws(NOT_READ)] }),
    "pass",
    "grants something",
  ],
  ["two that are not read", () => has(NOT_READ, "ReadOnlyAccess"), "pass", "grants something"],
  ["one that is not read, beside an allowance", () => having(inline("Allow")), "pass", "grants something"],
  ["one that is not read, beside a denial", () => having(inline("Deny")), "unknown"],
  ["one that is known, beside one that denies everything", () => has(KNOWN, "AWSDenyAll"), "unknown"],
  ["one that is not read, beside one that denies everything", () => has(NOT_READ, "AWSDenyAll"), "unknown"],
  ["one that denies everything", () => has("AWSDenyAll"), "fail"],
  ["one that may deny", () => has("AWSCompromisedKeyQuarantineV3"), "unknown"],
  [
    "one that is not read, beside one that may deny",
    () => has(NOT_READ, "AWSCompromisedKeyQuarantineV3"),
    "unknown",
  ],
  ["one for boundaries", () => has("AmazonDataZoneProjectRolePermissionsBoundary"), "unknown"],
  [
    "one of the account that is not read",
    () => has(`arn:aws:iam::111122223333:policy/${NOT_READ}`),
    "unknown",
  ],
  [
    "one that is not read, beside one of the account that is not read",
    () => has(NOT_READ, "arn:aws:iam::111122223333:policy/other"),
    "unknown",
  ],
  [
    "one that is not read, within a boundary",
    () =>
      having(
        { "aws_iam_role_policy_attachment.a": attached("web", ofAws(NOT_READ)) },
        { permissions_boundary: ofAws("PowerUserAccess") },
      ),
    "unknown",
  ],
  ["one on a path that AWS has no policy of that name at", () => has("AmazonEBSCSIDriverPolicy"), "unknown"],
  ["one on its path", () => has("service-role/AmazonEBSCSIDriverPolicy"), "pass"],
  ["none", () => having({}), "fail"],
  ["one that a plan attaches, and that may not exist", () => PLANNED(has("AmazonSESFulAccess")), "unknown"],
  ["one that is known, which a plan attaches", () => PLANNED(has(KNOWN)), "pass"],
]);

/** The association of `shop/web`, whose role has a managed policy of AWS alone, with a session policy. */
const inSession = (Action: string): ReturnType<typeof associated> =>
  associated({
    ...AGENT,
    "aws_eks_pod_identity_association.web": {
      ...association("shop", "web", roleArn("web")),
      policy: policy("Allow", Action),
      disable_session_tags: true,
    },
  });

checks(ID, "a session policy", { artefacts: associated(AGENT), serviceAccount: "shop/web" }, [
  ["that an association does not have", [], "pass"],
  ["that leaves what the managed policy grants", () => inSession("s3:*"), "pass"],
  ["that leaves nothing of the managed policy", () => inSession("sqs:*"), "unknown", "its session policy"],
]);
