/*
 * The chain of a registry that decides by the token itself, and zot's configuration as zot reads it.
 */

import { TerraformStack } from "cdktf";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ExplainOptions, Explainer, compare, explain, readFactsFile } from "../../lib/explain";
import { kubernetes } from "../../lib/node";
import { harbor, quay, zot } from "../../lib/registries";
import { ImagePulls } from "../../lib/synth";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { edited, folderOf } from "../fixtures/explain/artefacts";
import { filesOf } from "../fixtures/synth/stack-fixture";
import { documentedCode } from "../support/markdown";
import { synthesized } from "../support/synthesized";

const ISSUER = "https://oidc.example.com/prod";
const ZOT = "zot.example.com";

const artefacts = new Map(
  Object.entries(
    filesOf(
      synthesized((app) => {
        const stack = new TerraformStack(app, "prod");
        new ImagePulls(stack, "pulls", {
          cluster: kubernetes({ name: "prod", version: "1.35", issuer: ISSUER }),
          pulls: [
            {
              serviceAccount: "shop/web",
              from: zot({ host: ZOT, repositories: ["shop/*"], executable: "echo" }),
            },
            {
              serviceAccount: "shop/web",
              from: harbor({ host: "harbor.example.com", repositories: ["base/*"] }),
            },
            {
              serviceAccount: "shop/web",
              from: quay({ host: "quay.io", robot: "acme+web", repositories: ["acme/web"] }),
            },
          ],
        });
      }),
    ),
  ),
);

type Edit = readonly [file: string, from: string, to: string];

/** The verdict and the link that decides it, of the pull of an image. */
function verdict(
  image: string,
  edits: readonly Edit[],
  options: ExplainOptions = {},
  ...more: readonly string[]
): string {
  const folder = folderOf(Object.fromEntries(edited(artefacts, edits)));
  const [result] = explain([folder, ...more], { serviceAccount: "shop/web", image }, options);
  const link = result?.checks.find(({ status }) => status === "fail" || status === "unknown");
  return `${result?.verdict ?? ""} ${result?.verdict === "allowed" ? (result.as ?? "") : (link?.id ?? "")}`;
}

const NODE = "all-nodes.yaml";
const RECORD = "workload-identity.json";
const ACCOUNTS = "20-service-accounts.yaml";
const STATED = "as stated";
const WEB = `system:serviceaccount:shop:web, ${STATED}`;

it("says what the registries let a service account read, and notices when it becomes more", () => {
  const wider: readonly Edit[] = [[`${ZOT}.json`, '"shop/**"', '"**"']];
  const [before, after] = [artefacts, edited(artefacts, wider)].map((files) =>
    folderOf(Object.fromEntries(files)),
  ) as [string, string];
  const reached = (folder: string): readonly string[] =>
    Explainer.read([folder])
      .reach("shop/web")
      .map(({ pattern, declared }) => `${pattern} ${declared ? "declared" : "not declared"}`);
  const elsewhere = ["harbor.example.com/base/* declared", "quay.io/acme/web declared"];
  expect(reached(before).toSorted()).toEqual([...elsewhere, `${ZOT}/shop/* declared`]);
  expect(reached(after).toSorted()).toEqual([...elsewhere, `${ZOT}/* not declared`]);
  expect(Explainer.read([before]).audit()).toEqual([]);
  expect(Explainer.read([after]).audit()).toMatchObject([
    { id: "permission-wide", reason: `it may read ${ZOT}/*, which is more than was declared` },
  ]);
  expect(compare([before], [after]).changes).toMatchObject([
    { target: expect.stringContaining(`${ZOT}/*`) as string },
  ]);
});

