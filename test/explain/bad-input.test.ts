import { describe, expect, it } from "vitest";
import { explain } from "../../lib/explain";
import { folderOf } from "../fixtures/explain/artefacts";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const deepYaml = (levels: number): string =>
  Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:\n`).join("");
const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x, x]",
  ..."bcdefgh".split("").map((name) => {
    const inner = `*${String.fromCharCode(name.charCodeAt(0) - 1)}`;
    return `${name}: &${name} [${Array(10).fill(inner).join(", ")}]`;
  }),
].join("\n");

describe("refused, naming file and line", () => {
  it.each<[string, string, string | Buffer, number, string]>([
    ["YAML that is none", "m.yaml", "a: 1\nb: [1\n", 3, "is not YAML"],
    [
      "a secret in the wrong place",
      "m.yaml",
      "kind: Secret\nstringData:\n  password: >hunter2\n",
      3,
      "is not YAML: Block scalar header includes extra characters$",
    ],
    ["a key twice", "m.yaml", "kind: Pod\nkind: Pod\n", 2, "is not YAML: Map keys must be unique"],
    ["JSON that is none", "m.json", '{\n"a": }\n', 2, "is not JSON"],
    ["a key twice in JSON", "m.json", '{\n"a": {"b": 1,\n"b": 2}\n}\n', 3, "has a key twice in one object"],
    ["JSON that ends early", "m.json", '{\n"a": 1\n', 2, "is not JSON"],
    [
      "no UTF-8",
      "m.yaml",
      Buffer.from([0x61, 0x3a, 0x20, 0x78, 0x0a, 0x62, 0x3a, 0x20, 0xff]),
      2,
      "is not UTF-8",
    ],
    ["deep JSON", "m.json", nested(100_000), 1, "is nested deeper than 200 levels"],
    ["deep YAML, flow", "m.yaml", `kind: x\na: ${nested(20_000)}`, 2, "is nested deeper than 200 levels"],
    ["deep YAML, block", "m.yaml", deepYaml(300), 1, "is nested deeper than 200 levels"],
    ["alias bomb", "m.yaml", bomb, 1, "has aliases that refer to nothing, or that expand to too much"],
    ["alias of nothing", "m.yaml", "a: *b\n", 1, "has aliases that refer to nothing"],
    ["many documents", "m.yaml", "---\na: [1]\n".repeat(50_001), 100_001, "has more than 50000 documents"],
    ["an object that holds itself", "m.yaml", "a: &a\n  b: *a\n", 1, "has aliases|nested deeper"],
  ])("%s", (_, name, text, line, reason) => {
    const folder = folderOf({ [name]: text });
    expect(() => explain([`${folder}/${name}`])).toThrowError(
      expect.objectContaining({
        code: "explain-invalid",
        value: `${folder}/${name}:${line}`,
        problem: expect.stringMatching(reason),
      }),
    );
  });

  it("is what the kubelet says to a file of a node", () => {
    const folder = folderOf({
      "nodes.yaml":
        'files:\n  - path: /c.yaml\n    content: "kind: CredentialProviderConfig\\na: [1"\nkubeletFlags:\n  image-credential-provider-config: /c.yaml\n  image-credential-provider-bin-dir: /bin\n',
    });
    const [result] = explain([folder], { serviceAccount: "a/b", image: "a.io/b" });
    const check = result?.checks.find(({ id }) => id === "provider-matches-image");
    expect(check).toMatchObject({
      status: "fail",
      reason: expect.stringContaining("does not start: error decoding"),
    });
  });
});

describe("refused as a whole", () => {
  it.each<[string, (folder: string) => string, string]>([
    ["a path that is not there", (folder) => `${folder}/none`, "there is no such file or folder"],
    ["an empty folder", (folder) => folder, "nothing to explain was found"],
  ])("%s", (_, path, problem) => {
    const folder = folderOf({});
    expect(() => explain([path(folder)])).toThrowError(
      expect.objectContaining({
        code: "explain-missing",
        problem: expect.stringContaining(problem) as unknown,
      }),
    );
  });

  it("a YAML file of 50 MB, with its size and the most that is read", () => {
    const folder = folderOf({ "big.yaml": Buffer.alloc(50_000_000, "#") });
    expect(() => explain([`${folder}/big.yaml`])).toThrowError(
      expect.objectContaining({
        code: "explain-limit",
        message: `${"file of 50000000 bytes is larger than explain reads"}, got ${JSON.stringify(`${folder}/big.yaml`)}; allowed: at most 33554432 bytes; split the file, or name only the files that the question is about`,
      }),
    );
  });

  it("a stack that was not read, and a service account that is none", () => {
    const folder = folderOf({ "m.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n" });
    expect(() => explain([folder], { stack: "prod" })).toThrowError(
      expect.objectContaining({ code: "explain-unknown" }),
    );
    expect(() => explain([folder], { serviceAccount: "web", image: "x" })).toThrowError(
      expect.objectContaining({ code: "identities-invalid" }),
    );
  });
});

describe("read without harm", () => {
  const ask = { serviceAccount: "shop/web", image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/web" };

  it.each<[string, string]>([
    [
      "members of the wrong type",
      "apiVersion: v1\nkind: ServiceAccount\nmetadata: [1]\n---\napiVersion: v1\nkind: Pod\nspec: {containers: 7, volumes: x}\n---\napiVersion: a/v1\nkind: MachineConfig\nspec: {config: {storage: {files: {}}}}\n",
    ],
    [
      "null everywhere",
      "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web, namespace: shop, annotations: null}\nimagePullSecrets: null\n",
    ],
    [
      "keys of prototypes",
      "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web, namespace: shop, annotations: {__proto__: x, constructor: y}}\n---\napiVersion: v1\nkind: __proto__\n---\napiVersion: v1\nkind: constructor\nspec: {}\n",
    ],
    [
      "a list in a list",
      "apiVersion: v1\nkind: List\nitems: [1, null, {apiVersion: v1, kind: List, items: 4}]\n",
    ],
  ])("%s", (_, text) => {
    const [result] = explain([folderOf({ "m.yaml": text })], ask);
    expect(result?.verdict).not.toBe("allowed");
  });

  it("references that go round in a circle", () => {
    const folder = folderOf({
      "main.tf.json": JSON.stringify({
        locals: { a: "${local.b}", b: "${local.a}" },
        resource: {
          aws_iam_role: {
            r: { name: "${local.a}", assume_role_policy: "${aws_iam_role.r.assume_role_policy}" },
          },
        },
      }),
    });
    expect(explain([folder], ask)[0]?.verdict).toBe("unknown");
  });

  it("a chain of twenty thousand locals", () => {
    const locals = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, place) => [`l${place}`, `\${local.l${place + 1}}`]),
    );
    const roles = { aws_iam_role: { r: { name: "${local.l0}", assume_role_policy: "${local.l0}" } } };
    const folder = folderOf({ "main.tf.json": JSON.stringify({ locals, resource: roles }) });
    expect(explain([folder], ask)[0]?.verdict).toBe("unknown");
  });

  it("a million characters of image", () => {
    const folder = folderOf({ "m.yaml": "apiVersion: v1\nkind: Namespace\n" });
    expect(explain([folder], { ...ask, image: "a/".repeat(500_000) })[0]?.verdict).toBe("denied");
  });
});
