import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type ExplainOptions,
  Explainer,
  type Finding,
  renderJson,
  renderSarif,
  renderText,
} from "../../lib/explain";
import { AUDIT_HELP } from "../../lib/explain/audit/rows";
import { serviceAccountText } from "../../lib/model/namespaced-name";
import { type Artefacts, type Edit, edited, folderOf, synthesized } from "../fixtures/explain/artefacts";
import { adding, changed, policy } from "../fixtures/explain/changed";

type Change = Parameters<typeof changed>[0];
const TOOLS =
  "principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/subject/system:serviceaccount:shop:tools";
const aws = synthesized("openshift-aws");
const clouds = synthesized("three-clouds");
const components = synthesized("openshift-manual-aws");
const TF = "cdk.tf.json";
const ACCOUNTS = "20-service-accounts.yaml";

function audited(
  artefacts: Artefacts | Readonly<Record<string, string>>,
  options: ExplainOptions = {},
): readonly Finding[] {
  const found = Explainer.read([folderOf(artefacts)], options).audit();
  // Each finding says where.
  for (const { id, evidence } of found)
    expect([id, evidence.some(({ source }) => source !== undefined && existsSync(source.file))]).toEqual([
      id,
      true,
    ]);
  return found;
}

/** Id, severity, subject, target and file of each. */
function brief(findings: readonly Finding[]): unknown {
  return findings.map(({ id, severity, subject, target, evidence }) => [
    id,
    severity,
    subject,
    target.split("/").at(-1),
    evidence
      .find(({ source }) => source)
      ?.source?.file.split("/")
      .at(-1),
  ]);
}

const SUBJECT =
  '\\"StringEquals\\":{\\"d111111abcdef8.cloudfront.net:aud\\":\\"sts.amazonaws.com\\",\\"d111111abcdef8.cloudfront.net:sub\\":\\"system:serviceaccount:shop:web\\"';

function likeSubject(pattern: string): Edit {
  return [TF, SUBJECT, SUBJECT.replace("StringEquals", "StringLike").replace("shop:web", pattern)];
}

describe("nothing", () => {
  it.each([
    ["openshift-aws", aws],
    ["three-clouds", clouds],
    ["openshift-manual-aws", components],
    ["openshift-manual-azure", synthesized("openshift-manual-azure")],
    ["openshift-manual-google", synthesized("openshift-manual-google")],
  ])("is found in %s", (_, artefacts) => {
    expect(brief(audited(artefacts))).toEqual([]);
  });
});

describe("subject-wide", () => {
  it.each([
    ["*", "every service account of every namespace"],
    ["shop:*", "every service account of namespace shop"],
    ["shop:web*", "every service account of namespace shop whose name begins with web"],
    ["shop:we?", "every service account of namespace shop whose name differs from web in its last character"],
    ["shop*:web", "the service account web of every namespace whose name begins with shop"],
    ["*shop:web", "the service account web of every namespace whose name ends with shop"],
    ["shop:*web", "every service account of namespace shop whose name ends with web"],
    ["*:web", "the service account web of every namespace"],
  ])("names whom %s lets in", (pattern, who) => {
    const found = audited(edited(aws, [likeSubject(pattern)]));
    expect(brief(found)).toEqual([["subject-wide", "error", "shop/web", "prod-eu_shop_web", TF]]);
    expect(found[0]?.reason).toBe(`the identity admits ${who}`);
  });

  it("sees a principal set of Google that holds every service account of the pool", () => {
    const found = audited(
      edited(clouds, [
        [
          TF,
          "principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/subject/system:serviceaccount:shop:tools",
          "principalSet://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/*",
        ],
        [
          TF,
          '"attribute_condition": "assertion.sub in [\'system:serviceaccount:shop:tools\']"',
          '"attribute_condition": "assertion.sub != \'\'"',
        ],
      ]),
    );
    expect(found.map(({ id, subject }) => [id, subject])).toContainEqual(["subject-wide", "shop/tools"]);
  });

  it("sees a component's role", () => {
    const found = audited(
      edited(components, [
        [TF, '\\"StringEquals\\":', '\\"StringLike\\":'],
        [
          TF,
          "system:serviceaccount:openshift-image-registry:registry",
          "system:serviceaccount:openshift-image-registry:*",
        ],
      ]),
    );
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(["subject-wide"]));
  });
});

