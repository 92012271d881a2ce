/*
 * What is asked of a bundle, what is noted beside its chains, drift from what was declared, and bundles that lie.
 */

import { describe, expect, it } from "vitest";
import { COLLECTED } from "../../lib/doctor/collect";
import { type DoctorOptions, type Report, diagnose } from "../../lib/doctor/diagnosis";
import { messagesIn } from "../../lib/doctor/messages";
import { reportJson, reportMarkdown, reportText } from "../../lib/doctor/report";
import { ACCOUNT, HEALTHY, POD } from "../fixtures/doctor/bundles";
import { type Edit, event, file, folderOf, gone, podLog, text, waits } from "../fixtures/doctor/edits";

type Cluster = keyof typeof HEALTHY;

function report(
  cluster: Cluster,
  edits: readonly Edit[],
  asked: Parameters<typeof diagnose>[1] = { pod: POD },
  options: DoctorOptions = {},
): Report {
  const healthy = HEALTHY[cluster];
  const folder = folderOf(edits.reduce((all, edit) => edit(all), healthy.files));
  return diagnose(folder, asked, { ...healthy.options, ...options });
}

const asked = ({ diagnoses }: Report): readonly string[] =>
  diagnoses.map(({ job, subject, target }) => `${job} ${subject} ${target}`);
const IMAGE = HEALTHY.aws.image;
const PULL = `image-pull ${ACCOUNT} ${IMAGE}`;
const LOGIN = `workload ${ACCOUNT} aws`;
const FAILED = waits("ErrImagePull");

describe("what is asked about", () => {
  it.each<[string, readonly Edit[], Parameters<typeof diagnose>[1], readonly string[]]>([
    ["a pod: its pulls and its login", [], { pod: POD }, [PULL, LOGIN]],
    ["a service account", [], { serviceAccount: ACCOUNT }, [PULL, LOGIN]],
    ["one image", [], { serviceAccount: ACCOUNT, image: IMAGE }, [PULL]],
    ["pods that fail to pull: their pulls alone", [FAILED], {}, [PULL]],
    ["pods that end again and again: their logins too", [waits("CrashLoopBackOff")], {}, [PULL, LOGIN]],
    [
      "without a pod that fails, the chains that are not allowed",
      [text("aws-roles.json", "ecr:GetAuthorizationToken", "ecr:Other")],
      {},
      [PULL],
    ],
    ["where all is well, every chain", [], {}, [PULL, LOGIN]],
  ])("%s", (_, edits, selection, expected) => {
    const found = report("aws", edits, selection);
    expect(asked(found)).toEqual(expected);
  });

  it("a pod that is not there is refused, and the nearest is named", () => {
    expect(() => report("aws", [], { pod: "shop/web-5d8f9c7b6-x2k9r" })).toThrow(POD);
  });
});

