/* What a change of artefacts does, on the examples: edits with what must be said of them, and their mirror images. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Change,
  type ChangeKind,
  type Comparison,
  Explainer,
  compare,
  renderCompareJson,
  renderCompareMarkdown,
  renderCompareText,
} from "../../../lib/explain";
import { ImagePulls } from "../../../lib/synth";
import {
  ALL_JOBS,
  type Artefacts,
  type Edit,
  type ExampleName,
  edited,
  folderOf,
  synthesized,
  synthesizedStack,
} from "../../fixtures/explain/artefacts";
import { MIRRORED, changed } from "../../fixtures/explain/changed";
import { fromEcr, makers, plainCluster } from "../../support/image-pulls";
import { runsOf } from "../../support/sample";

const made = new Map(ALL_JOBS.map((name) => [name, synthesized(name)]));

function example(name: ExampleName): Artefacts {
  return made.get(name) ?? new Map();
}

function compared(name: ExampleName, ...edits: readonly Edit[]): Comparison {
  return compare([folderOf(example(name))], [folderOf(edited(example(name), edits))]);
}

const ECR = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const GAR = "europe-west1-docker.pkg.dev/acme-images";
const TF = "cdk.tf.json";
const ACCOUNTS = "20-service-accounts.yaml";
const ROLE = "arn:aws:iam::111122223333:role/edge-1_shop_web";
const SUBJECT = 'sub\\":\\"system:serviceaccount:shop:web\\"';
const TOOLS = "in ['system:serviceaccount:shop:tools']";
const OWN = "arn:aws:ecr:eu-west-1:111122223333:repository/shop/*";

/** A statement inside of a policy that is a text in JSON. */
const OTHER_ACCOUNT =
  '{\\"Effect\\":\\"Allow\\",\\"Principal\\":{\\"AWS\\":\\"999988887777\\"},\\"Action\\":\\"sts:AssumeRole\\"}';
const POLICY_FOR_ALL = JSON.stringify({
  other: {
    repository: "other",
    policy: JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: "*", Action: "ecr:BatchGetImage" }],
    }),
  },
});
const READ_BY_ALL = JSON.stringify({
  public: {
    project: "acme-images",
    location: "europe-west1",
    repository: "public",
    role: "roles/artifactregistry.reader",
    members: ["allUsers"],
  },
});

/** Kind, subject, target and example of each change. */
function brief({ changes }: Comparison): readonly string[] {
  return changes.map(({ kind, subject, target, example: one }) =>
    [kind, subject, target, ...(one === undefined ? [] : [one])].join(" | "),
  );
}

