import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { jsonSchemaOf } from "../../lib/artefact/fact-shape";
import { type ExplainOptions, explain, readFactsFile, renderHtml } from "../../lib/explain";
import { FACTS } from "../../lib/explain/every-cloud";
import { ALL_JOBS, folderOf, synthesized } from "../fixtures/explain/artefacts";
import { cluster, plain } from "../fixtures/explain/plain";

const readAll = (text: string, name = "facts.yaml"): ExplainOptions =>
  readFactsFile(join(folderOf({ [name]: text }), name));

/** Reads facts of a cluster, which stand below `cluster` with the lines of the text. */
const read = (text: string, name = "facts.yaml"): unknown => {
  const isJson = text.startsWith("{");
  const lines = text.split("\n").map((line) => `  ${line}`);
  return readAll(isJson ? `{ "cluster": ${text} }` : `cluster:\n${lines.join("\n")}\n`, name).cluster;
};

describe("facts of a cluster in a file", () => {
  it.each(["facts.json", "facts.yaml", "facts"])("are read from %s", (name) => {
    expect(read(JSON.stringify(cluster), name)).toMatchObject({ issuer: cluster.issuer, kubelet: "1.34" });
  });

  it("are read from YAML", () => {
    const text = `# ours\nissuer: ${cluster.issuer}\nkubelet: "1.34"\napiServer: '1.34'\nplugins:\n  ecr: {version: 1.34.2}\n`;
    expect(read(text)).toEqual(read(JSON.stringify(cluster)));
    const lines = text.replace(/^/gm, "  ");
    const facts = join(folderOf({ "facts.yaml": `cluster:\n${lines}` }), "facts.yaml");
    const asked = {
      serviceAccount: "team/puller",
      image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web",
    };
    const [result] = explain([folderOf(plain)], asked, readFactsFile(facts));
    expect(result?.verdict).toBe("allowed");
  });

  it.each(ALL_JOBS)("may be what a synth has recorded: %s", (name) => {
    const artefacts = [...synthesized(name)];
    const [, text = "{}"] = artefacts.find(([path]) => path.endsWith("/workload-identity.json")) ?? [];
    const { clusters } = JSON.parse(text) as { readonly clusters: readonly object[] };
    expect(clusters).not.toHaveLength(0);
    for (const recorded of clusters)
      expect(read(JSON.stringify(recorded), "c.json")).toMatchObject({ name: expect.any(String) as unknown });
  });

  it.each([
    ["a misspelt key", "kubelet: '1.34'\nisuer: x\n", 2, "has cluster.isuer, which is", /name, .*issuer, /],
    ["a misspelt plugin", "plugins:\n  erc: {}\n", 2, "has cluster.plugins.erc, which", /^ecr, acr, gcp, /],
    [
      "a misspelt key inside of a list",
      "pulls:\n- serviceAccount: a/b\n  images: []\n- serviceacount: a/b\n",
      4,
      "has cluster.pulls[1].serviceacount, which is unknown",
      /^serviceAccount, images$/,
    ],
    ["a number as version", "a: 1\nkubelet: 1.30\n", 1, "has cluster.a, which is unknown", /name/],
    ["a number", "name: x\nkubelet: 1.30\n", 2, "has cluster.kubelet with a number, not a text", /^a text$/],
    [
      "a text for a switch",
      "featureGates:\n  A: true\n  B: 'true'\n",
      3,
      "has cluster.featureGates.B with a text, not true or false",
      /^true or false$/,
    ],
    ["null", "issuer:\n", 1, "has cluster.issuer with null, not a text", /^a text$/],
    ["an object for a list", "pulls: {}\n", 1, "has cluster.pulls with an object, not a list", /^a list$/],
    ["a name of every object", "constructor: {}\n", 1, "has cluster.constructor, which is unknown", /name/],
    ["a list", "- name: x\n", 0, "has cluster with a list, not an object", /^an object$/],
    ["nothing", "# nothing\n", 0, "has cluster with null, not an object", /^an object$/],
    ["no YAML", "name: [\n", 3, "is not YAML", /^YAML or JSON/],
  ])("are refused: %s", (_, text, line, reason, allowed) => {
    expect(() => read(text)).toThrowError(
      expect.objectContaining({
        code: "explain-invalid",
        problem: expect.stringContaining(`file ${reason}`) as unknown,
        value: expect.stringMatching(new RegExp(`facts\\.yaml:${line + 1}$`)) as unknown,
        allowed: expect.stringMatching(allowed) as unknown,
      }),
    );
  });

  it("are refused in JSON, with the line", () => {
    const text = JSON.stringify({ name: "x", openShift: { version: 4.22 } }, null, 2);
    expect(() => read(text, "c.json")).toThrowError(
      expect.objectContaining({
        problem: "file has cluster.openShift.version with a number, not a text",
        value: expect.stringMatching(/c\.json:4$/) as unknown,
      }),
    );
  });
});

