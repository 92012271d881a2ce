import { describe, expect, it } from "vitest";
import { WORKLOAD, accessArtefacts } from "../../../fixtures/explain/access";
import { answer, checkOf, checks } from "../../../fixtures/explain/checks";
import { objects } from "../../../fixtures/explain/three-clouds";

const ID = "pods-configured";

type Cloud = "aws" | "azure" | "google";
type Fields = Readonly<Record<string, unknown>>;

const of = (cloud: Cloud) => ({ artefacts: accessArtefacts(cloud), serviceAccount: WORKLOAD });
/** Pods of the workload. */
const pods = (...specs: readonly Fields[]) =>
  objects(
    ...specs.map((spec, index) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: `web-${index}`,
        namespace: "shop",
        labels: { "azure.workload.identity/use": "true" },
      },
      spec: { serviceAccountName: "reports", ...spec },
    })),
  );

const DIRECTORY = "/var/run/secrets/workload-identity/google";
const VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
const written = accessArtefacts("google").get("stacks/fixture/pods/shop.reports.yaml") ?? "";
const [, AUDIENCE = ""] = /audience: (\S+)/.exec(written) ?? [];
const env = [{ name: VARIABLE, value: `${DIRECTORY}/credentials.json` }];
const mount = { name: "google", mountPath: DIRECTORY };
const whole = { name: "web", env, volumeMounts: [mount] };

/** A pod with these containers, and the volume with changes of its token and ConfigMap. */
function pod(containers: readonly Fields[], token: Fields = {}, configMap: Fields = {}): Fields {
  const sources = [
    { serviceAccountToken: { audience: AUDIENCE, expirationSeconds: 3600, path: "token", ...token } },
    { configMap: { name: "google-credentials-reports", ...configMap } },
  ];
  return { containers, volumes: [{ name: "google", projected: { sources } }] };
}
const item = (key: string, path: string): Fields => ({ items: [{ key, path }] });
const google = (...containers: readonly Fields[]) => pods(pod(containers));
const withToken = (token: Fields) => pods(pod([whole], token));
const lasting = (...seconds: readonly number[]) =>
  pods({
    containers: [whole],
    volumes: [
      {
        name: "google",
        projected: {
          sources: [
            ...seconds.map((expirationSeconds) => ({
              serviceAccountToken: { audience: AUDIENCE, expirationSeconds, path: "token" },
            })),
            { configMap: { name: "google-credentials-reports" } },
          ],
        },
      },
    ],
  });
const withConfigMap = (configMap: Fields) => pods(pod([whole], {}, configMap));
const ISSUES = "Kubernetes issues none under 600";

// cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes.
checks(ID, "a container on Google", of("google"), [
  ["with all it needs", google(whole), "pass"],
  ["beside one that needs nothing", google(whole, { name: "proxy" }), "pass"],
  [
    "with the variable set again, rightly",
    google({ ...whole, env: [{ name: VARIABLE, value: "/x" }, ...env] }),
    "pass",
  ],
  ["with a token of a day", withToken({ expirationSeconds: 86_400 }), "pass"],
  ["with the key as an item", withConfigMap(item("credentials.json", "credentials.json")), "pass"],
  [
    "with a path that is written otherwise",
    google({ ...whole, volumeMounts: [{ ...mount, mountPath: `${DIRECTORY}/` }] }),
    "pass",
  ],
  [
    "with the variable alone",
    google({ name: "a", volumeMounts: [mount] }, { name: "b", env }),
    "fail",
    "in the container b",
  ],
  ["without the variable", google({ ...whole, env: [] }), "fail", `does not set ${VARIABLE}`],
  [
    "with the variable set again, wrongly",
    google({ ...whole, env: [...env, { name: VARIABLE, value: "/x" }] }),
    "fail",
    `does not set ${VARIABLE}`,
  ],
  // kubernetes:pkg/volume/projected, collectData: the API server takes two tokens at one path, and the last one counts.
  ["with a token of two days before one of an hour", lasting(172_800, 3600), "pass"],
  ["with one of two days after it", lasting(3600, 172_800), "fail", "Google accepts at most 86400"],
  ["with another ConfigMap", withConfigMap({ name: "other" }), "fail", "does not mount the ConfigMap"],
  ["with a token at another path", withToken({ path: "other" }), "fail", "has no token at"],
  [
    "with a token of two days",
    withToken({ expirationSeconds: 172_800 }),
    "fail",
    "Google accepts at most 86400",
  ],
  ["with a token of a minute", withToken({ expirationSeconds: 60 }), "fail", ISSUES],
  [
    "with an item whose key is missing",
    withConfigMap(item("other", "credentials.json")),
    "fail",
    "mounts the key other",
  ],
  [
    "with an item under another path",
    withConfigMap(item("credentials.json", "other.json")),
    "fail",
    `does not set ${VARIABLE} to ${DIRECTORY}/other.json`,
  ],
  [
    "with only a part of the volume",
    google({ ...whole, volumeMounts: [{ ...mount, subPath: "token" }] }),
    "fail",
    "does not mount the ConfigMap",
  ],
  [
    "beside another init container",
    pods({ ...pod([whole]), initContainers: [{ name: "first", env }] }),
    "fail",
    "in the container first",
  ],
  ["of the second pod", pods(pod([whole]), pod([{ name: "b", env }])), "fail", "Pod shop/web-1"],
  [
    "with a variable from elsewhere",
    google({ ...whole, env: [{ name: VARIABLE, valueFrom: { fieldRef: {} } }] }),
    "unknown",
  ],
  [
    "with all variables from elsewhere",
    google({ ...whole, env: [], envFrom: [{ configMapRef: { name: "x" } }] }),
    "unknown",
  ],
  [
    "with a path that is known only there",
    google({ ...whole, volumeMounts: [{ ...mount, subPathExpr: "$(X)" }] }),
    "unknown",
  ],
]);