it("audience-missing: trust that does not compare the audience", () => {
  const found = audited(
    edited(aws, [
      [TF, SUBJECT, SUBJECT.replace('\\"d111111abcdef8.cloudfront.net:aud\\":\\"sts.amazonaws.com\\",', "")],
    ]),
  );
  expect(brief(found)).toEqual([["audience-missing", "error", "shop/web", "prod-eu_shop_web", TF]]);
});

const ARN = "arn:aws:iam::111122223333:role/prod-eu_shop_web";

function accountText(namespace: string, name: string): string {
  return `---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\n  annotations:\n    eks.amazonaws.com/ecr-role-arn: ${ARN}\n`;
}

function withAccount(namespace: string, name: string): Artefacts {
  return new Map(
    [...aws].map(([path, text]) => [
      path,
      path.endsWith(ACCOUNTS) ? text + accountText(namespace, name) : text,
    ]),
  );
}

it("default-annotated: also where the identity does not let it in yet", () => {
  expect(brief(audited(withAccount("shop", "default")))).toEqual([
    ["default-annotated", "warning", "shop/default", "prod-eu_shop_web", TF],
  ]);
});

describe("identity-shared", () => {
  const both = SUBJECT.replace(
    '\\"system:serviceaccount:shop:web\\"',
    '[\\"system:serviceaccount:shop:web\\",\\"system:serviceaccount:batch:web\\"]',
  );

  it("between namespaces", () => {
    const [found, ...others] = audited(edited(withAccount("batch", "web"), [[TF, SUBJECT, both]]));
    expect(found).toMatchObject({
      id: "identity-shared",
      subject: ARN,
      stack: "prod-eu",
      reason: "service accounts of 2 namespaces share the identity: batch/web, shop/web",
    });
    expect(others).toEqual([]);
  });

  it("between clusters", () => {
    // The list of the synth's stacks would leave the other one out.
    const own = [...aws].filter(([path]) => path.includes("/prod-eu/"));
    const other = own.map(([path, text]): [string, string] => [
      path.replace("/prod-eu/", "/prod-us/"),
      path.endsWith("workload-identity.json")
        ? text.replace('"stack": "prod-eu"', '"stack": "prod-us"')
        : text,
    ]);
    const found = audited(new Map([...own, ...other]));
    expect(found.map(({ id, stack, subject, reason }) => [id, stack, subject.split("/")[1], reason])).toEqual(
      [
        [
          "identity-shared",
          "",
          "prod-eu_batch_jobs",
          "service accounts of 2 clusters share the identity: prod-eu: batch/jobs, prod-us: batch/jobs",
        ],
        [
          "identity-shared",
          "",
          "prod-eu_shop_web",
          "service accounts of 2 clusters share the identity: prod-eu: shop/web, prod-us: shop/web",
        ],
      ],
    );
  });

  it.each([
    ["subscriptions that the files do not name", "", "", 0],
    [
      "subscriptions",
      '"subscription_id": "0b1f6471-1bf0-4dda-aec3-cb9272f09590"',
      "1b1f6471-1bf0-4dda-aec3-cb9272f09590",
      0,
    ],
    ["one subscription", "0b1f6471-1bf0-4dda-aec3-cb9272f09590", "0b1f6471-1bf0-4dda-aec3-cb9272f09590", 1],
  ])("between clusters whose Azure identities have one Terraform address: in %s", (_, from, to, count) => {
    const own = [...clouds].filter(([path]) => path.includes("/edge-1/"));
    const stated = '"subscription_id": "0b1f6471-1bf0-4dda-aec3-cb9272f09590"';
    const changed = (text: string, second: boolean): string => {
      const late = from === "" ? text.replace(stated, '"client_id": "x"') : text;
      return second && to !== "" ? late.replace(stated, `"subscription_id": "${to}"`) : late;
    };
    const other = own.map(([path, text]): [string, string] => [
      path.replace("/edge-1/", "/edge-2/"),
      path.endsWith("workload-identity.json")
        ? text.replace('"stack": "edge-1"', '"stack": "edge-2"')
        : changed(text, path.endsWith(TF)),
    ]);
    const first = own.map(([path, text]): [string, string] => [path, changed(text, false)]);
    const found = audited(new Map([...first, ...other])).filter(
      ({ id, subject }) => id === "identity-shared" && subject.startsWith("azurerm_"),
    );
    expect(found).toHaveLength(count);
  });

  it("not where the identity refuses the other", () => {
    expect(brief(audited(withAccount("batch", "web")))).toEqual([]);
  });
});