const ROWS: readonly (readonly [string, readonly Edit[], readonly string[]])[] = [
  ["another spelling of the same statement", [[TF, '\\"Sid\\":\\"Pull\\",', ""]], []],
  [
    "another spelling of the same images: no name of a repository ends in a slash",
    [[TF, `\\"${OWN}\\"`, `[\\"${OWN.slice(0, -1)}?*\\",\\"${OWN.slice(0, -1)}web\\"]`]],
    [],
  ],
  [
    "a wider wildcard",
    [[TF, "repository/shop/*", "repository/*"]],
    [`widened | shop/web | ${ECR}/* | ${ECR}/a`],
  ],
  [
    "a trust policy that no longer compares the audience, although the OIDC provider still does",
    [[TF, '\\"oidc.acme.example/edge-1:aud\\":\\"sts.amazonaws.com\\",', ""]],
    ["widened | shop/web with a token for any audience | edge-1_shop_web"],
  ],
  [
    "a trust policy that lets another account in",
    [
      [
        TF,
        '\\"Statement\\":[{\\"Effect\\":\\"Allow\\",\\"Principal\\":{\\"Fed',
        `\\"Statement\\":[${OTHER_ACCOUNT},{\\"Effect\\":\\"Allow\\",\\"Principal\\":{\\"Fed`,
      ],
    ],
    ["added | arn:aws:iam::999988887777:root | sts:AssumeRole on the role edge-1_shop_web"],
  ],
  [
    "a repository policy that lets everyone in",
    [[TF, '"aws_iam_role": {', `"aws_ecr_repository_policy": ${POLICY_FOR_ALL},"aws_iam_role": {`]],
    ["added | * | ecr:BatchGetImage on repository other of <account of the provider aws> in eu-west-1"],
  ],
  [
    "a repository that everyone may read",
    [
      [
        TF,
        '"google_iam_workload_identity_pool": {',
        `"google_artifact_registry_repository_iam_binding": ${READ_BY_ALL},"google_iam_workload_identity_pool": {`,
      ],
    ],
    [
      `widened | shop/tools | ${GAR}/public/* | ${GAR}/public/d`,
      "added | allUsers | roles/artifactregistry.reader on artifact registry repository public of acme-images in europe-west1",
    ],
  ],
  [
    "a wildcard that is narrowed",
    [[TF, "repository/shop/*", "repository/shop/a*"]],
    [`narrowed | shop/web | ${ECR}/shop/* | ${ECR}/shop/b`],
  ],
  [
    "registries that nothing names",
    [[TF, "eu-west-1:111122223333:repository/shop/*", "*:111122223333:repository/shop/*"]],
    ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"].map(
      (action) => `widened | shop/web | ${action} on arn:aws:ecr:*:111122223333:repository/shop/*`,
    ),
  ],
  [
    "more than reading",
    [[TF, '[\\"ecr:BatchGetImage\\"', '[\\"ecr:PutImage\\",\\"ecr:BatchGetImage\\"']],
    [`added | shop/web | ecr:PutImage on ${OWN}`],
  ],
  [
    "a denial, which takes away",
    [
      [
        TF,
        '{\\"Sid\\":\\"Pull\\"',
        '{\\"Effect\\":\\"Deny\\",\\"Action\\":\\"s3:*\\",\\"Resource\\":\\"*\\"},{\\"Sid\\":\\"Pull\\"',
      ],
    ],
    ["narrowed | shop/web | s3:* on *"],
  ],
  [
    "a subject more",
    [[TF, SUBJECT, 'sub\\":[\\"system:serviceaccount:shop:web\\",\\"system:serviceaccount:shop:new\\"]']],
    ["widened | shop/new | edge-1_shop_web"],
  ],
  [
    "subjects by a wildcard",
    [
      [TF, "StringEquals", "StringLike"],
      [TF, SUBJECT, 'sub\\":\\"system:serviceaccount:shop:*\\"'],
    ],
    ["widened | shop/* | edge-1_shop_web | shop/b"],
  ],
  [
    "a condition on Azure that covers more",
    [[TF, "StringStartsWithIgnoreCase 'models/'", "StringStartsWithIgnoreCase 'mod'"]],
    ["widened | shop/web | acmeshop.azurecr.io/mod* | acmeshop.azurecr.io/mod"],
  ],
  [
    "a subject more on Google Cloud",
    [[TF, TOOLS, TOOLS.replace("]", ", 'system:serviceaccount:shop:x']")]],
    ["widened | shop/x | k8s-edge-1"],
  ],
  [
    "another repository on Google Cloud",
    [[TF, '"repository": "tools"', '"repository": "other"']],
    [
      `widened | shop/tools | ${GAR}/other/* | ${GAR}/other/b`,
      `narrowed | shop/tools | ${GAR}/tools/* | ${GAR}/tools/b`,
    ],
  ],
  [
    "a role on Google Cloud that writes as well",
    [[TF, "roles/artifactregistry.reader", "roles/artifactregistry.writer"]],
    [
      "added | shop/tools | roles/artifactregistry.writer on artifact registry repository tools of acme-images in europe-west1",
    ],
  ],
  [
    "no annotation any more",
    [[ACCOUNTS, `    eks.amazonaws.com/ecr-role-arn: ${ROLE}\n`, ""]],
    [`removed | shop/web | ${ECR}/shop/* | ${ECR}/shop/a`],
  ],
];

/** The artefacts as if every construct had moved: names in Terraform end with a hash of the construct's path. */
function moved(artefacts: Artefacts): Artefacts {
  return new Map(
    [...artefacts].map(([path, text]) => [path, text.replace(/[\w-]+_[0-9A-F]{8}(?![\w-])/g, "moved_$&")]),
  );
}

