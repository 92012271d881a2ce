import { describe, expect, it } from "vitest";
import { cluster, plain } from "../fixtures/explain/plain";
import { type Edit, edited, folderOf, synthesized } from "../fixtures/explain/artefacts";
import { type Ran, cli as run } from "../support/cli";

const artefacts = synthesized("openshift-aws");
const ROLE = "arn:aws:iam::111122223333:role/prod-eu_shop_web";
/** The service account shop/web without its role, so that both of its pulls are denied. */
const UNANNOTATED: Edit = ["20-service-accounts.yaml", `ecr-role-arn: ${ROLE}`, `role-arn: ${ROLE}`];
/** The same, with another role as what it acts as in AWS. */
const MISNAMED: Edit = ["20-service-accounts.yaml", `ecr-role-arn: ${ROLE}`, "role-arn: x"];
/** A cluster of which one plugin's version is not known. */
const UNSTATED: Edit = ["workload-identity.json", '"version": "1.35.1"', '"other": ""'];

const cli = (...args: readonly string[]): Promise<Ran> => run("explain", ...args);

describe("exit code", () => {
  it("0 where every pull is allowed, each with its identity", async () => {
    const folder = folderOf(artefacts);
    const { code, out, err } = await cli(folder);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(
      /^allowed  prod-eu: batch\/jobs pulls 444455556666\S+ as arn:aws:iam::111122223333:role\/prod-eu_batch_jobs\n/,
    );
    expect(out).toMatch(/(?:^allowed .*\n){3}3 allowed, 0 denied, 0 unknown\n$/m);
    expect(await cli("--only", "allowed", folder)).toEqual({ code, out, err });
  });

  it("1 where one is denied, even if another is unknown", async () => {
    const renamed: Edit = ["cdk.tf.json", '"name": "prod-eu_batch_jobs"', '"name": "other"'];
    const folder = folderOf(edited(artefacts, [MISNAMED, renamed]));
    const { code, out } = await cli(folder);
    expect(code).toBe(1);
    expect(out).toMatch(/\n0 allowed, 3 denied, 1 unknown\n$/);
  });

  it("tells of components, in every format", async () => {
    const folder = folderOf(synthesized("openshift-manual-google"));
    const text = await cli(folder);
    expect(text.code).toBe(0);
    expect(text.out).toMatch(/\n10 allowed, 0 denied, 0 unknown\n$/);
    expect(text.out).toMatch(
      /^allowed  prod-google: openshift-ingress-operator\/ingress-operator uses the Secret \S+ as \S+@acme-prod\.iam\.gserviceaccount\.com$/m,
    );
    expect(text.out).toMatch(/^allowed  prod-google: shop\/reports acts in google as \S+$/m);
    const registry = ["--service-account", "openshift-image-registry/registry", "--format", "json"];
    const one = await cli(...registry, folder);
    expect(JSON.parse(one.out)).toMatchObject({
      version: 1,
      results: [{ job: "component", target: "openshift-image-registry/installer-cloud-credentials" }],
    });
    const html = await cli("--format", "html", folder);
    expect(html.out).toContain("<h1>Platform components, workloads</h1>");
    const mermaid = await cli("--format", "mermaid", folder);
    expect(mermaid.out).toContain(
      "registry uses the Secret openshift-image-registry/installer-cloud-credentials",
    );
  });

  it("tells what becomes of running pods with --running, and wants some", async () => {
    const image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web";
    const pods = (name: string): object => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "shop", name, uid: name },
      spec: { serviceAccountName: name, containers: [{ name, image }] },
    });
    const folder = folderOf(artefacts);
    const running = folderOf({
      "pods.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: [pods("web"), pods("default")] }),
    });
    const text = await cli("--running", "--verbose", folder, running);
    expect(text.code).toBe(1);
    expect(text.out).toMatch(/^allowed {2}prod-eu: shop\/web keeps pulling \S+ as arn:/);
    expect(text.out).toMatch(
      /\ndenied {2}prod-eu: shop\/default keeps pulling \S+\n {2}fail {4}still-pulled: the pull is lost/,
    );
    expect(text.out).toMatch(/\n1 allowed, 1 denied, 0 unknown\n$/);
    const json = await cli("--running", "--format", "json", "--service-account", "shop/web", folder, running);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject({ version: 1, results: [{ job: "running-pull", as: ROLE }] });
    expect((await cli("--running", folder)).err).toContain("kubectl get pods -A -o yaml");
    expect((await cli("--running", "--spoke", "x", folder, running)).code).toBe(2);
  });

  it("tells of fleet access, of one spoke where it is named, in every format", async () => {
    const folder = folderOf(synthesized("fleet-multikueue"));
    const text = await cli(folder);
    expect([text.code, text.err]).toEqual([0, ""]);
    expect(text.out).toMatch(/\n3 allowed, 0 denied, 0 unknown\n$/);
    const one = await cli("--spoke", "on-prem", "--format", "json", folder);
    expect(JSON.parse(one.out)).toMatchObject({
      version: 1,
      results: [{ job: "fleet-access", target: "on-prem", verdict: "allowed", warnings: [] }],
    });
    expect((await cli("--spoke", "on-prem", "--format", "mermaid", folder)).out).toContain(
      "enters on-prem: allowed",
    );
    expect((await cli("--spoke", "on-prem", "--format", "html", folder)).out).toContain(
      "Fleet access: 0 denied",
    );
    const other = await cli("--spoke", "other", folder);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("explain-unknown")]);
    const both = await cli("--spoke", "on-prem", "--image", "a/b:c", folder);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("--image asks about pulls")]);
  });

  it("3 where one is unknown and none denied", async () => {
    expect((await cli(folderOf(edited(artefacts, [UNSTATED])))).code).toBe(3);
  });

  it.each<[string, readonly string[], RegExp]>([
    ["a folder that is not there", ["/none"], /\(explain-missing\)\n$/],
    [
      "an unknown format",
      ["--format", "yaml"],
      /argument 'yaml' is invalid. Allowed choices are text, json, sarif, junit, github, markdown, mermaid, html\.\n/,
    ],
    ["a format of prototypes", ["--format", "constructor"], /argument 'constructor' is invalid/],
    [
      "a service account that is none",
      ["--service-account", "web", "--image", "x", folderless()],
      /\(identities-invalid\)\n$/,
    ],
  ])("2 for %s", async (_, args, message) => {
    const given = args.map((argument) => (argument === folderless() ? folderOf(artefacts) : argument));
    const { code, out, err } = await cli(...given);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });

  it("2 where nothing was declared and nothing asked", async () => {
    const { code, err } = await cli(
      folderOf({ "m.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n" }),
    );
    expect(code).toBe(2);
    expect(err).toContain("give --service-account and --image");
  });
});

