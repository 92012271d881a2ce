import { describe, expect, it } from "vitest";
import { WORKLOAD, accessArtefacts, reasonOf, resultOf } from "../../../fixtures/explain/access";
import { type Artefacts, statuses } from "../../../fixtures/explain/artefacts";

const clouds = ["aws", "azure", "google"] as const;

type Cloud = (typeof clouds)[number];
type Fields = Readonly<Record<string, unknown>>;

const written = {
  aws: accessArtefacts("aws"),
  azure: accessArtefacts("azure"),
  google: accessArtefacts("google"),
};

const DIRECTORY = "/var/run/secrets/workload-identity/google";
const VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
const [, AUDIENCE = ""] =
  /audience: (\S+)/.exec(written.google.get("stacks/fixture/pods/shop.reports.yaml") ?? "") ?? [];

/** The artefacts with pods of the workload beside them. */
function withPods(cloud: Cloud, pods: readonly Fields[]): Artefacts {
  const path = "stacks/fixture/manifests/20-service-accounts.yaml";
  const documents = pods.map((spec, index) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: `web-${index}`,
        namespace: "shop",
        labels: { "azure.workload.identity/use": "true" },
      },
      spec: { serviceAccountName: "reports", ...spec },
    }),
  );
  return new Map([...written[cloud], [path, [written[cloud].get(path) ?? "", ...documents].join("\n---\n")]]);
}

function podsAnswer(
  cloud: Cloud,
  ...pods: readonly Fields[]
): readonly [status: string | undefined, reason: string] {
  const result = resultOf(withPods(cloud, pods), WORKLOAD);
  return [statuses(result)["pods-configured"], reasonOf(result, "pods-configured")];
}

const env = [{ name: VARIABLE, value: `${DIRECTORY}/credentials.json` }];
const mount = { name: "google", mountPath: DIRECTORY };
const whole = { name: "web", env, volumeMounts: [mount] };

interface VolumeChange {
  readonly token?: Fields;
  readonly configMap?: Fields;
}

function pod(containers: readonly Fields[], { token = {}, configMap = {} }: VolumeChange = {}): Fields {
  const sources = [
    { serviceAccountToken: { audience: AUDIENCE, expirationSeconds: 3600, path: "token", ...token } },
    { configMap: { name: "google-credentials-reports", ...configMap } },
  ];
  return { containers, volumes: [{ name: "google", projected: { sources } }] };
}

describe("pods of a workload of Google", () => {
  it.each<[string, Fields]>([
    ["with all in one container", pod([whole])],
    ["beside a container that needs nothing", pod([whole, { name: "proxy" }])],
    [
      "with the variable set again, rightly",
      pod([{ ...whole, env: [{ name: VARIABLE, value: "/x" }, ...env] }]),
    ],
    ["with a token of a day", pod([whole], { token: { expirationSeconds: 86_400 } })],
    [
      "with the key as an item",
      pod([whole], { configMap: { items: [{ key: "credentials.json", path: "credentials.json" }] } }),
    ],
    [
      "with a path that is written otherwise",
      pod([{ ...whole, volumeMounts: [{ ...mount, mountPath: `${DIRECTORY}/` }] }]),
    ],
  ])("pass %s", (_, spec) => {
    expect(podsAnswer("google", spec)[0]).toBe("pass");
    expect(resultOf(withPods("google", [spec]), WORKLOAD).verdict).toBe("allowed");
  });

  it.each<[string, Fields, string]>([
    [
      "mount in one container, variable in another",
      pod([
        { name: "a", volumeMounts: [mount] },
        { name: "b", env },
      ]),
      "in the container b",
    ],
    [
      "the variable set again, wrongly",
      pod([{ ...whole, env: [...env, { name: VARIABLE, value: "/x" }] }]),
      `does not set ${VARIABLE}`,
    ],
    [
      "a token of two days",
      pod([whole], { token: { expirationSeconds: 172_800 } }),
      "Google accepts at most 86400",
    ],
    [
      "a token of a minute",
      pod([whole], { token: { expirationSeconds: 60 } }),
      "Kubernetes issues none under 600",
    ],
    [
      "an item whose key is missing",
      pod([whole], { configMap: { items: [{ key: "other", path: "credentials.json" }] } }),
      "mounts the key other",
    ],
    [
      "an item under another path",
      pod([whole], { configMap: { items: [{ key: "credentials.json", path: "other.json" }] } }),
      `does not set ${VARIABLE} to ${DIRECTORY}/other.json`,
    ],
    [
      "only a part of the volume",
      pod([{ ...whole, volumeMounts: [{ ...mount, subPath: "token" }] }]),
      "does not mount the ConfigMap",
    ],
    [
      "another init container",
      { ...pod([whole]), initContainers: [{ name: "first", env }] },
      "in the container first",
    ],
  ])("fail with %s", (_, spec, says) => {
    expect(podsAnswer("google", spec)).toEqual(["fail", expect.stringContaining(says)]);
  });

  it.each<[string, Fields]>([
    [
      "the variable comes from elsewhere",
      pod([{ ...whole, env: [{ name: VARIABLE, valueFrom: { fieldRef: {} } }] }]),
    ],
    [
      "the variables come from elsewhere",
      pod([{ ...whole, env: [], envFrom: [{ configMapRef: { name: "x" } }] }]),
    ],
    [
      "the path of the mount is known only there",
      pod([{ ...whole, volumeMounts: [{ ...mount, subPathExpr: "$(X)" }] }]),
    ],
  ])("cannot be determined where %s", (_, spec) => {
    expect(podsAnswer("google", spec)[0]).toBe("unknown");
  });

  it("are judged each, by the audience of each one's token", () => {
    const foreign = pod([whole], { token: { audience: "other" } });
    for (const pods of [
      [pod([whole]), foreign],
      [foreign, pod([whole])],
    ]) {
      const result = resultOf(withPods("google", pods), WORKLOAD);
      expect([result.verdict, statuses(result)["audience-accepted"]]).toEqual(["denied", "fail"]);
    }
    expect(podsAnswer("google", pod([whole]), pod([{ name: "b", env }]))).toEqual([
      "fail",
      expect.stringContaining("Pod shop/web-1"),
    ]);
  });
});

// aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go; Azure/azure-workload-identity, pkg/webhook/webhook.go.
describe("containers that the webhook leaves alone", () => {
  const container = (...pairs: readonly (readonly [name: string, value: string])[]): Fields => ({
    containers: [{ name: "web" }, { name: "own", env: pairs.map(([name, value]) => ({ name, value })) }],
  });
  const TOKEN_OF_AWS = "/var/run/secrets/eks.amazonaws.com/serviceaccount/token";

  it.each<[string, Cloud, Fields, string, string]>([
    [
      "a role alone",
      "aws",
      container(["AWS_ROLE_ARN", "arn:aws:iam::1:role/x"]),
      "fail",
      "without AWS_WEB_IDENTITY_TOKEN_FILE",
    ],
    [
      "another role",
      "aws",
      container(["AWS_ROLE_ARN", "arn:aws:iam::1:role/x"], ["AWS_WEB_IDENTITY_TOKEN_FILE", TOKEN_OF_AWS]),
      "fail",
      "sets AWS_ROLE_ARN to arn:aws:iam::1:role/x in the container own",
    ],
    [
      "keys that last",
      "aws",
      container(["AWS_ACCESS_KEY_ID", "AKIA"]),
      "fail",
      "which SDKs prefer to a token",
    ],
    ["nothing of that", "aws", container(["AWS_REGION", "x"]), "pass", "the webhook gives every pod"],
    [
      "a client secret",
      "azure",
      container(["AZURE_CLIENT_SECRET", "x"]),
      "fail",
      "which SDKs prefer to a token",
    ],
    [
      "another token",
      "azure",
      container(["AZURE_FEDERATED_TOKEN_FILE", "/t"]),
      "fail",
      "no token is mounted there",
    ],
    [
      "another client id, where Terraform tells the right one",
      "azure",
      container(["AZURE_CLIENT_ID", "x"]),
      "unknown",
      "or at which Entra, is not known",
    ],
    ["nothing of that", "azure", container(["AZURE_REGION", "x"]), "pass", "webhook's label"],
  ])("%s on %s", (_, cloud, spec, status, says) => {
    expect(podsAnswer(cloud, spec)).toEqual([status, expect.stringContaining(says)]);
  });

  it("with a token of another audience on AWS are denied by that audience", () => {
    const arn = /eks\.amazonaws\.com\/role-arn: (\S+)/.exec(
      written.aws.get("stacks/fixture/manifests/20-service-accounts.yaml") ?? "",
    )?.[1];
    const own = container(["AWS_ROLE_ARN", arn ?? ""], ["AWS_WEB_IDENTITY_TOKEN_FILE", "/own/token"]);
    const spec = {
      containers: [
        { ...(own["containers"] as readonly Fields[])[1], volumeMounts: [{ name: "t", mountPath: "/own" }] },
      ],
      volumes: [
        {
          name: "t",
          projected: { sources: [{ serviceAccountToken: { path: "token", audience: "other" } }] },
        },
      ],
    };
    const result = resultOf(withPods("aws", [spec]), WORKLOAD);
    expect([statuses(result)["pods-configured"], statuses(result)["audience-accepted"]]).toEqual([
      "pass",
      "fail",
    ]);
  });
});

// kubernetes/kubernetes, pkg/apis/core/validation: the API server takes no pod with such a volume, whoever reads the token.
it.each(clouds)("pods with a token of a minute are refused, on %s", (cloud) => {
  const projected = { sources: [{ serviceAccountToken: { path: "x", expirationSeconds: 60 } }] };
  expect(podsAnswer(cloud, { containers: [{ name: "web" }], volumes: [{ name: "x", projected }] })).toEqual([
    "fail",
    expect.stringContaining("Kubernetes issues none under 600"),
  ]);
});