describe("a file with facts", () => {
  it.each<[what: string, text: string, problem: string]>([
    ["of nothing", "# nothing\n", "file has 0 documents"],
    ["of two documents", "aws: {}\n---\naws: {}\n", "file has 2 documents"],
    ["with an unknown cloud", "oci: {}\n", "file has oci, which is unknown"],
    ["with an unknown kind", "aws:\n  roles: []\n", "file has aws.roles, which is unknown"],
    [
      "with an unknown key",
      "aws:\n  policies: [{arn: 'arn:aws:iam::111122223333:policy/p', document: {}, x: y}]\n",
      "file has aws.policies[0].x, which is unknown",
    ],
    ["without a key", "aws:\n  oidcProviders: [{arn: a}]\n", "aws.oidcProviders[0] with no audiences"],
    [
      "with an ARN of another kind",
      "aws:\n  repositories: [{arn: 'arn:aws:iam::111122223333:role/a', policy: {}}]\n",
      'file has aws.repositories[0].arn with "arn:aws:iam::111122223333:role/a", which has another form',
    ],
    [
      "with an issuer in place of an ARN",
      "aws:\n  oidcProviders: [{arn: 'https://oidc.example.com', audiences: []}]\n",
      'file has aws.oidcProviders[0].arn with "https://oidc.example.com", which has another form',
    ],
    [
      "with a name in place of an ARN",
      "aws:\n  policies: [{arn: boundary, document: {}}]\n",
      'file has aws.policies[0].arn with "boundary", which has another form',
    ],
    [
      "with a policy as text",
      "aws:\n  repositories: [{arn: 'arn:aws:ecr:eu-west-1:444455556666:repository/a', policy: '{}'}]\n",
      "file has aws.repositories[0].policy with a text, not an object",
    ],
  ])("is refused %s", (_, text, problem) => {
    expect(() => readAll(text)).toThrowError(
      expect.objectContaining({
        code: "explain-invalid",
        problem: expect.stringContaining(problem) as unknown,
      }),
    );
  });

  it("has a JSON schema for editors", async () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Facts for cdktf-workload-identity explain --facts",
      ...jsonSchemaOf(FACTS),
    };
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot("../../docs/facts.schema.json");
  });
});

const PROVIDER = "arn:aws:iam::111122223333:oidc-provider/oidc.example.com/c1";
const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web";
const asked = { serviceAccount: "team/puller", image: IMAGE };
const BOUNDARY = "arn:aws:iam::111122223333:policy/boundary";

type Resources = Record<string, Record<string, Record<string, unknown>>>;

/** The plain artefacts with changed Terraform. */
function changed(change: (resources: Resources) => void): Readonly<Record<string, string>> {
  const terraform = JSON.parse(plain["iam/roles.tf.json"] ?? "") as { resource: Resources };
  change(terraform.resource);
  return { ...plain, "iam/roles.tf.json": JSON.stringify(terraform) };
}

function roleOf(resources: Resources): Record<string, unknown> {
  return Object.values(resources["aws_iam_role"] ?? {})[0] ?? {};
}

function openLink(artefacts: Readonly<Record<string, string>>, facts: ExplainOptions): string {
  const [result] = explain([folderOf(artefacts)], asked, { cluster, ...facts });
  const open = result?.checks.find(({ status }) => status !== "pass");
  return result?.verdict === "allowed" ? "allowed" : `${open?.status} ${open?.id}`;
}

/** What the permission to pull is. */
function policy(action: string): object {
  return { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: action, Resource: "*" }] };
}