it("permission-wide: more than was declared", () => {
  const found = audited(edited(aws, [[TF, "repository/shop/web", "repository/shop/*"]]));
  expect(found.map(({ id, severity, subject }) => [id, severity, subject])).toEqual([
    ["permission-wide", "warning", "shop/web"],
  ]);
  expect(found[0]?.reason).toContain(".amazonaws.com/shop/*, which is more than was declared");
});

describe("grants to others", () => {
  const READER = { project: "acme-images", location: "europe-west1", role: "roles/artifactregistry.reader" };
  const members = (...all: readonly string[]): Edit => [
    TF,
    '"google_iam_workload_identity_pool": {',
    `"google_artifact_registry_repository_iam_binding": ${JSON.stringify({
      more: { ...READER, repository: "base", members: all },
    })},"google_iam_workload_identity_pool": {`,
  ];
  const assigned: Edit = [
    TF,
    '"azurerm_role_assignment": {',
    `"azurerm_role_assignment": {"more": ${JSON.stringify({
      scope: "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590",
      role_definition_name: "AcrPull",
      principal_id: "99999999-9999-9999-9999-999999999999",
    })},`,
  ];
  const ON =
    "roles/artifactregistry.reader on artifact registry repository base of acme-images in europe-west1";
  const pool =
    "principalSet://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools";

  it.each<[string, Edit, readonly unknown[]]>([
    [
      "everyone",
      members("allUsers"),
      [["granted-to-everyone", "warning", "allUsers", `anyone is granted ${ON}`]],
    ],
    [
      "a person",
      members("user:eve@example.com"),
      [
        [
          "granted-elsewhere",
          "note",
          "user:eve@example.com",
          `a principal that is not declared here is granted ${ON}`,
        ],
      ],
    ],
    [
      "another pool",
      members(`${pool}/other/*`),
      [
        [
          "granted-elsewhere",
          "note",
          `${pool}/other/*`,
          `a principal that is not declared here is granted ${ON}`,
        ],
      ],
    ],
    ["a pool of these files", members(`${pool}/k8s-edge-1/attribute.namespace/other`), []],
    [
      "an id that is none of these identities",
      assigned,
      [
        [
          ...["granted-elsewhere", "note", "principal 99999999-9999-9999-9999-999999999999"],
          "a principal that is not declared here is granted AcrPull on /subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590",
        ],
      ],
    ],
  ])("%s", (_, edit, expected) => {
    const found = audited(edited(clouds, [edit])).filter(({ id }) => id.startsWith("granted-"));
    expect(found.map(({ id, severity, subject, reason }) => [id, severity, subject, reason])).toEqual(
      expected,
    );
    expect(
      found.flatMap(({ evidence }) => evidence.map(({ source }) => source?.path.split(".").at(-1))),
    ).toEqual(expected.map(() => "more"));
  });
});

