/*
 * The last check of each job: is everything understood that bears on the identity? Every type and argument of the tables
 * is attacked in `test/explain/coverage/attacks.test.ts`; here is what the answers say.
 */

import { type Row, checks } from "../../../fixtures/explain/checks";
import { type Artefacts, synthesized } from "../../../fixtures/explain/artefacts";
import { type Json, record } from "../../../../lib/model/parsed";

const ROLE = "aws_iam_role";

/** The configuration with other sections. */
const changed =
  (change: (document: Json, role: readonly [name: string, values: Json]) => Json) =>
  (files: Artefacts): Artefacts => {
    const file = [...files.keys()].find((each) => each.endsWith("cdk.tf.json")) ?? "";
    const document = record(JSON.parse(files.get(file) ?? ""));
    const [role = ["", {}]] = Object.entries(record(record(document["resource"])[ROLE]));
    const text = JSON.stringify(change(document, [role[0], record(role[1])]));
    return new Map([...files, [file, text]]);
  };

/** The first role with other arguments. */
const role = (values: Json) =>
  changed((document, [name, written]) => {
    const resource = record(document["resource"]);
    const roles = { ...record(resource[ROLE]), [name]: { ...written, ...values } };
    return { ...document, resource: { ...resource, [ROLE]: roles } };
  });

/** A resource beside it, which is given a reference to the role. */
const beside = (type: string, values: (reference: string) => Json) =>
  changed((document, [name]) => {
    const resource = record(document["resource"]);
    const added = { ...record(resource[type]), more: values(`\${${ROLE}.${name}.name}`) };
    return { ...document, resource: { ...resource, [type]: added } };
  });

const provider = (values: Json) =>
  changed((document) => {
    const providers = record(document["provider"]);
    const [aws] = providers["aws"] as readonly Json[];
    return { ...document, provider: { ...providers, aws: [{ ...aws, ...values }] } };
  });

const fargate = (selector: Json, cluster = "edge-1") =>
  beside("aws_eks_fargate_profile", () => ({ cluster_name: cluster, selector }));

const RUN = { provisioner: [{ "local-exec": { command: "true" } }] };

const ROWS: readonly Row[] = [
  ["as written", [], "pass", "every argument"],
  [
    "an argument of the role",
    role({ tomorrow: 1 }),
    "unknown",
    /^the argument tomorrow of aws_iam_role\.\S+ is not judged/,
  ],
  ["two of them", role({ a: 1, b: 2 }), "unknown", "the argument a, with 1 others,"],
  ["an argument that is null", role({ tomorrow: null }), "pass"],
  ["a description", role({ description: "x" }), "pass"],
  ["a late description", role({ description: "${var.text}" }), "pass"],
  [
    "changes of its trust that Terraform leaves",
    role({ lifecycle: { ignore_changes: ["assume_role_policy"] } }),
    "unknown",
    "lifecycle.ignore_changes",
  ],
  ["changes of its tags that Terraform leaves", role({ lifecycle: { ignore_changes: ["tags"] } }), "pass"],
  ["a program after it is made", role(RUN), "unknown", "runs programs"],
  [
    "another endpoint",
    provider({ endpoints: [{ iam: "http://localhost:4566" }] }),
    "unknown",
    "endpoints of the Terraform provider aws",
  ],
  ["tags of the provider", provider({ default_tags: [{ tags: { a: "b" } }] }), "pass"],
  [
    "a type of IAM that is not known",
    beside("aws_iam_role_tomorrow", (of) => ({ role: of })),
    "unknown",
    "aws_iam_role_tomorrow.more, which is not read, may change it",
  ],
  ["one that names nothing here", beside("aws_iam_role_tomorrow", () => ({ role: "other" })), "pass"],
  ["a type of another service", beside("aws_lambda_function", (of) => ({ role: of })), "pass"],
  ["an instance profile", beside("aws_iam_instance_profile", (of) => ({ role: of })), "pass"],
  [
    "a template that is given the role",
    beside("aws_cloudformation_stack", (of) => ({ parameters: { of } })),
    "unknown",
    "may change it",
  ],
  ["one that is not", beside("aws_cloudformation_stack", () => ({ parameters: {} })), "pass"],
  [
    "a program that names it",
    beside("terraform_data", (of) => ({ ...RUN, input: of })),
    "unknown",
    "runs programs",
  ],
  ["a program that does not", beside("terraform_data", () => RUN), "pass"],
  [
    "a Fargate profile of the namespace",
    fargate({ namespace: "shop" }),
    "unknown",
    "pods of namespace shop may run on Fargate, where nodes pull as the profile's role",
  ],
  ["one by a pattern", fargate({ namespace: "sh*" }), "unknown", "may run on Fargate"],
  ["one for some of its pods", fargate({ namespace: "shop", labels: { a: "b" } }), "unknown", "may run on"],
  ["one of a namespace that is not known", fargate({ namespace: "${var.n}" }), "unknown", "may run on"],
  ["one of another namespace", fargate({ namespace: "kube-system" }), "pass"],
  ["one of another cluster", fargate({ namespace: "shop" }, "other"), "pass"],
];

checks(
  "all-understood",
  "a pull from ECR",
  {
    artefacts: synthesized("three-clouds"),
    serviceAccount: "shop/web",
    image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1",
  },
  ROWS,
);

const gcloud = (member: string) =>
  beside("terraform_data", () => ({
    provisioner: [
      {
        "local-exec": { command: `gcloud projects remove-iam-policy-binding acme-images --member=${member}` },
      },
    ],
  }));
const POOL = "iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools";

checks(
  "all-understood",
  "a pull from Artifact Registry",
  {
    artefacts: synthesized("three-clouds"),
    serviceAccount: "shop/tools",
    image: "europe-west1-docker.pkg.dev/acme-images/tools/cli:1",
  },
  [
    ["as written", [], "pass"],
    [
      "a program that names the principal",
      gcloud(`principal://${POOL}/k8s-edge-1/subject/system:serviceaccount:shop:tools`),
      "unknown",
      "runs programs",
    ],
    ["one that names principals of the pool", gcloud(`principalSet://${POOL}/k8s-edge-1/*`), "unknown"],
    ["one that names another pool", gcloud(`principalSet://${POOL}/k8s-edge-12/*`), "pass"],
  ],
);