/** A change as the other side sees it, without prose. */
function mirrored({ kind, danger: _, before, after, removed, added, ...rest }: Change): object {
  return {
    ...rest,
    reason: "",
    kind: MIRRORED[kind],
    before: after,
    after: before,
    removed: added,
    added: removed,
  };
}

const sorted = (changes: readonly object[]): readonly string[] =>
  changes.map((each) => JSON.stringify(each)).sort();

describe("compare", () => {
  it.each(ALL_JOBS)("finds nothing between two copies of %s", (name) => {
    expect(compared(name).changes).toEqual([]);
  });

  it.each(ALL_JOBS)("finds nothing where the constructs of %s only moved in the tree", (name) => {
    const old = example(name);
    const { changes } = compare([folderOf(old)], [folderOf(moved(old))]);
    // A distribution has no name of its own: unless it is moved in the state too, the issuer's URL is another one.
    const isLate = ({ reason }: Change): boolean => reason.includes("aws_cloudfront_distribution");
    expect(changes.filter((each) => !isLate(each))).toEqual([]);
    expect(changes.some(isLate)).toBe(name === "openshift-manual-aws");
  });

  it("says that another identity acts where a construct moved and its object in the cloud changed too", () => {
    const old = example("three-clouds");
    const renamed = edited(moved(old), [
      [TF, '"resource_group_name": "edge-identities"', '"resource_group_name": "other"'],
    ]);
    const found = brief(compare([folderOf(old)], [folderOf(renamed)]));
    expect(found).toContain(
      "identity | shop/web | acmeshop.azurecr.io/models/* | acmeshop.azurecr.io/models/a",
    );
    expect(found.some((line) => line.includes("k8s-edge-1"))).toBe(false);
  });

  it.each(ROWS)("%s", (_, edits, expected) => {
    const [old, changed] = [
      folderOf(example("three-clouds")),
      folderOf(edited(example("three-clouds"), edits)),
    ];
    const there = compare([old], [changed]);
    expect(brief(there)).toEqual(expected);
    const back = compare([changed], [old]).changes.map((each) => ({ ...each, reason: "" }));
    expect(sorted(back.map((each) => mirrored(mirrored(each) as Change)))).toEqual(
      sorted(there.changes.map(mirrored)),
    );
  });

  it("says that another identity pulls", () => {
    const renamed: readonly Edit[] = [
      [ACCOUNTS, ROLE, `${ROLE}2`],
      [TF, "edge-1_shop_web", "edge-1_shop_web2"],
    ];
    const pulls = compared("three-clouds", ...renamed).changes.filter(({ about }) => about === "images");
    expect(pulls.map(({ kind, before, after }) => [kind, before?.as, after?.as])).toContainEqual([
      ...["identity", ROLE, `${ROLE}2`],
    ]);
  });

  it("says of an identity that is gone what it could do, and nothing of all else", () => {
    const { changes } = compared("three-clouds", [TF, "edge-1_shop_web", "edge-1_shop_web2"]);
    const pulls = changes.filter(({ about, subject }) => about === "images" && subject === "shop/web");
    expect(pulls.length).toBeGreaterThan(0);
    for (const { before, after, danger, reason } of pulls)
      expect([before?.verdict, after?.verdict, danger, reason]).toEqual([
        ...["allowed", "unknown", "less", "its identity is gone, or is not among what was read any more"],
      ]);
  });

  it("names the statements of both sides", () => {
    const { changes } = compared("three-clouds", [TF, "repository/shop/*", "repository/*"]);
    expect(changes[0]?.added[0]?.source?.path).toContain("aws_iam_role_policy");
    expect(renderCompareText({ changes })).toMatch(/\+ ecr:GetDownloadUrlForLayer .*cdk\.tf\.json:\d+ /);
  });

  it.each<[string, string, string]>([
    ["an expression", `assertion.sub ${TOOLS}`, "assertion.sub.startsWith('system:')"],
    [
      "a statement known only after apply",
      '\\"Statement\\":[{\\"Effect\\":\\"Allow\\",\\"Principal\\":{\\"Fed',
      '\\"Statement\\":[\\"${var.more}\\",{\\"Effect\\":\\"Allow\\",\\"Principal\\":{\\"Fed',
    ],
    [
      "a statement that denies",
      '\\"Statement\\":[{\\"Effect\\":\\"Allow\\",\\"Principal\\":{\\"Fed',
      '\\"Statement\\":[{\\"Effect\\":\\"Deny\\",\\"Principal\\":\\"*\\",\\"Action\\":\\"sts:*\\",\\"Condition\\":{\\"StringEquals\\":{\\"aws:x\\":\\"y\\"}}},{\\"Effect\\":\\"Allow\\",\\"Principal\\":{\\"Fed',
    ],
  ])("does not call what depends on unread things unchanged: %s", (_, from, to) => {
    const { changes } = compared("three-clouds", [TF, from, to]);
    expect(changes.map(({ kind, job }) => `${job} ${kind}`)).toContain("trust incomparable");
    expect(renderCompareText({ changes })).toContain(
      "cannot be compared: expressions, denials or other claims decide",
    );
  });

  it("reports components, workloads and ways into spokes", () => {
    const component = compared("openshift-manual-aws", [TF, "ec2:CreateVolume", "ec2:*"]);
    expect(
      component.changes.some(
        ({ job, about, kind }) => job === "component" && about === "right" && kind === "widened",
      ),
    ).toBe(true);
    const gone = compare(
      [folderOf(example("fleet-argocd"))],
      [
        folderOf(
          edited(example("fleet-argocd"), [[TF, "aws_eks_access_policy_association", "aws_eks_other"]]),
        ),
      ],
    );
    expect(gone.changes.filter(({ job }) => job === "fleet-access").length).toBeGreaterThan(0);
  });
});