it.each<[why: string, image: string, edits: readonly Edit[], verdict: string]>([
  ["as written, by the part of zot's configuration", `${ZOT}/shop/a`, [], `allowed ${WEB}`],
  ["as written, by the record", "harbor.example.com/base/a", [], `allowed ${WEB}`],
  ["the robot account", "quay.io/acme/web", [], `allowed acme+web, ${STATED}`],
  ["another repository of zot", `${ZOT}/other/a`, [], "denied repository-permitted"],
  ["another repository of Harbor", "harbor.example.com/other/a", [], "denied repository-permitted"],
  // kubernetes:pkg/credentialprovider/plugin/plugin.go
  [
    "the token cached by service account",
    `${ZOT}/shop/a`,
    [[NODE, "cacheType: Token", "cacheType: ServiceAccount"]],
    "denied provider-on-node",
  ],
  [
    "other arguments",
    "harbor.example.com/base/a",
    [[NODE, "--username=jwt", "--username=robot"]],
    "unknown provider-on-node",
  ],
  [
    "another audience in the entry",
    "quay.io/acme/web",
    [[NODE, "serviceAccountTokenAudience: quay.io", "serviceAccountTokenAudience: quay"]],
    "denied audience-granted",
  ],
  [
    "another audience in the registry",
    "harbor.example.com/base/a",
    [[RECORD, '"audience": "harbor.example.com"', '"audience": "harbor"']],
    "denied audience-accepted",
  ],
  [
    "no grant of the audience",
    "quay.io/acme/web",
    [["10-token-audience.yaml", "- quay.io", "- quay"]],
    "denied audience-granted",
  ],
  [
    "no annotation",
    "quay.io/acme/web",
    [[ACCOUNTS, "quay.io/federated-robot-account: acme+web", "a: b"]],
    "denied annotations-present",
  ],
  // cmd/quay-credential-provider/root.go asks this host instead.
  [
    "an annotation of the plugin that is not stated",
    "quay.io/acme/web",
    [
      [
        ACCOUNTS,
        "quay.io/federated-robot-account: acme+web",
        "quay.io/federated-robot-account: acme+web\n    quay.io/host-override: x.example.com",
      ],
    ],
    "unknown annotations-present",
  ],
  ["another robot", "quay.io/acme/web", [[ACCOUNTS, "acme+web", "acme+jobs"]], "denied annotations-present"],
  [
    "another issuer in the registry",
    "harbor.example.com/base/a",
    [
      [
        RECORD,
        `"issuer": "${ISSUER}",\n          "echoesToken"`,
        `"issuer": "${ISSUER}/",\n          "echoesToken"`,
      ],
    ],
    "denied issuer-trusted",
  ],
  [
    "no statement",
    "quay.io/acme/web",
    [[RECORD, '"quay.io": {', '"other.example.com": {']],
    "unknown provider-on-node",
  ],
  [
    "another subject in the statement",
    "harbor.example.com/base/a",
    [
      [
        RECORD,
        '"serviceAccount": "shop/web",\n              "repositories": [\n                "base/*"',
        '"serviceAccount": "shop/jobs",\n              "repositories": [\n                "base/*"',
      ],
    ],
    "denied subject-admitted",
  ],
])("%s", (_, image, edits, expected) => {
  const answer = verdict(image, edits);
  expect(answer).toBe(expected);
});

type Config = {
  http: { auth: { bearer: Record<string, unknown> }; accessControl?: Record<string, unknown> };
};

const user = `${ISSUER}/system:serviceaccount:shop:web`;
const read = (users: readonly string[]): object => ({ policies: [{ users, actions: ["read"] }] });
const provider = { issuer: ISSUER, audiences: [ZOT] };

function config(repositories: object, bearer: object = {}, control: object = {}): Config {
  const service = { realm: `https://${ZOT}/zot/auth/token`, service: ZOT, oidc: [provider], ...bearer };
  return { http: { auth: { bearer: service }, accessControl: { repositories, ...control } } };
}

const shop = config({ "shop/**": read([user]) });

