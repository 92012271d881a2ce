import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { encodeNow } from "../../../lib/model/late";
import { Growth, UNBOUND_COMMENT, boundFiles } from "../../../lib/synth/bind/bound-files";
import { readTerraformOutputs } from "../../../lib/synth/bind/outputs";
import type { WorkloadIdentityFile } from "../../../lib/artefact/workload-identity-file";
import { privateKeyForms } from "../../fixtures/openid/private-keys";
import type { Json } from "../../support/json";
import { refusal } from "../../support/refusal";

const FILE = "manifests/20-service-accounts.yaml";
const CLIENT = "@late(azurerm_user_assigned_identity.web.client_id)@";
const ENCODED = "@late(data-url.0011223344556677)@";

const WEB_CLIENT_ID = { output: "web_client_id", path: ["prod", "Manifests", "web_client_id"] };
const placeholders: WorkloadIdentityFile["placeholders"] = {
  [CLIENT]: { ...WEB_CLIENT_ID, expression: "${…}" },
  [ENCODED]: { encoding: "data-url", text: `{"clientId":"${CLIENT}"}` },
  "@late(base64.cc)@": { encoding: "base64", text: ENCODED },
};

const object = (annotation: string): string =>
  `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: web\n  namespace: shop\n  annotations:\n    example.com/id: ${annotation}\n`;

interface Given {
  readonly expression?: string;
  readonly sensitive?: boolean;
  readonly resources?: Json;
  readonly growth?: Growth;
}

function bound(text: string, value: unknown, given: Given = {}): string | undefined {
  const { expression = "${…}", sensitive = false, resources = {}, growth } = given;
  const outputs = readTerraformOutputs(
    JSON.stringify({ web_client_id: { value, type: "string", sensitive } }),
    "o.json",
  );
  const input = {
    stack: "prod",
    placeholders: { ...placeholders, [CLIENT]: { ...WEB_CLIENT_ID, expression } },
    clusters: [{ kubelet: "1.35" }],
    files: new Map([[FILE, text]]),
    outputs,
    resources,
  };
  return boundFiles(input, growth).get(FILE);
}