function folderless(): string {
  return "<folder>";
}

it("explains one pull as JSON", async () => {
  const image = "444455556666.dkr.ecr.eu-west-1.amazonaws.com/batch/runner:v1";
  const asked = ["--stack", "prod-eu", "--service-account", "shop/web", "--image", image];
  const { code, out } = await cli("--format", "json", ...asked, folderOf(artefacts));
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    version: 1,
    results: [{ stack: "prod-eu", subject: "shop/web", target: image, verdict: "denied" }],
  });
});

it("draws Mermaid", async () => {
  const { out } = await cli("--format", "mermaid", folderOf(artefacts));
  expect(out.startsWith("flowchart LR\n")).toBe(true);
});

it("writes an HTML page, of the same bytes each time, with the exit code of the verdicts", async () => {
  const folder = folderOf(artefacts);
  const [first, second] = [await cli("--format", "html", folder), await cli("--format", "html", folder)];
  expect(first.code).toBe(0);
  expect(first.out).toMatch(
    /^<!DOCTYPE html>\n[^]*<title>Image pulls: 0 denied, 0 unknown, 3 allowed<\/title>[^]*<\/html>\n$/,
  );
  expect(second.out).toBe(first.out);
});

it("names what it skipped on stderr", async () => {
  const folder = folderOf(new Map([...artefacts, ["values.yaml", "replicas: 3\n"]]));
  const { err } = await cli(folder, `${folder}/values.yaml`);
  expect(err).toBe(
    `skipped ${folder}/values.yaml: neither a Kubernetes object, nor files of a node, nor Terraform JSON\n`,
  );
});

it("names three of many that it skipped for one reason, and each with --verbose", async () => {
  const values = Array.from({ length: 6 }, (_, place) => [`more/v${place}.yaml`, "replicas: 3\n"] as const);
  const folder = folderOf(new Map([...artefacts, ...values]));
  const reason = "neither a Kubernetes object, nor files of a node, nor Terraform JSON";
  const each = values.map(([name]) => `skipped ${folder}/${name}: ${reason}\n`);
  const asked = [folder, `${folder}/more`];
  expect((await cli(...asked)).err).toBe(
    `${each.slice(0, 3).join("")}skipped 3 others: ${reason}; --verbose names each\n`,
  );
  expect((await cli("--verbose", ...asked)).err).toBe(each.join(""));
});