/** Each row was tried with zot itself, built from its sources of August 2026, a token endpoint and a manifest of an image. */
describe("zot's own configuration", () => {
  it.each<[why: string, configuration: object, repository: string, verdict: string]>([
    ["a pattern of paths", shop, "shop/a/b", "allowed"],
    ["a pattern of paths, the path itself", shop, "shop", "allowed"],
    ["no pattern", shop, "other", "denied repository-permitted"],
    ["one part of a path", config({ "shop/*": read([user]) }), "shop/a", "allowed"],
    [
      "one part of a path, and two",
      config({ "shop/*": read([user]) }),
      "shop/a/b",
      "denied repository-permitted",
    ],
    [
      "the longest pattern alone",
      config({ "shop/**": read([user]), "shop/secret": read(["other"]) }),
      "shop/secret",
      "denied repository-permitted",
    ],
    [
      "a whole name that is no longer than a pattern",
      config({ "shop/**": read(["other"]), "shop/a": read([user]) }),
      "shop/a",
      "denied repository-permitted",
    ],
    ["what every bearer may read", config({ "**": { defaultPolicy: ["read"] } }), "other", "allowed"],
    [
      "what anonymous clients may read",
      config({ "**": { anonymousPolicy: ["read"] } }),
      "other",
      "denied repository-permitted",
    ],
    ["a user that is a star", config({ "**": read(["*"]) }), "other", "denied repository-permitted"],
    [
      "groups of the configuration",
      config(
        { "**": { policies: [{ groups: ["g"], actions: ["read"] }] } },
        {},
        { groups: { g: { users: [user] } } },
      ),
      "other",
      "denied repository-permitted",
    ],
    [
      "an administrator",
      config({}, {}, { adminPolicy: { users: [user], actions: ["read"] } }),
      "other",
      "allowed",
    ],
    [
      "another action",
      config({ "**": { policies: [{ users: [user], actions: ["create"] }] } }),
      "other",
      "denied repository-permitted",
    ],
    ["no access control", { http: { auth: shop.http.auth } }, "other", "allowed"],
    ["an empty access control", { http: { auth: shop.http.auth, accessControl: {} } }, "other", "allowed"],
    [
      "access control in other letters",
      { http: { auth: shop.http.auth, accesscontrol: {} } },
      "other",
      "unknown issuer-trusted",
    ],
    [
      "an issuer with a slash",
      config({ "**": read([user]) }, { oidc: [{ ...provider, issuer: `${ISSUER}/` }] }),
      "shop",
      "denied issuer-trusted",
    ],
    [
      "another audience",
      config({ "**": read([user]) }, { oidc: [{ ...provider, audiences: ["zot"] }] }),
      "shop",
      "denied audience-accepted",
    ],
    [
      "a second audience and another issuer before",
      config(
        { "**": read([user]) },
        {
          oidc: [
            { issuer: "https://x.example.com", audiences: [ZOT] },
            { ...provider, audiences: ["z", ZOT] },
          ],
        },
      ),
      "shop",
      "allowed",
    ],
    ["no realm", config({ "**": read([user]) }, { realm: undefined }), "shop", "denied issuer-trusted"],
    [
      "a condition",
      config({
        "**": { policies: [{ users: [user], actions: ["read"], conditions: [{ expression: "false" }] }] },
      }),
      "shop",
      "unknown repository-permitted",
    ],
    [
      "a mapping of claims",
      config({ "**": read([user]) }, { oidc: [{ ...provider, claimMapping: { username: "claims.sub" } }] }),
      "shop",
      "unknown issuer-trusted",
    ],
    [
      "a pattern that is not judged",
      config({ "sh?p": read([user]) }),
      "shop",
      "unknown repository-permitted",
    ],
    [
      "another service",
      config({ "**": read(["other"]) }, { service: "other.example.com" }),
      "shop/a",
      "allowed",
    ],
  ])("%s", (_, configuration, repository, expected) => {
    const file = join(mkdtempSync(join(temporaryFolder(), "zot-")), "config.json");
    writeFileSync(file, JSON.stringify({ storage: {}, ...configuration }));
    const answer = verdict(`${ZOT}/${repository}`, [], {}, file);
    expect(answer.startsWith("allowed") ? "allowed" : answer).toBe(expected);
    expect(answer.includes(STATED)).toBe(_ === "another service");
  });
});

it("takes the facts of the documentation", () => {
  const blocks = documentedCode().filter(
    ({ file, language }) => file === "docs/registries.md" && language === "yaml",
  );
  expect(blocks).toHaveLength(1);
  const facts = readFactsFile(join(folderOf({ "facts.yaml": blocks[0]?.code ?? "" }), "facts.yaml"));
  expect(Object.keys(facts.cluster?.tokenRegistries ?? {})).toEqual(["registry.example.com"]);
});