it("node-pulls: entries without tokens, and entries that run for pods without them", () => {
  const found = audited(
    edited(clouds, [["all-nodes.yaml", "requireServiceAccount: true", "requireServiceAccount: false"]]),
  );
  expect(found.map(({ id, severity, target }) => [id, severity, target])).toEqual(
    ["ecr", "acr", "auth-provider"].map((name) => ["node-pulls", "note", expect.stringContaining(name)]),
  );
});

describe("key-dropped", () => {
  const ISSUER = "https://acme-oidc.s3.eu-west-1.amazonaws.com";
  const key = (kid: string): object => ({ kid, kty: "RSA", alg: "RS256", use: "sig", n: "AQAB", e: "AQAB" });
  const objects = (
    kids: readonly string[],
  ): readonly (readonly [name: string, key: string, content: string])[] => [
    [
      "discovery",
      ".well-known/openid-configuration",
      JSON.stringify({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys.json` }),
    ],
    ["keys", "keys.json", JSON.stringify({ keys: kids.map(key) })],
  ];
  const valuesOf = ([, path, content]: readonly [string, string, string]): object => ({
    bucket: "acme-oidc",
    key: path,
    content,
  });
  const configuration = (kids: readonly string[]): string =>
    JSON.stringify({
      provider: { aws: { region: "eu-west-1" } },
      resource: {
        aws_s3_bucket: { oidc: { bucket: "acme-oidc" } },
        aws_s3_object: Object.fromEntries(objects(kids).map((each) => [each[0], valuesOf(each)])),
      },
    });
  const resource = (type: string, name: string, values: object): object => ({
    address: `${type}.${name}`,
    mode: "managed",
    type,
    name,
    values,
  });
  const state = (kids: readonly string[]): string =>
    JSON.stringify({
      format_version: "1.0",
      values: {
        root_module: {
          resources: [
            resource("aws_s3_bucket", "oidc", { bucket: "acme-oidc", region: "eu-west-1" }),
            ...objects(kids).map((each) => resource("aws_s3_object", each[0], valuesOf(each))),
          ],
        },
      },
    });
  const found = (before: readonly string[], after: readonly string[]): readonly Finding[] =>
    audited(
      {
        "main.tf.json": configuration(after),
        "state.json": state(before),
        "sa.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: b}\n",
      },
      { cluster: { issuer: ISSUER } },
    );

  it("where the state publishes a key that the configuration lacks", () => {
    expect(found(["old", "new"], ["new"])).toMatchObject([
      {
        id: "key-dropped",
        severity: "warning",
        subject: ISSUER,
        reason: expect.stringMatching(/^the next apply drops the key old: /) as string,
      },
    ]);
    expect(found(["old"], ["new"])[0]?.reason).toContain(
      "drops the key old, while it publishes new for the first time",
    );
  });

  it("not where keys stay or come", () => {
    expect([found(["old"], ["old", "new"]), found(["old"], ["old"])]).toEqual([[], []]);
  });
});

it("is the same list in text, JSON and SARIF", () => {
  const audit = audited(edited(withAccount("shop", "default"), [likeSubject("shop:*")]));
  const ids = audit.map(({ id }) => id);
  expect(new Set(ids)).toEqual(
    new Set(["subject-wide", "default-annotated", "identity-shared"].filter((id) => ids.includes(id))),
  );
  expect(ids.length).toBeGreaterThan(1);
  const text = [...renderText([], { audit })].join("");
  for (const { reason } of audit) expect(text).toContain(reason);
  const json = JSON.parse([...renderJson([], { audit })].join("")) as { audit: Finding[] };
  expect(json.audit.map(({ id }) => id)).toEqual(ids);
  const sarif = JSON.parse([...renderSarif([], { audit })].join("")) as {
    runs: { results: { ruleId: string }[] }[];
  };
  expect(sarif.runs[0]?.results.map(({ ruleId }) => ruleId)).toEqual(ids);
});

describe("trust of what was read alone", () => {
  const GITHUB = "https://token.actions.githubusercontent.com";
  const STS = { aud: "sts.amazonaws.com" };
  const ACCOUNT = "arn:aws:iam::111122223333";

  /** A statement that admits tokens of an issuer with these claims. */
  const admits = (issuer: string, claims: Readonly<Record<string, unknown>>): object => {
    const host = issuer.replace("https://", "");
    const keyed = Object.entries(claims).map(([claim, value]) => [`${host}:${claim}`, value]);
    return {
      Effect: "Allow",
      Principal: { Federated: `${ACCOUNT}:oidc-provider/${host}` },
      Action: "sts:AssumeRoleWithWebIdentity",
      Condition: { StringLike: Object.fromEntries(keyed) as object },
    };
  };
  const roleWith = (...Statement: readonly object[]): Readonly<Record<string, string>> => ({
    "state.json": JSON.stringify({
      format_version: "1.0",
      values: {
        root_module: {
          resources: [
            {
              address: "aws_iam_role.ci",
              mode: "managed",
              type: "aws_iam_role",
              name: "ci",
              values: {
                name: "ci",
                arn: `${ACCOUNT}:role/ci`,
                assume_role_policy: JSON.stringify({ Version: "2012-10-17", Statement }),
              },
            },
          ],
        },
      },
    }),
  });
  const ofTrust = (findings: readonly Finding[]): readonly string[] =>
    findings.map(({ id, severity, subject, reason }) => [id, severity, subject, reason].join(" | "));
  const FOREIGN = `issuer-foreign | warning | ${GITHUB} | tokens of this issuer, which is not recorded as a cluster's, are trusted by ci`;

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["one repository of GitHub", roleWith(admits(GITHUB, { ...STS, sub: "repo:acme/app:*" })), [FOREIGN]],
    [
      "no audience",
      roleWith(admits(GITHUB, { sub: "repo:acme/app:*" })),
      [
        "audience-missing | error | ci | the trust does not compare the audience: a token for any audience of the OIDC provider is accepted",
        FOREIGN,
      ],
    ],
    [
      "two audiences",
      roleWith(admits(GITHUB, { aud: ["b", "a"], sub: "repo:acme/app:*" })),
      ["audience-several | warning | ci | the trust accepts tokens for several audiences: a, b", FOREIGN],
    ],
    [
      "two subjects",
      roleWith(admits(GITHUB, { ...STS, sub: ["repo:acme/app:b", "repo:acme/app:a"] })),
      [
        "subject-beside | warning | ci | the trust names several subjects: repo:acme/app:a, repo:acme/app:b",
        FOREIGN,
      ],
    ],
    [
      "no subject",
      roleWith(admits(GITHUB, STS)),
      ["subject-wide | error | ci | the trust admits every subject of an issuer", FOREIGN],
    ],
    ...["system:serviceaccount:*:web", "*:web"].map(
      (sub): [string, Readonly<Record<string, string>>, readonly string[]] => [
        `the pattern ${sub}`,
        roleWith(admits(GITHUB, { ...STS, sub })),
        [
          `subject-wide | error | ci | the trust admits every service account that ${serviceAccountText(sub)} matches`,
          FOREIGN,
        ],
      ],
    ),
    [
      "who needs no token",
      roleWith({ Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" }),
      [],
    ],
  ])("finds %s without a cluster", (_, files, expected) => {
    expect(ofTrust(audited(files).filter(({ id }) => id !== "granted-elsewhere"))).toEqual(expected);
  });

  it("takes a role that admits itself by a condition for that", () => {
    const itself = (arn: string): Readonly<Record<string, string>> =>
      roleWith({
        Effect: "Allow",
        Principal: { AWS: "*" },
        Action: "sts:AssumeRole",
        Condition: { ArnLike: { "aws:PrincipalArn": arn } },
      });
    expect(audited(itself(`${ACCOUNT}:role/ci`))).toEqual([]);
    expect(audited(itself(`${ACCOUNT}:role/other`))).toMatchObject([
      { id: "granted-elsewhere", subject: `${ACCOUNT}:role/other` },
    ]);
  });

  it("looks at all tokens where only apply tells the issuer of those of the holder", () => {
    const role = roleWith(admits(GITHUB, { sub: "system:serviceaccount:shop:*" }));
    const cluster = { name: "prod", role_arn: "r", vpc_config: [{}] };
    const files = {
      ...role,
      "eks.tf.json": JSON.stringify({ resource: { aws_eks_cluster: { prod: cluster } } }),
      "web.yaml": `apiVersion: v1
kind: ServiceAccount
metadata: { name: web, namespace: shop, annotations: { eks.amazonaws.com/role-arn: "${ACCOUNT}:role/ci" } }`,
    };
    expect(audited(files).map(({ id }) => id)).toEqual([
      "subject-wide",
      "audience-missing",
      "issuer-foreign",
    ]);
  });

  it("takes a recorded issuer for a cluster's", () => {
    const files = roleWith(admits(GITHUB, { ...STS, sub: "system:serviceaccount:shop:web" }));
    expect(audited(files, { cluster: { issuer: GITHUB } })).toEqual([]);
  });

  it("names a subject beside the declared service account, and the credentials of an identity together", () => {
    const another = edited(aws, [
      [
        TF,
        SUBJECT,
        SUBJECT.replace(/\\"(system:[\w:]+)\\"/, '[\\"$1\\",\\"system:serviceaccount:shop:x\\"]'),
      ],
    ]);
    expect(ofTrust(audited(another))).toEqual([
      "subject-beside | warning | prod-eu_shop_web | the trust names shop/x beside shop/web, whose identity it is",
    ]);
    const [, text = ""] = [...clouds].find(([path]) => path.endsWith(TF)) ?? [];
    const json = JSON.parse(text) as { resource: Record<string, Record<string, object>> };
    const credentials = json.resource["azurerm_federated_identity_credential"] ?? {};
    credentials["more"] = {
      ...Object.values(credentials)[0],
      name: "more",
      issuer: GITHUB,
      subject: "repo:acme/app:a",
    };
    const files = new Map(
      [...clouds].map(([path, each]) => [path, path.endsWith(TF) ? JSON.stringify(json) : each]),
    );
    expect(ofTrust(audited(files))).toEqual([
      "subject-beside | warning | edge-1_shop_web | the trust names repo:acme/app:a beside shop/web, whose identity it is",
      FOREIGN.replace("by ci", "by edge-1_shop_web"),
    ]);
  });
});

describe("rights", () => {
  const role = "${aws_iam_role.pulls_aws_shop_web_332B9317.name}";
  const inline = (Action: unknown, Resource: unknown = "*", more: object = {}): Change =>
    adding(["aws_iam_role_policy", { role, policy: policy({ Effect: "Allow", Action, Resource, ...more }) }]);
  const principal_id = "${azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.principal_id}";
  const assigned = (role_definition_name: string): Change =>
    adding([
      "azurerm_role_assignment",
      { principal_id, role_definition_name, scope: "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590" },
    ]);
  const member = (name: string, to = TOOLS): Change =>
    adding(["google_project_iam_member", { project: "acme-images", role: name, member: to }]);
  const assumed = (Principal: unknown, Condition?: object): Change =>
    adding([
      "aws_iam_role",
      {
        name: "x",
        assume_role_policy: policy({ Effect: "Allow", Principal, Action: "sts:AssumeRole", Condition }),
      },
    ]);
  const pods = { Service: "pods.eks.amazonaws.com" };
  const tied = { StringEquals: { "aws:RequestTag/kubernetes-service-account": "web" } };

  it.each<[string, Change, readonly (readonly [id: string, severity: string, said: string])[]]>([
    [
      "everything",
      inline("*"),
      [
        ["permission-wide", "warning", "granted * on *, which is more than its declared pulls need"],
        ["permission-wide", "warning", "it may read"],
        [
          "rights-admin",
          "error",
          "it may do everything, as AdministratorAccess allows: it is granted * on *",
        ],
      ],
    ],
    [
      "everything but billing",
      inline(undefined, "*", { NotAction: "aws-portal:*" }),
      [
        ["permission-wide", "warning", "it is granted Allow everything but aws-portal:*"],
        ["permission-wide", "warning", "it may read every repository of ECR"],
        ["rights-admin", "error", "it may do everything but what is named"],
      ],
    ],
    [
      "passing roles",
      inline("iam:PassRole"),
      [
        ["permission-wide", "warning", "iam:PassRole on *"],
        ["rights-others", "warning", "it may have services act as these roles"],
      ],
    ],
    [
      "roles elsewhere",
      inline("sts:AssumeRole", "arn:aws:iam::999988887777:role/x"),
      [
        ["permission-wide", "warning", "sts:AssumeRole on arn:aws:iam::999988887777:role/x"],
        ["rights-others", "warning", "it may act as these roles"],
      ],
    ],
    ["a denial", inline("*", "*", { Effect: "Deny" }), []],
    [
      "Owner",
      assigned("Owner"),
      [
        ["permission-wide", "warning", "it is granted Owner on /subscriptions/"],
        ["permission-wide", "warning", "it may read Owner"],
        ["rights-admin", "error", "it may do everything, and give anyone any role"],
      ],
    ],
    [
      "a directory role",
      adding([
        "azuread_directory_role_assignment",
        { role_id: "62e90394-69f5-4237-9190-012177145e10", principal_object_id: principal_id },
      ]),
      [["rights-admin", "error", "it may do everything in the tenant"]],
    ],
    [
      "a token creator",
      member("roles/iam.serviceAccountTokenCreator"),
      [
        ["permission-wide", "warning", "roles/iam.serviceAccountTokenCreator on project acme-images"],
        ["rights-others", "warning", "it may act as the service accounts"],
      ],
    ],
    [
      "a person as owner",
      member("roles/owner", "user:eve@example.com"),
      [
        ["granted-elsewhere", "note", "a principal that is not declared here"],
        ["rights-admin", "error", "it may do everything"],
      ],
    ],
    [
      "a service of AWS",
      assumed({ Service: "ec2.amazonaws.com" }),
      [["granted-elsewhere", "note", "a service of AWS is granted sts:AssumeRole"]],
    ],
    [
      "Pod Identity without conditions",
      assumed(pods),
      [["trust-open", "warning", "any pod of the account's EKS clusters"]],
    ],
    ["Pod Identity for one service account", assumed(pods, tied), []],
    ["everyone", assumed("*"), [["granted-to-everyone", "warning", "anyone is granted sts:AssumeRole"]]],
  ])("%s", (_, change, expected) => {
    const found = audited(changed(change)).filter(({ id }) => id !== "subject-wide");
    const brief = found.map(({ id, severity }) => [id, severity]).sort();
    expect(brief).toEqual(expected.map(([id, severity]) => [id, severity]).sort());
    for (const [id, , said] of expected)
      expect(
        found
          .filter((each) => each.id === id)
          .map(({ reason }) => reason)
          .join("\n"),
      ).toContain(said);
  });
});

it("has help for every row", () => {
  expect(AUDIT_HELP.map(({ id }) => id)).toEqual([
    ...["subject-wide", "audience-missing", "audience-several", "subject-beside", "issuer-foreign"],
    ...["default-annotated", "identity-shared", "permission-wide", "rights-admin", "rights-others"],
    ...["trust-open", "granted-to-everyone", "granted-elsewhere", "node-pulls", "key-dropped"],
  ]);
});