describe("the keys of an issuer", () => {
  /** A key with another modulus, and so with another id. */
  const another = (key: Record<string, unknown>): object => ({ ...key, kid: "new", n: "AQAB" });
  /** Changes every key set in Terraform JSON: as text, as a local, or below a pool provider. */
  const withKeys = (
    name: ExampleName,
    change: (keys: readonly Record<string, unknown>[]) => unknown,
  ): Artefacts =>
    new Map(
      [...example(name)].map(([path, text]) => [
        path,
        path.endsWith(TF)
          ? text.replace(/"(?:\\.|[^"\\])*"/g, (literal) => {
              const value = JSON.parse(literal) as string;
              if (!/^\s*\{\s*"keys"/.test(value)) return literal;
              const { keys } = JSON.parse(value) as { keys: readonly Record<string, unknown>[] };
              return JSON.stringify(JSON.stringify({ keys: change(keys) }));
            })
          : text,
      ]),
    );
  const changes = (name: ExampleName, change: Parameters<typeof withKeys>[1]): readonly Change[] =>
    compare([folderOf(example(name))], [folderOf(withKeys(name, change))]).changes.filter(
      ({ subject, reason }) =>
        subject.startsWith("a token signed with the key") || reason.startsWith("its keys are known"),
    );
  const ALL: readonly ExampleName[] = [
    "openshift-manual-aws",
    "openshift-manual-azure",
    "openshift-manual-google",
  ];

  it.each(ALL)("of which the only one is replaced in one step: %s", (name) => {
    const found = changes(name, (keys) => keys.map(another));
    expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(["removed", "widened"]));
    for (const { kind, reason, removed, added } of found) {
      expect(reason).toContain(kind === "removed" ? "publish the old and the new key together" : "");
      expect([removed.length, added.length]).toEqual([1, 1]);
    }
  });

  it.each<[string, Parameters<typeof withKeys>[1], readonly ChangeKind[]]>([
    ["one more, which is how a rotation begins", (keys) => [...keys, ...keys.map(another)], ["widened"]],
    ["one that verifies no signatures", (keys) => [...keys, { ...another({}), kty: "RSA", use: "enc" }], []],
    ["none that verifies any more", (keys) => keys.map((key) => ({ ...key, use: "enc" })), ["incomparable"]],
    ["the same, with other members", (keys) => keys.map((key) => ({ x5t: "x", ...key })), []],
  ])("%s", (_, change, expected) => {
    expect(changes("openshift-manual-azure", change).map(({ kind }) => kind)).toEqual(expected);
  });

  const handed = (jwks?: string): Artefacts =>
    changed(({ google_iam_workload_identity_pool_provider: all = {} }) => {
      for (const { oidc } of Object.values(all)) Object.assign(oidc as object, { jwks_json: jwks });
    });
  const KEYS = JSON.stringify({ keys: [{ kty: "RSA", kid: "a", n: "u".repeat(342), e: "AQAB" }] });

  // Google takes no keys but those that it was handed, whoever made them.
  it.each([
    ["in place of those that are published", undefined, KEYS, ["its keys are known on the new side alone"]],
    ["in a file", undefined, '${file("a.json")}', ["its keys are known on neither side"]],
    ["in another file", '${file("a.json")}', '${file("b.json")}', ["its keys are known on neither side"]],
    ["in one file", '${file("a.json")}', '${file("a.json")}', []],
  ])("handed over %s", (_, before, after, reasons) => {
    const sides = [before, after].map((jwks) => folderOf(handed(jwks)));
    const all = compare(sides.slice(0, 1), sides.slice(1)).changes.map(({ reason }) => reason);
    expect(all.filter((reason) => reason.startsWith("its keys"))).toEqual(reasons);
  });
});

