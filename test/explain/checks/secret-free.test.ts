import { describe, expect, it } from "vitest";
import { SPOKES } from "../../fixtures/explain/all-spokes";
import { explained } from "../../fixtures/explain/artefacts";
import { CLUSTER_SECRETS, config } from "../../fixtures/explain/cluster-secrets";
import { fleetChecks, spokeOf } from "../../fixtures/explain/fleet-checks";
import { HUB, profile, told } from "../../fixtures/explain/fleet-damages";
import { fleet, props } from "../../fixtures/explain/one-spoke";

const ID = "secret-free";
const SECRET = "contains secret material, which is stored there in plain text";

fleetChecks(ID, "the controller", spokeOf("eks-p"), [
  ["as written", [], "pass", "no secret material was found"],
  ["a variable for secrets", [HUB, "- name: AWS_REGION", "- name: AWS_SECRET_ACCESS_KEY"], "fail", SECRET],
  [
    "a key in the list",
    told("aws-eks-p", "AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
    "fail",
    `list of access providers[0].execConfig.env[1].value ${SECRET}`,
  ],
  [
    "a password in a proxy's address",
    [HUB, "value: eu-west-1", "value: http://user:hunter2@proxy.example:3128"],
    "fail",
    SECRET,
  ],
]);

const PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----";
const base64 = Buffer.from(PRIVATE_KEY).toString("base64");

fleetChecks(ID, "the profile", spokeOf("own"), [
  [
    "a private key as certificate",
    profile("own", [0, "cluster", "certificate-authority-data"], base64),
    "fail",
    `certificate-authority-data ${SECRET}`,
  ],
  [
    "a token in an extension",
    profile(
      "own",
      [0, "cluster", "extensions"],
      [{ name: "client.authentication.k8s.io/exec", extension: { token: "hunter2" } }],
    ),
    "fail",
    `extensions[0].extension.token ${SECRET}`,
  ],
]);

const JWT = ["eyJhbGciOiJSUzI1NiJ9", "eyJzdWIiOiJ4In0xxxx", "c2ln"].join(".");
const output = (value: string): { artefacts: ReadonlyMap<string, string> } => ({
  artefacts: fleet(props(), value),
});

// An output is in the state in plain text.
fleetChecks(ID, "a Terraform output", { artefacts: new Map(), spoke: "a" }, [
  ["a token", [], "fail", "the Terraform output other", output(JWT)],
  [
    "a client secret",
    [],
    "fail",
    "the Terraform output other",
    output("${azuread_application_password.p.value}"),
  ],
  [
    "a cluster's token",
    [],
    "fail",
    "the Terraform output other",
    output("${data.aws_eks_cluster_auth.a[0].token}"),
  ],
  ...[
    "${aws_iam_access_key.k.id}",
    "${google_service_account_key.k.private_key_type}",
    "${azurerm_kubernetes_cluster.k.fqdn}",
    '${join("", [aws_iam_access_key.k.id, aws_ssm_parameter.p.value])}',
    "${aws_eks_cluster_auth.k.name} token",
  ].map((value) => [value, [], "pass", "", output(value)] as const),
]);

describe("cluster Secrets of Argo CD", () => {
  it.each([
    ["a key in the environment", config(["execProviderConfig", "env"], { AWS_SECRET_ACCESS_KEY: "x" })],
    ["a version that is none", config(["execProviderConfig", "apiVersion"], "v1")],
    ["no object", config([], "no object")],
  ])("are judged each by itself: %s", (_, damage) => {
    const results = explained(damage(CLUSTER_SECRETS)).filter(({ subject }) => subject.endsWith("server"));
    expect(results.map(({ target, verdict }) => `${target} ${verdict === "allowed"}`)).toEqual(
      SPOKES.map((name) => `${name} ${name !== "eks-g"}`),
    );
  });
});

fleetChecks(ID, "a cluster Secret", { artefacts: CLUSTER_SECRETS, spoke: "eks-g" }, [
  ["a stored token", config(["bearerToken"], "x"), "fail", "secret material"],
]);