describe("stated facts of AWS", () => {
  const adopted = changed((resources) => {
    delete resources["aws_iam_openid_connect_provider"];
  });
  const trusting = Object.fromEntries(
    Object.entries(adopted).map(([file, text]) => [
      file,
      text.replaceAll("${aws_iam_openid_connect_provider.c1.arn}", PROVIDER),
    ]),
  );
  const bounded = changed((resources) => {
    roleOf(resources)["permissions_boundary"] = BOUNDARY;
  });

  it.each<[what: string, artefacts: Readonly<Record<string, string>>, facts: ExplainOptions, open: string]>([
    ["no OIDC provider", trusting, {}, "unknown issuer-trusted"],
    [
      "an OIDC provider",
      trusting,
      { aws: { oidcProviders: [{ arn: PROVIDER, audiences: ["sts.amazonaws.com"] }] } },
      "allowed",
    ],
    [
      "an OIDC provider for another audience",
      trusting,
      { aws: { oidcProviders: [{ arn: PROVIDER, audiences: ["openshift"] }] } },
      "fail audience-accepted",
    ],
    [
      "an OIDC provider of another account",
      trusting,
      {
        aws: {
          oidcProviders: [{ arn: PROVIDER.replace("1111", "9999"), audiences: ["sts.amazonaws.com"] }],
        },
      },
      "unknown issuer-trusted",
    ],
    ["no boundary", bounded, {}, "unknown login-permitted"],
    ["a boundary", bounded, { aws: { policies: [{ arn: BOUNDARY, document: policy("*") }] } }, "allowed"],
    [
      "a narrower one",
      bounded,
      { aws: { policies: [{ arn: BOUNDARY, document: policy("s3:*") }] } },
      "fail login-permitted",
    ],
  ])("%s", (_, artefacts, facts, open) => {
    expect(openLink(artefacts, facts)).toBe(open);
  });

  const owner = "444455556666";
  const foreign = Object.fromEntries(
    Object.entries(plain).map(([file, text]) => [
      file,
      text.replaceAll("ecr:eu-west-1:111122223333", `ecr:eu-west-1:${owner}`),
    ]),
  );
  it.each<[what: string, principal: string, repository: string, open: string]>([
    ["of the role's account", "111122223333", "team/web", "allowed"],
    ["of another account", "999999999999", "team/web", "fail"],
    ["of another repository", "111122223333", "team/other", "unknown"],
  ])("the policy of a repository elsewhere, %s", (_, principal, repository, status) => {
    const statement = {
      Effect: "Allow",
      Principal: { AWS: `arn:aws:iam::${principal}:root` },
      Action: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
    };
    const arn = `arn:aws:ecr:eu-west-1:${owner}:repository/${repository}`;
    const document = { Version: "2012-10-17", Statement: [statement] };
    const facts = { cluster, aws: { repositories: [{ arn, policy: document }] } };
    const image = IMAGE.replace("111122223333", owner);
    const [result] = explain([folderOf(foreign)], { ...asked, image }, facts);
    const open = result?.checks.find((check) => check.status !== "pass");
    expect(result?.verdict === "allowed" ? "allowed" : open?.status).toBe(status);
  });

  it.each<[what: string, artefacts: Readonly<Record<string, string>>, image: string, key: string]>([
    ["an OIDC provider", trusting, IMAGE, "aws.oidcProviders"],
    ["a boundary", bounded, IMAGE, "aws.policies"],
    ["an owner's policy", foreign, IMAGE.replace("111122223333", owner), "aws.repositories"],
  ])("are asked for by the remedy, %s", (_, artefacts, image, key) => {
    const [result] = explain([folderOf(artefacts)], { ...asked, image }, { cluster });
    expect(result?.checks.find(({ status }) => status === "unknown")?.remedy).toContain(`--facts as ${key}`);
  });

  it.each(["kubelet", "plugins.ecr.version", "apiServer"] as const)(
    "of the cluster are asked for by the remedy: %s",
    (key) => {
      const { [key.split(".")[0] as keyof typeof cluster]: __, ...others } = cluster;
      const [result] = explain([folderOf(plain)], asked, { cluster: others });
      expect(result?.checks.map(({ remedy }) => remedy).join()).toContain(`--facts as cluster.${key}`);
    },
  );

  it("are called so in evidence", () => {
    const facts = { cluster, aws: { oidcProviders: [{ arn: PROVIDER, audiences: ["sts.amazonaws.com"] }] } };
    const [result] = explain([folderOf(trusting)], asked, facts);
    const trusted = result?.checks.find(({ id }) => id === "issuer-trusted");
    expect(trusted?.evidence[0]?.source).toEqual({
      file: "the caller",
      path: "aws.oidcProviders[0]",
      stated: true,
    });
    const text = [...renderHtml(result ? [result] : [])].join("");
    expect(text).toContain("stated in the caller aws.oidcProviders[0]");
  });

  it("are refused where they have another shape", () => {
    const facts = { aws: { oidcProviders: [{ arn: PROVIDER }] } } as unknown as ExplainOptions;
    expect(() => explain([folderOf(plain)], asked, facts)).toThrowError(
      expect.objectContaining({ code: "property-invalid" }),
    );
  });
});