describe("objects of spokes", () => {
  const [WORKERS, PLANE] = ["spokes/gpu-1.yaml", "spokes/on-prem_control-plane.yaml"];
  const SUBJECT_LINE = "    name: multikueue\n";
  const role = (...rules: readonly string[]): string =>
    `${SUBJECT_LINE}---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: multikueue-worker }\nrules: [${rules.join(", ")}]\n`;
  const RULES = [
    "{ apiGroups: [batch], resources: [jobs], verbs: [get, create] }",
    "{ apiGroups: [''], resources: [pods], verbs: [list], resourceNames: [b, a] }",
    "{ nonResourceURLs: [/metrics], verbs: [get] }",
  ];
  const ISSUER = "tokens of https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF";

  it.each<[string, readonly Edit[], readonly Edit[], readonly string[]]>([
    [
      "another subject",
      [],
      [[WORKERS, SUBJECT_LINE, "    name: others\n"]],
      [
        "removed | Group multikueue | ClusterRole multikueue-worker: its rules were not read | gpu-1.yaml",
        "added | Group others | ClusterRole multikueue-worker: its rules were not read | gpu-1.yaml",
      ],
    ],
    [
      "what a role says, each rule once",
      [],
      [[WORKERS, SUBJECT_LINE, role(...RULES)]],
      [
        "removed | Group multikueue | ClusterRole multikueue-worker: its rules were not read | gpu-1.yaml",
        ...["create, get on batch/jobs", "get on /metrics", "list on /pods of the names a, b"].map(
          (rule) => `added | Group multikueue | ClusterRole multikueue-worker: ${rule} | gpu-1.yaml`,
        ),
      ],
    ],
    [
      "a rule more, beside one that is only written differently",
      [[WORKERS, SUBJECT_LINE, role(...RULES.slice(0, 1))]],
      [
        [
          WORKERS,
          SUBJECT_LINE,
          role(...RULES.slice(0, 1), ...RULES.slice(2)).replace("get, create", "create, get, get"),
        ],
      ],
      ["added | Group multikueue | ClusterRole multikueue-worker: get on /metrics | gpu-1.yaml"],
    ],
    [
      "who signs in",
      [],
      [[PLANE, "claim: sub", "claim: email"]],
      ["removed", "added"].map(
        (kind) => `${kind} | ${ISSUER} | authentication by | on-prem_control-plane.yaml`,
      ),
    ],
  ])("%s", (_, before, after, expected) => {
    const [old, made] = [before, after].map((edits) => edited(example("fleet-multikueue"), edits));
    const rights = compare([folderOf(old ?? {})], [folderOf(made ?? {})]).changes.filter(
      ({ about }) => about === "right",
    );
    const found = rights.map(({ kind, subject, target, removed, added }) => {
      const [at] = kind === "added" ? added : removed;
      return [
        kind,
        subject,
        target.replace(/^(authentication by) .*/, "$1"),
        at?.source?.file.split("/").at(-1),
      ].join(" | ");
    });
    expect([...found].sort()).toEqual([...expected].sort());
    expect(rights.map(({ removed, added }) => removed.length + added.length)).toEqual(rights.map(() => 1));
    expect(rights.every(({ reason }) => /^an object of the spoke (?:gpu-1|on-prem)$/.test(reason))).toBe(
      true,
    );
  });
});

