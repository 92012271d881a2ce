import { describe, expect, it } from "vitest";
import { INGRESS, WORKLOAD, accessArtefacts } from "../../../fixtures/explain/access";
import { synthesized } from "../../../fixtures/explain/artefacts";
import { answer, checkOf, checks } from "../../../fixtures/explain/checks";
import { POOL, acr, ecr, node, rbac, terraform, tools } from "../../../fixtures/explain/three-clouds";

const ID = "audience-accepted";
const CLIENTS = '[\n          "sts.amazonaws.com"\n        ]';

// Which OIDC provider of the account counts is in test/explain/aws/trust.test.ts.
checks(ID, "AWS", ecr, [
  ["as written", [], "pass"],
  [
    "another one in the list of client ids",
    terraform(CLIENTS, '[\n          "sts"\n        ]'),
    "fail",
    "the OIDC provider accepts sts,",
    { log: "InvalidIdentityToken: Incorrect token audience" },
  ],
  [
    "another one in the trust policy",
    terraform(':aud\\":\\"sts.amazonaws.com\\"', ':aud\\":\\"sts.amazonaws.com.cn\\"'),
    "fail",
    "does not admit the audience",
    { log: "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity" },
  ],
  [
    "client ids known only after apply",
    terraform(CLIENTS, '"${var.audiences}"'),
    "unknown",
    "which audiences the OIDC provider accepts is not known",
  ],
]);

checks(ID, "Azure", acr, [
  [
    "another one",
    terraform("api://AzureADTokenExchange", "api://AzureADTokenExchangeUSGov"),
    "fail",
    "has the audience api://AzureADTokenExchange;",
    { log: "AADSTS700212" },
  ],
  [
    "none",
    terraform(/"audience": \[[^\]]*\]/.exec([...acr.artefacts.values()].join())?.[0] ?? "", '"audience": []'),
    "fail",
  ],
]);

const OWN = `https://${POOL}/providers/k8s-edge-1`;
const ALLOWED = `"allowed_audiences": [
            "${OWN}"
          ]`;
const none = terraform(ALLOWED, '"allowed_audiences": null');
/** The audience of the token that the kubelet requests. */
const requested = (audience: string) => [
  node(`serviceAccountTokenAudience: ${OWN}`, `serviceAccountTokenAudience: ${audience}`),
  rbac(`- ${OWN}`, `- ${audience}`),
];

// REST reference of projects.locations.workloadIdentityPools.providers, `allowedAudiences`.
checks(ID, "Google", tools, [
  [
    "another one",
    terraform(`"${OWN}"`, '"sts.googleapis.com"'),
    "fail",
    "the pool provider accepts sts.googleapis.com",
    { log: "does not match the expected audience" },
  ],
  ["without https:, named", terraform(`"https://${POOL}`, `"//${POOL}`), "fail", "accepts //iam"],
  ["none named: the pool provider's own name", none, "pass", "accepts"],
  ["an empty list", terraform(ALLOWED, '"allowed_audiences": []'), "pass", "accepts"],
  [
    "none named, the token is for the name without https:",
    [none, ...requested(OWN.slice("https:".length))],
    "pass",
    "accepts //iam",
  ],
  [
    "none named, the token is for another provider of the pool",
    [none, ...requested(`https://${POOL}/providers/other`)],
    "fail",
    "the token is for",
  ],
  [
    "known only after apply",
    terraform(
      '"https://iam.googleapis.com/projects/123456789012/',
      '"https://iam.googleapis.com/projects/${google_project.p.number}/',
    ),
    "unknown",
    "known only after apply",
  ],
  [
    "a list known only after apply",
    terraform(ALLOWED, '"allowed_audiences": "${var.a}"'),
    "unknown",
    "only after apply",
  ],
]);

const TOKEN = "the token of the component";
checks(ID, `${TOKEN} on AWS`, { artefacts: accessArtefacts("aws"), serviceAccount: INGRESS }, [
  [
    "another one",
    terraform(String.raw`:aud\":\"openshift\"`, String.raw`:aud\":\"sts.amazonaws.com\"`),
    "fail",
  ],
  // ccoctl writes trust policies so.
  [
    "any, which is too wide",
    terraform(String.raw`\"oidc.example.com/c1:aud\":\"openshift\",`, ""),
    "pass",
    "",
    { evidence: "\nwider than needed: the trust policy does not compare the audience" },
  ],
]);
checks(ID, `${TOKEN} on Azure`, { artefacts: accessArtefacts("azure"), serviceAccount: INGRESS }, [
  ["another one", terraform('"openshift"', '"api://AzureADTokenExchange"'), "fail"],
]);
const google = accessArtefacts("google");
checks(ID, `${TOKEN} on Google`, { artefacts: google, serviceAccount: INGRESS }, [
  ["another one", terraform('"openshift"', '"other"'), "fail"],
]);
checks(ID, "the token of a workload on Google", { artefacts: google, serviceAccount: WORKLOAD }, [
  ["of which no pod was read", ["workload-identity.json", '"pods"', '"others"'], "unknown"],
]);

const REFERENCE = "${aws_cloudfront_distribution.issuer_Distribution_6D5A4523.domain_name}";
checks(
  ID,
  "an issuer known only after apply",
  { artefacts: synthesized("openshift-manual-aws"), serviceAccount: INGRESS },
  [
    ["compared by its reference", [], "pass"],
    ["compared with a literal host", terraform(`${REFERENCE}:aud`, "oidc.example.com:aud"), "unknown"],
  ],
);

describe("a narrow trust policy", () => {
  it("is not shown as too wide", () => {
    const { evidence } = checkOf(answer({ artefacts: accessArtefacts("aws"), serviceAccount: INGRESS }), ID);
    expect(evidence.filter(({ text }) => text.startsWith("wider"))).toEqual([]);
  });
});