describe("the token of each pod on Google", () => {
  const foreign = pod([whole], { audience: "other" });
  it.each([
    ["first", [foreign, pod([whole])]],
    ["last", [pod([whole]), foreign]],
  ])("counts, with another audience %s", (_, specs) => {
    const result = answer(of("google"), pods(...specs));
    expect([result.verdict, checkOf(result, "audience-accepted").status]).toEqual(["denied", "fail"]);
  });
});

/** A pod whose second container sets variables of its own. */
const setting = (variables: Readonly<Record<string, string>>) => {
  const own = { name: "own", env: Object.entries(variables).map(([name, value]) => ({ name, value })) };
  return pods({ containers: [{ name: "web" }, own] });
};
const TOKEN_OF_AWS = "/var/run/secrets/eks.amazonaws.com/serviceaccount/token";
const X = "arn:aws:iam::1:role/x";
const PREFERRED = "which SDKs prefer to a token";

// aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go: containers that set a variable are left alone.
checks(ID, "a container on AWS", of("aws"), [
  ["that sets nothing of that", setting({ AWS_REGION: "x" }), "pass", "the webhook gives every pod"],
  ["with a role alone", setting({ AWS_ROLE_ARN: X }), "fail", "without AWS_WEB_IDENTITY_TOKEN_FILE"],
  [
    "with another role",
    setting({ AWS_ROLE_ARN: X, AWS_WEB_IDENTITY_TOKEN_FILE: TOKEN_OF_AWS }),
    "fail",
    `sets AWS_ROLE_ARN to ${X} in the container own`,
  ],
  ["with keys that last", setting({ AWS_ACCESS_KEY_ID: "AKIA" }), "fail", PREFERRED],
]);

// Azure/azure-workload-identity, pkg/webhook/webhook.go. Pods without the label are in azure.test.ts.
checks(ID, "a container on Azure", of("azure"), [
  ["of which no pod was read", [], "skipped", "no pod of it was read", { verdict: "allowed" }],
  ["that sets nothing of that", setting({ AZURE_REGION: "x" }), "pass", "webhook's label"],
  ["with a client secret", setting({ AZURE_CLIENT_SECRET: "x" }), "fail", PREFERRED],
  ["with another token", setting({ AZURE_FEDERATED_TOKEN_FILE: "/t" }), "fail", "no token is mounted there"],
  [
    "with another client id, where Terraform tells the right one",
    setting({ AZURE_CLIENT_ID: "x" }),
    "unknown",
    "or at which Entra, is not known",
  ],
  [
    "of a pod without the webhook's label",
    (files) => {
      const labelled = pods({ containers: [] })(files);
      return new Map(
        [...labelled].map(([path, text]) => [
          path,
          text.replace('"azure.workload.identity/use":"true"', '"app":"web"'),
        ]),
      );
    },
    "fail",
    'Pod shop/web-0 lacks the label azure.workload.identity/use: "true", so the webhook leaves its pods alone',
  ],
]);

describe("a container on AWS with a token of another audience", () => {
  it("is denied by that audience", () => {
    const manifest = accessArtefacts("aws").get("stacks/fixture/manifests/20-service-accounts.yaml") ?? "";
    const [, arn = ""] = /eks\.amazonaws\.com\/role-arn: (\S+)/.exec(manifest) ?? [];
    const variables = [
      { name: "AWS_ROLE_ARN", value: arn },
      { name: "AWS_WEB_IDENTITY_TOKEN_FILE", value: "/own/token" },
    ];
    const token = { serviceAccountToken: { path: "token", audience: "other" } };
    const spec = {
      containers: [{ name: "own", env: variables, volumeMounts: [{ name: "t", mountPath: "/own" }] }],
      volumes: [{ name: "t", projected: { sources: [token] } }],
    };
    const result = answer(of("aws"), pods(spec));
    expect([checkOf(result, ID).status, checkOf(result, "audience-accepted").status]).toEqual([
      "pass",
      "fail",
    ]);
  });
});

// kubernetes/kubernetes, pkg/apis/core/validation: the API server takes no pod with such a volume, whoever reads the token.
for (const cloud of ["aws", "azure", "google"] as const)
  checks(ID, `a token of a minute on ${cloud}`, of(cloud), [
    [
      "of anyone",
      pods({
        containers: [{ name: "web" }],
        volumes: [
          {
            name: "x",
            projected: { sources: [{ serviceAccountToken: { path: "x", expirationSeconds: 60 } }] },
          },
        ],
      }),
      "fail",
      ISSUES,
    ],
  ]);