it("a cluster that one side has alone could do nothing before", () => {
  const [old, more] = [folderOf(example("three-clouds")), folderOf(example("aro-hcp"))];
  const there = compare([old], [old, more]);
  const account = "acr-sa-test/acr-pull-sa";
  expect(
    there.changes.map(({ job, kind, subject, before, after }) => [
      job,
      kind,
      subject,
      before,
      after?.verdict,
    ]),
  ).toEqual([
    ["image-pull", "added", account, null, "allowed"],
    ["trust", "added", account, null, "allowed"],
    ["trust", "added", "Group system:nodes", null, undefined],
  ]);
  const back = compare([old, more], [old]).changes.map((each) => ({ ...each, reason: "" }));
  expect(sorted(back.map((each) => mirrored(mirrored(each) as Change)))).toEqual(
    sorted(there.changes.map(mirrored)),
  );
});

it("what is denied on both sides is unchanged, whatever else is open", () => {
  const denied: Edit = [
    "spokes/on-prem_control-plane.yaml",
    "- https://on-prem.acme.example",
    "- https://x.example",
  ];
  const open: Edit = ["workload-identity.json", '"apiServer": "1.35",', ""];
  const [old, made] = [[denied], [denied, open]].map((edits) =>
    folderOf(edited(example("fleet-multikueue"), edits)),
  );
  const { changes } = compare([old ?? ""], [made ?? ""]);
  const spokes = changes.filter(({ job }) => job === "fleet-access");
  expect(spokes.map(({ kind, target }) => `${kind} ${target}`)).toEqual(["verdict cpu-1", "verdict gpu-1"]);
});

/** Names over few letters, so that random patterns meet random images. */
const NAME = fc.stringMatching(/^[ab]{1,2}(\/[ab]{1,2})?$/);
const PATTERN = fc.stringMatching(/^[ab*/]{1,4}$/);

describe("random patterns", () => {
  const base = synthesizedStack((stack) => {
    new AwsProvider(stack, "aws", { region: "eu-west-1" });
    new ImagePulls(stack, "pulls", {
      cluster: plainCluster(),
      identities: [makers.aws()],
      pulls: [{ serviceAccount: "shop/web", from: fromEcr("shop/*") }],
    });
  });
  const policy = (patterns: readonly string[]): Artefacts => {
    const arns = patterns.map((each) => `\\"arn:aws:ecr:eu-west-1:111122223333:repository/${each}\\"`);
    return edited(base, [[TF, `\\"${OWN}\\"`, `[${arns.join(",")}]`]]);
  };
  const verdicts = (folder: string, images: readonly string[]): readonly string[] => {
    const explainer = Explainer.read([folder]);
    return images.map((image) => {
      const [result] = explainer.pulls({ serviceAccount: "shop/web", image: `${ECR}/${image}` });
      return result?.verdict ?? "none";
    });
  };

  it("what is unchanged has equal verdicts, and what changed is named with an image that shows it", () => {
    const patterns = fc.array(PATTERN, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        patterns,
        patterns,
        fc.array(NAME, { minLength: 20, maxLength: 20 }),
        (one, other, names) => {
          const [old, changed] = [folderOf(policy(one)), folderOf(policy(other))];
          const { changes } = compare([old], [changed]);
          const rows = changes.filter(({ about, target }) => about === "images" && target.startsWith(ECR));
          const examples = rows.map((row) => (row.example ?? row.target).slice(ECR.length + 1));
          const images = [...names, ...examples];
          const [was, is] = [verdicts(old, images), verdicts(changed, images)];
          for (const [place, row] of rows.entries())
            expect([was[names.length + place], is[names.length + place]]).toEqual([
              row.before?.verdict,
              row.after?.verdict,
            ]);
          const said = new Set(rows.map(({ before, after }) => `${before?.verdict} ${after?.verdict}`));
          for (const place of names.keys())
            if (was[place] !== is[place]) expect(said).toContain(`${was[place]} ${is[place]}`);
        },
      ),
      { numRuns: runsOf(25, 5) },
    );
  });
});

