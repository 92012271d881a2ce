/*
 * Which statements of a trust policy admit a subject is in test/explain/aws/trust.test.ts.
 */

import { INGRESS, accessArtefacts } from "../../../fixtures/explain/access";
import { synthesized } from "../../../fixtures/explain/artefacts";
import { checks } from "../../../fixtures/explain/checks";
import {
  AGENT,
  type Resources,
  associated,
  planned,
  podIdentity,
  role,
} from "../../../fixtures/explain/states";
import { ecr, terraform } from "../../../fixtures/explain/three-clouds";

const ID = "subject-admitted";
const subject = (name: string) => terraform('serviceaccount:shop:web\\"', `serviceaccount:shop:${name}\\"`);

// Source: cdk8s-team/cdk8s-core, src/names.ts.
const GENERATED =
  "; system:serviceaccount:shop:web-c8c7fda7 differs only in its generated end: cdk8s derives it from the construct's path, so moving the construct changes it; state metadata.name of the ServiceAccount";

checks(ID, "the trust policy", ecr, [
  ["as written", [], "pass"],
  [
    "of another service account",
    subject("worker"),
    "fail",
    "the trust policy does not admit system:serviceaccount:shop:web",
    { log: "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity" },
  ],
  ["of the name that cdk8s would make", subject("web-c8c7fda7"), "fail", GENERATED],
  ["with a wildcard under StringEquals", subject("*"), "fail", "the trust policy does not admit"],
  [
    "with an operator that is not known",
    terraform('Condition\\":{\\"StringEquals\\"', 'Condition\\":{\\"StringResembles\\"'),
    "unknown",
    "StringResembles",
  ],
]);

const amr = "d111111abcdef8.cloudfront.net";
/** A condition more in every statement. */
const condition = (block: object) =>
  terraform('\\"Condition\\":{', `\\"Condition\\":{${JSON.stringify(JSON.stringify(block)).slice(2, -2)},`);
const pulls = {
  artefacts: synthesized("openshift-aws"),
  serviceAccount: "shop/web",
  image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1",
};

checks(ID, "claims that no service account token has", pulls, [
  ["wanted absent", condition({ Null: { [`${amr}:amr`]: "true" } }), "pass"],
  ["wanted", condition({ "ForAnyValue:StringEquals": { [`${amr}:amr`]: "mfa" } }), "fail", ':amr"'],
  ["excluded", condition({ StringNotLike: { [`${amr}:email`]: "*" } }), "pass"],
  [
    "one that is there, without a documented key",
    condition({ Null: { [`${amr}:jti`]: "true" } }),
    "unknown",
    ':jti"',
  ],
]);

const component = terraform(
  "openshift-ingress-operator:ingress-operator",
  "openshift-ingress-operator:other",
);

checks(ID, "a component", { artefacts: accessArtefacts("aws"), serviceAccount: INGRESS }, [
  ["that is not admitted", component, "fail"],
  ["beside one that is not", component, "pass", "", { serviceAccount: "openshift-image-registry/registry" }],
]);

checks(
  ID,
  "an issuer known only after apply",
  { artefacts: synthesized("openshift-manual-aws"), serviceAccount: INGRESS },
  [
    ["and the subject", [], "pass"],
    ["and another subject", component, "fail"],
  ],
);

const request = (account: string): string =>
  JSON.stringify({
    apiVersion: "cloudcredential.openshift.io/v1",
    kind: "CredentialsRequest",
    metadata: { name: "openshift-cluster-api-aws" },
    spec: {
      secretRef: { namespace: "openshift-cluster-api", name: "capa-manager-bootstrap-credentials" },
      serviceAccountNames: [account],
      providerSpec: {
        apiVersion: "cloudcredential.openshift.io/v1",
        kind: "AWSProviderSpec",
        statementEntries: [{ effect: "Allow", action: ["ec2:RunInstances"], resource: "*" }],
      },
    },
  });

checks(
  ID,
  "a request of another release beside the stack",
  {
    artefacts: accessArtefacts("aws", [JSON.parse(request("cluster-capi-operator")) as object]),
    serviceAccount: "openshift-cluster-api/capi-controllers",
    others: [{ "requests.yaml": request("capi-controllers") }],
  },
  [
    [
      "whose service account was renamed",
      [],
      "fail",
      "cluster-capi-operator up to 4.21, capi-controllers from 4.22",
    ],
    [
      "the service account of the stack",
      [],
      "pass",
      "",
      { serviceAccount: "openshift-cluster-api/cluster-capi-operator" },
    ],
  ],
);

const tagged = (tag: string, value: string): Resources => ({
  ...AGENT,
  "aws_iam_role.web": role("web", [podIdentity({ StringEquals: { [`aws:RequestTag/${tag}`]: value } })]),
});
const CLUSTER_ARN = "arn:aws:eks:eu-west-1:111122223333:cluster/prod";

// EKS user guide, "Enable or disable session tags"; version 5 of the Terraform provider states the region in ARNs alone.
checks(ID, "the tags of EKS Pod Identity", { artefacts: associated(AGENT), serviceAccount: "shop/web" }, [
  ["that are not compared", [], "pass"],
  [
    "the cluster's ARN, of the region in the association's",
    () => associated(tagged("eks-cluster-arn", CLUSTER_ARN)),
    "pass",
  ],
  [
    "the ARN of a cluster in another region",
    () => associated(tagged("eks-cluster-arn", CLUSTER_ARN.replace("eu-west-1", "us-east-1"))),
    "fail",
  ],
  ["another namespace", () => associated(tagged("kubernetes-namespace", "store")), "fail"],
]);

// "Plan Representation" in Terraform's JSON output format: a plan says only which objects an expression refers to.
checks(
  ID,
  "an association whose role a plan does not know yet",
  {
    artefacts: planned(associated(AGENT), "aws_iam_role.web.arn", "aws_iam_role.web"),
    serviceAccount: "shop/web",
  },
  [
    ["that refers to a role that admits it", [], "pass", "", { verdict: "unknown" }],
    [
      "that refers to a role that does not",
      () =>
        planned(
          associated(tagged("kubernetes-namespace", "store")),
          "aws_iam_role.web.arn",
          "aws_iam_role.web",
        ),
      "fail",
      'wants "store"',
    ],
    [
      "that refers to one of two roles",
      () =>
        planned(
          associated(tagged("kubernetes-namespace", "store")),
          "aws_iam_role.web.arn",
          "aws_iam_role.web",
          "aws_iam_role.other.arn",
          "aws_iam_role.other",
        ),
      "unknown",
    ],
    [
      "that refers to a module's output",
      () => planned(associated(tagged("kubernetes-namespace", "store")), "module.role.arn", "module.role"),
      "unknown",
    ],
  ],
);