describe("boundFiles", () => {
  it.each([`"${CLIENT}"`, `"${ENCODED}"`])(
    "refuses a private key in an output, and does not show it: %s",
    (text) => {
      const keyFile = JSON.stringify({ type: "service_account", private_key: "-----BEGIN\nAAAA" });
      for (const key of [...privateKeyForms(), keyFile, keyFile.replaceAll("-----BEGIN\\n", "")]) {
        for (const value of [key, `x\n${key}`, Buffer.from(key).toString("base64")])
          expect(() => bound(object(text), value)).toThrowError(
            refusal("bind-invalid", {
              message: `${FILE}: ServiceAccount shop/web: metadata.annotations["example.com/id"] now has its value, from web_client_id, and cannot be written: it holds a private key; allowed: the values that the property accepts at synth; correct the Terraform value, apply, and write the outputs file again; nothing was written`,
            }),
          );
      }
    },
  );

  it.each([
    ["client_id", "c1_shop_web", false],
    ["tenant_id", "", false],
    ["client_id", "22222222-2222-4333-8444-555555555555", true],
    ["name", "c1_shop_web", true],
  ])("takes for the %s of an identity %j: %s", (attribute, value, isTaken) => {
    const expression = `\${azurerm_user_assigned_identity.web.${attribute}}`;
    const run = (): unknown => bound(object(`"${CLIENT}"`), value, { expression });
    if (isTaken) expect(run()).toContain(value);
    else expect(run).toThrowError(refusal("bind-mismatch"));
    if (value === "c1_shop_web" && !isTaken)
      expect(run).toThrowError(
        'needs the Terraform output web_client_id, which cannot be the value of azurerm_user_assigned_identity.web.client_id, got "c1_shop_web"; allowed: a GUID',
      );
  });

  it.each([
    ["arn:aws:iam::111122223333:role/c1_shop_web", {}, undefined],
    ["arn:aws:iam::111122223333:role/apps/c1_shop_web", { path: "/apps/" }, undefined],
    ["arn:aws:iam::111122223333:role/c1_shop_web-x", { name: "${local.name}" }, undefined],
    ["arn:aws:iam::111122223333:role/c1_shop_api", {}, "role/c1_shop_web"],
    ["arn:aws:iam::111122223333:role/apps/c1_shop_web", {}, "role/c1_shop_web"],
    ["arn:aws:iam::111122223333:role/c1_shop_web", { path: "/apps/" }, "role/apps/c1_shop_web"],
    ["arn:aws:iam::111122223333:user/c1_shop_web", {}, "role/c1_shop_web"],
    ["c1_shop_web", { name: "${local.name}" }, "role/[<path>/]<name>"],
  ])("for the ARN of a role takes %j with %j: %s", (value, role, wanted) => {
    const resources = { aws_iam_role: { web: { name: "c1_shop_web", ...role } } };
    const expression = "${aws_iam_role.web.arn}";
    const run = (): unknown => bound(object(`"${CLIENT}"`), value, { expression, resources });
    if (wanted === undefined) expect(run()).toContain(value);
    else expect(run).toThrowError(`got "${value}"; allowed: arn:<partition>:iam::<account>:${wanted};`);
  });

  it("takes the ARN of any role where the configuration was not read", () => {
    const [path, of] = ["arn:aws:iam::111122223333:role/team/web", { expression: "${aws_iam_role.web.arn}" }];
    expect(bound(object(`"${CLIENT}"`), path, of)).toContain(path);
    expect(() => bound(object(`"${CLIENT}"`), "web", of)).toThrowError(/role\/\[<path>\/\]<name>/);
  });

  it.each([
    ["in another form", "s3cr3t"],
    ["with the text of a placeholder", "s3cr3t @late(x)@"],
  ])("does not show a sensitive output %s", (_, value) => {
    const expression = value === "s3cr3t" ? "${azurerm_user_assigned_identity.web.client_id}" : "${…}";
    const run = (): unknown => bound(object(`"${CLIENT}"`), value, { expression, sensitive: true });
    expect(run).toThrowError(
      expect.objectContaining({ message: expect.not.stringContaining("s3cr3t"), value: "<sensitive>" }),
    );
  });

  const tooMuch = expect.objectContaining({
    code: "bind-invalid",
    message: expect.stringContaining("the filled texts are longer than 134217728 characters") as unknown,
  }) as Error;

  it("refuses more than memory holds in places of a text", () => {
    // Longer than a text can be, so that it must be refused before; encoded once, the value is not checked in each place.
    expect(() => bound(object(`"${ENCODED.repeat(1200)}"`), "x".repeat(500_000))).toThrowError(tooMuch);
  });

  it("refuses more than memory holds in texts, of all stacks together", () => {
    const growth = new Growth();
    growth.add("x".repeat(128 * 1024 * 1024 - 3), "another stack");
    const text = object(`"${CLIENT}"`);
    expect(bound(text, "12", { growth })).toContain('"12"');
    expect(() => bound(text, "34", { growth })).toThrowError(tooMuch);
  });

  it("takes public keys and certificates", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = String(publicKey.export({ format: "pem", type: "spki" }));
    const jwks = JSON.stringify({ keys: [publicKey.export({ format: "jwk" })] });
    for (const value of [pem, Buffer.from(pem).toString("base64"), jwks])
      expect(parse(bound(object(`"${CLIENT}"`), value) ?? "")).toHaveProperty(
        ["metadata", "annotations", "example.com/id"],
        value,
      );
  });

  it.each([
    ["a whole value", `"${CLIENT}"`, "1-2", "1-2"],
    ["inside text", `x${CLIENT}y${CLIENT}`, "1", "x1y1"],
    ["text that looks like a number", `"${CLIENT}"`, "0755", '"0755"'],
    ["text that would end the line", `"${CLIENT}"`, "a: b # c", '"a: b # c"'],
    ["a value with replacement patterns", `"${CLIENT}"`, "$&$1$$", "$&$1$$"],
    ["an encoded text, encoded last", `"${ENCODED}"`, "é", encodeNow("data-url", '{"clientId":"é"}')],
  ])("fills %s", (_, annotation, value, expected) => {
    expect(bound(object(annotation), value)).toBe(object(expected));
  });

  it("keeps the bytes of everything else and takes its own comment away", () => {
    const before = `# mine\n`;
    const rest = `---\nkind: ConfigMap   # odd spacing stays\ndata: { a:   1 }\n---\n${object("plain")}`;
    const inside = `---\nkind: ConfigMap\ndata:\n  a: |\n    ${UNBOUND_COMMENT}`;
    expect(bound(before + UNBOUND_COMMENT + object(`"${CLIENT}"`) + rest + inside, "1")).toBe(
      before + object('"1"') + rest + inside,
    );
  });

  it.each([
    [
      "a missing output",
      object(`"${CLIENT}"`),
      undefined,
      "bind-missing",
      `ServiceAccount shop/web: metadata.annotations["example.com/id"]`,
    ],
    ["null", object(`"${CLIENT}"`), null, "bind-mismatch", "is null"],
    ["a number", object(`"${CLIENT}"`), 7, "bind-mismatch", "is a number"],
    ["an object", object(`"${CLIENT}"`), {}, "bind-mismatch", "is an object"],
    ["a list", object(`"${CLIENT}"`), ["1"], "bind-mismatch", "is a list"],
    ["an empty text", object(`"${CLIENT}"`), "", "bind-mismatch", "is an empty text"],
    ["an output that is a placeholder", object(`"${CLIENT}"`), ENCODED, "bind-unsafe", ENCODED],
    ["an output with half of one", object(`"${CLIENT}"`), "x@late(a", "bind-unsafe", "web_client_id"],
    [
      "a missing output in an encoded text",
      object(`"${ENCODED}"`),
      undefined,
      "bind-missing",
      'metadata.annotations["example.com/id"]',
    ],
    ["a placeholder of no one", object('"@late(a.b)@"'), "1", "bind-unknown", "@late(a.b)@"],
    ["half a placeholder", object('"x@late(a.b"'), "1", "bind-unknown", "x@late(a.b"],
    ["a placeholder as a key", `kind: X\ndata:\n  "${CLIENT}": 1\n`, "1", "bind-unknown", "X: data"],
    ["an encoded text in an encoded text", object('"@late(base64.cc)@"'), "1", "bind-unknown", ENCODED],
    ["a document that is not YAML", `a: "${CLIENT}\n`, "1", "bind-invalid", "is not YAML"],
  ])("refuses %s", (_, text, value, code, part) => {
    const run = (): unknown => bound(text, value);
    expect(run).toThrowError(refusal(code, { message: expect.stringContaining(part) as unknown }));
    expect(run).toThrowError(FILE);
  });

  // An azure.json, say: encoded or not, it is JSON before and after.
  it.each([
    ["in an encoded text", object(`"${ENCODED}"`)],
    ["in a node file", `kind: X\ndata:\n  content: |\n    {"clientId":"${CLIENT}"}\n`],
  ])("refuses JSON that a value breaks or reaches beyond, %s", (_, text) => {
    for (const value of ['a"b', "a\\", "a\nb", 'a","tenantId":"b', 'a","clientId":"b'])
      expect(() => bound(text, value)).toThrowError(
        refusal("bind-unsafe", { message: expect.stringContaining("JSON") }),
      );
    expect(() => bound(text, "é ' : #")).not.toThrow();
  });

  it("takes any JSON for a placeholder without quotes", () => {
    const text = `kind: X\ndata:\n  content: '{"list":${CLIENT}}'\n`;
    expect(() => bound(text, '["a"]')).not.toThrow();
    expect(() => bound(text, "a")).toThrowError(refusal("bind-unsafe"));
  });

  it("takes text that only begins like JSON", () => {
    expect(bound(object(`"{x} ${CLIENT}"`), '"')).toBe(object(`'{x} "'`));
  });

  describe("a CredentialProviderConfig", () => {
    const provider = {
      name: "p",
      matchImages: ["quay.io"],
      defaultCacheDuration: "1m",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      args: ["--id=ARG"],
    };
    const config = stringify({
      apiVersion: "kubelet.config.k8s.io/v1",
      kind: "CredentialProviderConfig",
      providers: [provider],
    }).replace("ARG", CLIENT);
    const file = stringify({ kind: "X", data: { content: config } });

    it.each([
      ["a: b", "strict decoding error|cannot unmarshal|expected"],
      ["x\n- y", "not YAML|expected"],
    ])("is refused when the kubelet would not start with it: %j", (value) => {
      expect(() => bound(file, value)).toThrowError(
        refusal("bind-unsafe", { message: expect.stringContaining("CredentialProviderConfig") }),
      );
    });

    it("is filled when it would", () => {
      expect(bound(file, "1-2")).toContain("--id=1-2");
    });
  });

  it("names the item of a list", () => {
    const text = `kind: RoleBinding\nmetadata:\n  name: x\nsubjects:\n  - name: a\n  - name: "${CLIENT}"\n`;
    expect(() => bound(text, null)).toThrowError(`${FILE}: RoleBinding x: subjects[1].name needs a text`);
  });
});