describe("renderers", () => {
  const edits: readonly Edit[] = [[TF, "repository/shop/*", "repository/*"]];

  it("write a documented shape of JSON", () => {
    const { version, changes, ...counts } = JSON.parse(
      renderCompareJson(compared("three-clouds", ...edits)),
    ) as {
      version: number;
      changes: readonly Change[];
    };
    expect(version).toBe(1);
    expect(counts).toEqual({ compared: { "image-pull": 2, trust: 3 }, notCompared: {} });
    expect(Object.keys(changes[0] ?? {}).sort()).toEqual([
      ...[
        "about",
        "added",
        "after",
        "before",
        "danger",
        "example",
        "job",
        "kind",
        "reason",
        "removed",
        "stack",
        "subject",
      ],
      "target",
    ]);
    expect(changes[0]?.added[0]?.source).toMatchObject({ line: expect.any(Number) as number });
  });

  it("let nothing of other people's files be markup in a comment", () => {
    const change: Change = {
      ...{
        kind: "added",
        job: "trust",
        about: "trust",
        stack: "",
        subject: "<b>|`x`",
        target: "[a](b)\n@all",
      },
      before: null,
      after: null,
      reason: "",
      removed: [],
      added: [{ text: "<i>" }],
    };
    const text = renderCompareMarkdown({ changes: [change] });
    const plain = text.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
    expect(plain).not.toMatch(/<b>|<i>|\[a\]|`|@all|\\/);
    const row = text.split("\n").find((line) => line.includes("| added"));
    expect(row?.split(/(?<!\\)\|/)).toHaveLength(5);
  });

  it("say so where nothing differs", () => {
    const comparison = compared("three-clouds");
    const among =
      "no difference among what was compared: image pulls and tokens of service accounts (2), whom identities trust and what they are granted (3)";
    expect(renderCompareText(comparison)).toBe(`${among}\n`);
    expect(renderCompareMarkdown(comparison)).toBe(`**Access**: ${among}.\n`);
    const counts = { aws_lambda_function: 3, Rollout: 1 };
    const unread = "not compared, although different: 3 aws_lambda_function, 1 Rollout";
    expect(renderCompareText({ ...comparison, notCompared: counts })).toBe(`${among}\n${unread}\n`);
    expect(renderCompareMarkdown({ ...comparison, notCompared: { Rollout: 1 } })).toBe(
      `**Access**: ${among}; not compared, although different: 1 Rollout.\n`,
    );
    expect(renderCompareText({ changes: [] })).toBe(
      "no difference, but neither side has a service account or an identity to compare\n",
    );
  });

  it("give the output that the page shows", () => {
    const old = folderOf(example("three-clouds"));
    const changed = folderOf(edited(example("three-clouds"), DOCUMENTED));
    const text = renderCompareText(compare([old], [changed]));
    const page = readFileSync(join(__dirname, "../../../docs/compare.md"), "utf8");
    // Lines move whenever the example does.
    const lineless = (written: string): string => written.replace(/\.json:\d+ /g, ".json ");
    const shown = text.replaceAll(old, "main/cdktf.out").replaceAll(changed, "cdktf.out").trimEnd();
    expect(lineless(page)).toContain(lineless(shown));
  });
});

/** The change that docs/compare.md shows. */
const DOCUMENTED: readonly Edit[] = [
  [TF, "repository/shop/*", "repository/*"],
  [TF, SUBJECT, 'sub\\":[\\"system:serviceaccount:shop:web\\",\\"system:serviceaccount:shop:new\\"]'],
  [TF, '"repository": "tools"', '"repository": "other"'],
];
