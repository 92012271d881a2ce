/*
 * Which roles EKS clusters admit. Sources: awsdocs/amazon-eks-user-guide, latest/ug/manage-access/k8s-access;
 * CreateAccessEntry in the EKS API reference.
 */

import { describe, expect, it } from "vitest";
import { known, orElse } from "../../../../lib/model/known";
import { CLUSTER_SECRETS, config } from "../../../fixtures/explain/cluster-secrets";
import { inTerraform, put } from "../../../fixtures/explain/documents";
import { withoutResource } from "../../../fixtures/explain/fleet";
import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { type Damage, both, listed, profile } from "../../../fixtures/explain/fleet-damages";
import { argoFleet } from "../../../fixtures/explain/one-spoke";
import { CA } from "../../../fixtures/fleet/ca";
import { ACCOUNT, ARN, OTHER, aws } from "../../aws/read";
import { type Call, SERVER, asked, policyOf, stack } from "../../aws/spoke";

const ID = "spoke-admits";

describe("an access entry", () => {
  it.each<[string, object, string, string?]>([
    ["for the role", stack(), "pass"],
    ["for the role by reference", stack({ principal_arn: "${aws_iam_role.web.arn}" }), "pass"],
    ["for the cluster by reference", stack({ cluster_name: "${aws_eks_cluster.spoke.name}" }), "pass"],
    ["for another role", stack({ principal_arn: `${ARN}2` }), "fail"],
    ["for nodes", stack({ type: "EC2_LINUX" }), "fail"],
    ["of a type known only after apply", stack({ type: "${var.type}" }), "unknown"],
    ["of a cluster known only after apply", stack({ cluster_name: "${var.name}" }), "unknown"],
    ["for a role known only after apply", stack({ principal_arn: "${var.role}" }), "unknown"],
    ["of another cluster", stack({ cluster_name: "other" }), "fail"],
    ["of another region", stack({ region: "us-east-1" }), "fail"],
    [
      "with a group that EKS keeps, among others",
      stack({ kubernetes_groups: ["deployers", "system:masters"] }),
      "fail",
      "system:masters begins",
    ],
    ["with a user that EKS keeps", stack({ user_name: "eks:deployer" }), "fail", "eks:deployer begins"],
    ["that is missing", stack(null, {}), "fail", "has no access entry"],
    [
      "that is missing, where the ConfigMap counts by default",
      stack(null, {}, { access_config: [] }),
      "unknown",
      "also admits roles from the ConfigMap aws-auth",
    ],
    [
      "that is missing, where the ConfigMap counts too",
      stack(null, {}, { access_config: [{ authentication_mode: "API_AND_CONFIG_MAP" }] }),
      "unknown",
      "also admits roles from the ConfigMap aws-auth",
    ],
    [
      "where the cluster takes none",
      stack({}, policyOf(), { access_config: [{ authentication_mode: "CONFIG_MAP" }] }),
      "fail",
      "does not support access entries: CONFIG_MAP",
    ],
  ])("%s", (_, document, status, reason = "") => {
    expect(asked(aws(document)).admitted).toMatchObject({
      status,
      reason: expect.stringContaining(reason) as string,
    });
  });

  // An account that is not known is not the same as another one.
  it("of a role in an account that is not known is not certainly the role's", () => {
    const read = aws(
      stack({ principal_arn: "${aws_iam_role.web.arn}" }, policyOf(), {}, { aws: { region: "eu-west-1" } }),
    );
    expect(asked(read).admitted.status).toBe("unknown");
    expect(orElse(read.text("${aws_iam_role.web.arn}"), () => "late")).toBe("late");
    expect(asked(read, { arn: read.text("${aws_iam_role.web.arn}") }).admitted.status).toBe("pass");
  });

  it("of the role's name in another account is not the role's", () => {
    const arn = known(ARN.replace(ACCOUNT, OTHER));
    expect(asked(aws(stack()), { arn }).admitted.status).toBe("fail");
  });
});