it("says that a file of facts is not there", async () => {
  const { code, err } = await cli("--facts", "no-such-file.yaml", folderOf(artefacts));
  expect(code).toBe(2);
  expect(err).toContain('file cannot be read (ENOENT), got "no-such-file.yaml"; there is no such file');
});

it("takes what other people's artefacts do not say from a file", async () => {
  const folder = folderOf({ ...plain, "facts/facts.jsonx": JSON.stringify({ cluster }) });
  const image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web";
  const ask = ["--service-account", "team/puller", "--image", image, folder];
  expect((await cli(...ask)).code).toBe(3);
  expect((await cli("--facts", `${folder}/facts/facts.jsonx`, ...ask)).code).toBe(0);
  expect((await cli("--facts", `${folder}/none.json`, ...ask)).code).toBe(2);
});

it.each([
  [[], 3],
  [["--fail-on", "unknown"], 3],
  [["--fail-on", "denied"], 0],
  // Every namespace has a default one, which has no annotation.
  [["--fail-on", "denied", "--service-account", "team/default"], 1],
  [["--fail-on", "allowed"], 2],
])("fails on what it is asked to: %j", async (options, code) => {
  const folder = folderOf({ ...plain, "facts.jsonx": JSON.stringify({ cluster }) });
  const image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web";
  const facts = options.includes("team/default") ? ["--facts", `${folder}/facts.jsonx`] : [];
  const ask = ["--service-account", "team/puller", "--image", image, ...facts, ...options, folder];
  expect((await cli(...ask)).code).toBe(code);
});

describe("text", () => {
  const damaged = edited(artefacts, [UNANNOTATED]);

  it("has denied ones first, with link, cause, remedy, place and log, and the identities of the others", async () => {
    const { code, out } = await cli(folderOf(damaged));
    expect(code).toBe(1);
    const [first = "", place = "", log = "", ...others] = out.split("\n");
    expect(first).toMatch(
      /^denied {3}prod-eu: 2 pulls \(shop\/web pulls 111122223333\S+, 111122223333\S+\): annotations-present: the service account shop\/web lacks \S.*; remedy: annotate shop\/web with /,
    );
    expect(place).toMatch(/^ {9}at \S+20-service-accounts\.yaml:9, and others$/);
    expect(log).toMatch(
      /^ {9}log: silent: .*required annotation eks\.amazonaws\.com\/ecr-role-arn not found/,
    );
    expect(others).toEqual([
      expect.stringMatching(/^allowed  prod-eu: batch\/jobs pulls \S+ as \S+batch_jobs$/),
      expect.stringMatching(/^allowed  prod-eu: shop\/web acts in aws as /),
      "2 allowed, 2 denied, 0 unknown",
      "",
    ]);
  });

  it("shows with --only what is asked for, and counts all", async () => {
    const folder = folderOf(damaged);
    const denied = await cli("--only", "denied", folder);
    const lines = [/^denied/gm, /^allowed/gm].map((word) => denied.out.match(word)?.length);
    expect([denied.code, ...lines]).toEqual([1, 1, undefined]);
    expect(denied.out).toMatch(/ allowed, 2 denied, 0 unknown\n$/);
    expect((await cli("--only", "unknown", folder)).out.split("\n")).toHaveLength(2);
    const wrong = await cli("--only", "denied,broken", folder);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain("--only takes denied, unknown, allowed");
  });

  it("shows with --verbose each chain, the broken link first", async () => {
    const { out } = await cli("--verbose", folderOf(damaged));
    const chain = out.slice(out.indexOf("denied  prod-eu: shop/web"));
    expect(chain.split("\n")[1]).toMatch(/^ {2}fail {4}annotations-present: /);
    expect(chain).toMatch(/\n {2}pass {4}image-parses: /);
  });

  it("shows with --summary the counts of each stack and job alone", async () => {
    const { out } = await cli("--summary", folderOf(artefacts));
    expect(out).toBe("prod-eu: pulls: 3 allowed, 0 denied, 0 unknown\n3 allowed, 0 denied, 0 unknown\n");
  });

  it.each([
    [["--verbose", "--summary"], "give one of the two"],
    [["--only", "denied", "--summary"], "--only has no effect"],
    [["--verbose", "--format", "json"], "are for --format text"],
    [["--audit", "--format", "mermaid"], "--format mermaid shows no audit"],
  ])("refuses %j", async (options, text) => {
    const { code, err } = await cli(...options, folderOf(artefacts));
    expect([code, err]).toEqual([2, expect.stringContaining(text)]);
  });
});