describe("notes", () => {
  const dated = (from: string, to: string): Edit => text("claims.txt", from, to);
  it.each<[string, readonly Edit[], string]>([
    ["a clock that is not synchronized", [text("clock.txt", "yes", "no")], "clock is not synchronized"],
    [
      "a node whose clock is late",
      [text("clock.txt", "1795000000", "1794999000")],
      "issuer's server differ by 1000 seconds",
    ],
    ["a token that had expired", [dated('"exp":1795000600', '"exp":1794999000')], "had expired 1000 seconds"],
    ["clocks that differ", [dated('"iat":1794999999', '"iat":1794999000')], "differ by 1000 seconds"],
    ["a file without claims", [file("claims.txt", "1795000000\nerror: not found\n")], "no claims of a token"],
    [
      "a key that is not published, without a token",
      [gone("claims.txt"), text("jwks-outside.json", "key-1", "key-0")],
      "the key key-1 of the API server is not among the published keys",
    ],
    [
      "a pull secret that masks the chain",
      [
        text(
          "objects.json",
          '"serviceAccountName": "web"',
          '"serviceAccountName": "web", "imagePullSecrets": [{ "name": "regcred" }]',
        ),
        file("secrets.txt", "shop/regcred kubernetes.io/dockerconfigjson .dockerconfigjson\n"),
      ],
      "also pull with the pull secret shop/regcred",
    ],
    [
      "a line that does not say whose it is",
      [file("kubelet.log", "E1128 required annotation eks.amazonaws.com/ecr-role-arn not found\n")],
      "(annotations-present); the line does not say whose chain it is",
    ],
    [
      "the log of a pod that was not collected",
      [file("pod.log", "# shop/other\nAADSTS700016: Application not found\n")],
      "the line does not say whose chain it is",
    ],
    ["a message about no link", [podLog("ExpiredTokenException: token expired")], "AWS STS"],
  ])("%s", (_, edits, expected) => {
    const found = report("aws", edits);
    const { notes, diagnoses } = found;
    expect(notes.map(({ reason }) => reason)).toEqual([expect.stringContaining(expected)]);
    const lines = reportText(found).split("\n");
    expect(lines.filter((line) => line.startsWith("also: "))).toEqual([expect.stringContaining(expected)]);
    expect(diagnoses.map(({ verdict }) => verdict)).toEqual(["allowed", "allowed"]);
  });
});

describe("what is said besides the links", () => {
  it("a chain whose only broken link a message contradicts is open, not denied", () => {
    const contradicted = [
      text("credential-provider-config.yaml", "*.dkr.ecr.*.", "*.ecr.*."),
      event('serviceaccounts "web" is forbidden: audience "sts.amazonaws.com" not found in pod spec volume'),
    ];
    const { diagnoses } = report("aws", contradicted, { serviceAccount: ACCOUNT, image: IMAGE });
    expect(diagnoses.map(({ verdict }) => verdict)).toEqual(["unknown"]);
  });

  it("keys of a bundle in a folder of any name are taken for what their file is", () => {
    const { files, options } = HEALTHY.aws;
    const folder = folderOf(files, "outside");
    const verdicts = diagnose(folder, { pod: POD }, options).diagnoses.map(({ verdict }) => verdict);
    expect(verdicts).toEqual(["allowed", "allowed"]);
  });

  it("uploaded keys are a note, beside those about times", () => {
    const uploaded = text("google.json", '"issuerUri"', '"jwksJson": "{}", "issuerUri"');
    const { notes } = report("google", [uploaded, text("clock.txt", "yes", "no")]);
    expect(notes.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("were not compared"),
      expect.stringContaining("is not synchronized"),
    ]);
  });

  it("what was not read is listed", () => {
    const { skipped } = report("aws", [file("more.json", '{ "apiVersion": "x/v1", "kind": "Thing" }')]);
    expect(skipped.map(({ source }) => source.file)).toContainEqual(expect.stringMatching(/more\.json$/));
  });
});

it("of a message about another pod, image or service account nothing is concluded", () => {
  const others = file(
    "kubelet.log",
    [
      'required annotation x not found pod="shop/web-5d8f9c7b6-x2k9q2"',
      "401 Unauthorized 111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1.4.20",
      "AADSTS700213 system:serviceaccount:shop:web-2",
    ].join("\n"),
  );
  const { diagnoses, notes } = report("aws", [others]);
  expect(diagnoses.map(({ verdict }) => verdict)).toEqual(["allowed", "allowed"]);
  expect(notes).toHaveLength(3);
});