describe("a call of the plugin", () => {
  it.each<[string, Call, string, string]>([
    ["without a cluster", { args: [] }, "unknown", "the name of the EKS cluster is not known"],
    ["with a template", { args: ["--cluster-name", "{{x}}"] }, "unknown", "is not known"],
    ["without a role", { arn: known("") }, "unknown", "the role that enters is not known"],
    [
      "by the variable",
      { args: [], env: { KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID: "spoke" } },
      "pass",
      "has an access entry",
    ],
    [
      "with a profile",
      { args: ["--cluster-name=spoke", "--profile", "x"] },
      "unknown",
      "a profile in the AWS configuration files",
    ],
    [
      "with another role",
      { args: ["--cluster-name=spoke", "--role-arn", `${ARN}2`] },
      "fail",
      "no access entry",
    ],
    [
      "with its own role",
      { args: ["--cluster-name=spoke", "--role-arn", ARN] },
      "pass",
      "has an access entry",
    ],
    [
      "with the role of its variable",
      { env: { AWS_ROLE_ARN: ARN }, arn: known("x") },
      "pass",
      "has an access entry",
    ],
    [
      "to a server that is not EKS's",
      { server: known("https://10.0.0.1") },
      "unknown",
      "is an EKS cluster's is not known",
    ],
    ["to a server that is recorded", { server: known("https://10.0.0.1"), recorded: true }, "pass", ""],
    ["in another region", { server: known(SERVER.replace("eu-west-1", "us-east-1")) }, "unknown", "was read"],
  ])("%s", (_, call, status, reason) => {
    const { admitted } = asked(aws(stack()), call);
    expect(admitted).toMatchObject({ status, reason: expect.stringContaining(reason) as string });
  });

  it("that assumes a role which has an entry is not judged to the end", () => {
    const assumed = asked(aws(stack({ principal_arn: `${ARN}2` }, policyOf({ principal_arn: `${ARN}2` }))), {
      args: ["--cluster-name", "spoke", "-r", `${ARN}2`],
    });
    expect(assumed.admitted).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining("assumes the role") as string,
    });
  });

  it("for another cluster than the profile leads to", () => {
    const read = aws({
      ...stack(),
      data: {
        aws_eks_cluster: { other: { name: "other", endpoint: "https://o.gr7.eu-west-1.eks.amazonaws.com" } },
      },
    });
    const { admitted } = asked(read, { server: read.text("${data.aws_eks_cluster.other.endpoint}") });
    expect(admitted).toMatchObject({
      status: "fail",
      reason: expect.stringContaining("leads to other") as string,
    });
  });
});

fleetChecks(ID, "EKS", spokeOf("eks-p"), [
  ["as written", [], "pass", "has an access entry"],
  [
    "no entry, where the cluster was not read",
    (all) => withoutResource(all, "aws_eks_access_entry", "eks-p"),
    "unknown",
    "no access entry",
  ],
  [
    "a server of another cloud",
    profile("eks-p", [0, "cluster"], {
      server: "@late(data.google_container_cluster.gkec.endpoint)@",
      "certificate-authority-data": CA,
    }),
    "fail",
    "leads to data.google_container_cluster.gkec",
  ],
]);

/** The address of a cluster, as a state tells it. */
const clusterAt =
  (type: string, name: string, values: object): Damage =>
  (all) =>
    inTerraform(
      all,
      put(["data", type, name], (old: unknown) => ({ ...(old as object), ...values })),
    );
const endpoint = "https://eksg.example.com";

fleetChecks(ID, "the server's address from a state", spokeOf("eks-g"), [
  ["is the cluster's", clusterAt("aws_eks_cluster", "other", { name: "eksg", endpoint }), "pass"],
  ["is another cluster's", clusterAt("aws_eks_cluster", "eksc", { endpoint }), "fail", "leads to eksc"],
  [
    "is that of a cluster of another cloud",
    clusterAt("google_container_cluster", "gkec", { endpoint: "eksg.example.com" }),
    "fail",
    "leads to data.google_container_cluster.gkec",
  ],
]);

const exec = (key: string, value: unknown): Damage =>
  listed("argocd-clusterprofile-controller", "aws-a", ["execConfig", key], value);
const TEMPLATE = "{{ .ClusterProfileName }}";
const byVariable = (value: string): Damage =>
  both(
    exec("command", "/plugins/aws-iam-authenticator/aws-iam-authenticator"),
    exec("args", ["token"]),
    exec("env", [{ name: "KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID", value }]),
  );

// argoproj/argo-cd: cmd/argocd-k8s-auth/commands/aws.go
fleetChecks(ID, "Argo CD", { artefacts: argoFleet(), spoke: "a" }, [
  [
    "a flag for a profile of AWS",
    exec("args", (args: unknown) => [...(args as string[]), "--profile", "x"]),
    "unknown",
    "a profile in the AWS configuration files",
  ],
  ["a template in an argument", exec("args", ["aws", "--cluster-name", TEMPLATE]), "pass"],
  ["the cluster's name in a variable", byVariable("a"), "pass", "", { verdict: "unknown" }],
  ["a template in a variable, which is only copied", byVariable(TEMPLATE), "unknown"],
]);

fleetChecks(ID, "a cluster Secret", { artefacts: CLUSTER_SECRETS, spoke: "eks-g" }, [
  ["another cluster", config(["execProviderConfig", "args", 2], "other"), "unknown", "no access entry for"],
  [
    "a role that the plugin assumes",
    config([], { awsAuthConfig: { clusterName: "eksg", roleARN: "arn:aws:iam::1:role/x" } }),
    "unknown",
    "assumes the role",
  ],
]);