describe("every format", () => {
  const FORMATS = ["text", "json", "sarif", "junit", "github", "markdown", "mermaid", "html"];
  const cases: readonly (readonly [string, ReadonlyMap<string, string>, number])[] = [
    ["allowed", artefacts, 0],
    ["denied", edited(artefacts, [MISNAMED]), 1],
    ["unknown", edited(artefacts, [UNSTATED]), 3],
  ];

  it.each(cases)("exits alike: %s", async (_, files, code) => {
    const folder = folderOf(files);
    for (const format of FORMATS)
      expect([format, (await cli("--format", format, folder)).code]).toEqual([format, code]);
    expect((await cli("--audit", folder)).code).toBe(code);
  });
});

describe("findings of the audit", () => {
  const shared: Edit = [
    "cdk.tf.json",
    ':sub\\":\\"system:serviceaccount:shop:web\\"',
    ':sub\\":[\\"system:serviceaccount:shop:web\\",\\"system:serviceaccount:shop:tools\\"]',
  ];

  it.each([
    ["unknown", 0],
    ["audit-error", 0],
    ["audit-warning", 1],
  ])("with --fail-on %s exit with %i where there is only a warning", async (failOn, code) => {
    const folder = folderOf(edited(synthesized("three-clouds"), [shared]));
    const done = await cli("--audit", "--fail-on", failOn, folder);
    expect([done.code, done.out]).toEqual([code, expect.stringMatching(/^audit: .*warning/m)]);
    expect((await cli("--audit", "--fail-on", failOn, folderOf(synthesized("three-clouds")))).code).toBe(0);
  });
});

describe("a name that nothing declares", () => {
  const ECR = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
  const ACCOUNT = "no service account of that name is declared";

  it.each([
    [["--service-account", "shop/wbe"], ACCOUNT, "name shop/web, if that was meant"],
    [["--service-account", "shop/wbe", "--image", "nginx"], ACCOUNT, "name shop/web"],
    [["--image", `${ECR}/shop/wbe:1`], "no image of that name is declared", `name ${ECR}/shop/web`],
    [["--stack", "prod-us"], "no stack of that name was read", "name prod-eu, if that was meant"],
  ])("is an error with the nearest: %j", async (options, problem, remedy) => {
    const { code, out, err } = await cli(...options, folderOf(artefacts));
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(problem);
    expect(err).toContain(remedy);
    expect(err).toMatch(/\(explain-unknown\)\n$/);
  });

  it("asks of an image alone those that declare it", async () => {
    const image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:v1";
    const { out } = await cli("--format", "json", "--image", image, folderOf(artefacts));
    const { results } = JSON.parse(out) as { results: readonly { subject: string; target: string }[] };
    expect(results.map(({ subject, target }) => [subject, target])).toEqual([["shop/web", image]]);
  });

  it("says of an image of a public registry that no plugin is for it, and no denial", async () => {
    const asked = ["--service-account", "shop/web", "--image", "nginx:latest"];
    const { code, out } = await cli(...asked, folderOf(artefacts));
    expect(code).toBe(3);
    expect(out).toMatch(
      /^unknown {2}prod-eu: shop\/web pulls nginx:latest: provider-matches-image: no entry matches docker\.io\/library\/nginx/,
    );
  });
});

it("takes a declared pattern for what it is, with its service account as without", async () => {
  const image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/base/*";
  const asked = await cli("--service-account", "shop/web", "--image", image, folderOf(artefacts));
  expect([asked.code, asked.out]).toEqual([0, (await cli("--image", image, folderOf(artefacts))).out]);
});

describe("--baseline", () => {
  const folder = (): string => folderOf(edited(artefacts, [UNANNOTATED]));
  const targets = [
    "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web",
    "111122223333.dkr.ecr.eu-west-1.amazonaws.com/base/*",
  ];
  const line = (target: string): string =>
    `  - { check: annotations-present, subject: shop/web, target: "${target}", reason: moves in January, expires: 2999-01-31 }\n`;
  const file = (...lines: readonly string[]): string =>
    `${folderOf({ "b.yaml": `accepted:\n${lines.join("")}` })}/b.yaml`;

  it("counts accepted findings for nothing, and shows them with reason and expiry", async () => {
    const { code, out, err } = await cli("--baseline", file(...targets.map(line)), folder());
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^accepted prod-eu: 2 pulls \(.*; accepted until 2999-01-31: moves in January\n/);
    expect(out).toMatch(/, 2 denied, 0 unknown \(2 of them accepted\)\n$/);
  });

  it("fails on the others, and names lines that are of no use", async () => {
    const { code, err } = await cli("--baseline", file(line(targets[0] ?? ""), line("other")), folder());
    expect(code).toBe(1);
    expect(err).toBe(
      "baseline: annotations-present shop/web other is accepted but was not found: remove the line\n",
    );
  });
});