describe("bundles that are broken or lie never name a wrong cause", () => {
  const broken = (found: Report): readonly string[] =>
    found.diagnoses.flatMap(({ checks }) =>
      checks.flatMap(({ id, status }) => (status === "fail" && id !== "otherwise" ? [id] : [])),
    );

  it.each(Object.keys(HEALTHY.aws.files))("%s missing", (name) => {
    const found = report("aws", [gone(name)], { serviceAccount: ACCOUNT, image: IMAGE });
    expect(broken(found)).toEqual([]);
  });

  it.each(Object.keys(HEALTHY.google.files))("%s cut off", (name) => {
    const cut: Edit = (files) => ({ ...files, [name]: (files[name] ?? "").slice(0, 40) });
    const { image } = HEALTHY.google;
    let found: readonly string[] = [];
    try {
      found = broken(report("google", [cut], { serviceAccount: ACCOUNT, image }));
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^explain-/) });
    }
    expect(found).toEqual([]);
  });

  /** Files that say themselves that a link is broken, whichever cluster they are of. */
  const OF_CLUSTER = ["rbac.json", "credential-provider-config.yaml", "plugins.txt", "openid-outside.json"];

  it.each(Object.keys(HEALTHY.zot.files).filter((name) => name in HEALTHY.aws.files))(
    "%s of another cluster",
    (name) => {
      const mixed: Edit = (files) => ({ ...files, [name]: HEALTHY.aws.files[name] ?? "" });
      const ask = (): Report => report("zot", [mixed], { serviceAccount: ACCOUNT, image: HEALTHY.zot.image });
      if (["claims.txt", "openid.json"].includes(name)) expect(ask).toThrow("files of one cluster");
      else
        expect(ask().diagnoses.some(({ verdict }) => verdict === "denied")).toBe(OF_CLUSTER.includes(name));
    },
  );
});

const OTHER = '{ "issuer": "https://b", "jwks_uri": "https://b/k", "response_types_supported": [] }';

it.each<[string, Edit, RegExp]>([
  ["files of two nodes", file("node-2/plugins.txt", "total 0\n"), /in the bundle twice/],
  ["a secret in errors", file("errors.txt", "https://user:hunter22@h/\n"), /a URL with a password/],
  ["files of two clusters", file("z/openid.json", OTHER), /have the issuers .*prod, https:\/\/b/],
  ["half of the published keys", text("jwks-outside.json", "}", ""), /not whole JSON/],
  ["half of the events", file("events.json", '{"items": ['), /not whole JSON/],
  [
    "a static pod, which has no service account",
    text("objects.json", '"labels"', '"annotations": { "kubernetes.io/config.mirror": "a" }, "labels"'),
    /static pods/,
  ],
])("refused: %s", (_, edit, reason) => {
  expect(() => report("aws", [edit])).toThrow(reason);
});

it("a token without times says nothing of clocks", () => {
  const { notes } = report("aws", [text("claims.txt", '"iat"', '"at"')]);
  expect(notes).toEqual([]);
});

it("backslashes without end take no time", () => {
  expect(messagesIn(`${"\\".repeat(50_000)}x`)).toEqual([]);
}, 2000);

it("an empty folder says how to begin", () => {
  expect(() => diagnose(folderOf({}), {})).toThrow("doctor --collect");
});

describe("the report", () => {
  const found = (): Report =>
    report("aws", [
      text("credential-provider-config.yaml", "*.dkr.ecr.*.", "*.ecr.*."),
      gone("rbac.json"),
      event("Failed to pull image: no basic auth credentials"),
    ]);

  it("says what would decide a link that is open", () => {
    const all = found();
    const [pull] = all.diagnoses;
    expect(pull?.missing.map((each) => each.file)).toEqual(["rbac.json"]);
    expect(reportText(all)).toContain(`would decide: ${COLLECTED.get("rbac.json")?.command} > rbac.json`);
  });

  it("names evidence with file, line and command", () => {
    expect(reportText(found())).toMatch(
      /1\. provider-matches-image: .*\n    seen: \S+events\.json\S* items\[0\]\.message: .*kubectl get events/,
    );
  });

  it("has the same lines in Markdown, and the same facts in JSON", () => {
    const all = found();
    const lines = reportText(all).split("\n").length;
    expect(reportMarkdown(all).split("\n")).toHaveLength(lines);
    expect(JSON.parse(reportJson(all))).toMatchObject({
      version: 1,
      results: [{ verdict: "denied", missing: [{ file: "rbac.json" }] }, { verdict: "allowed" }],
    });
  });
});
