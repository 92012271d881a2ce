import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { App, TerraformOutput, TerraformStack, TerraformVariable, Testing, Token } from "cdktf";
import { describe, expect, it } from "vitest";
import { Issuer } from "../../../lib/model/issuer";
import type { IssuerKey } from "../../../lib/model/issuer-keys";
import type { PublicJsonWebKey } from "../../../lib/model/json-web-key";
import { issuerDocuments, publishedJwks } from "../../../lib/rules/openid/issuer-documents";
import { refusal } from "../../support/refusal";

const pairs = JSON.parse(readFileSync(resolve(__dirname, "../../fixtures/openid/keys.json"), "utf8")) as {
  pem: string;
  jwk: PublicJsonWebKey;
}[];
const pem = (index: number): string => pairs[index]?.pem ?? "";
const current: IssuerKey = { publicKey: pem(0), use: "current" };
const next: IssuerKey = { publicKey: pem(1), use: "next" };
const ec: IssuerKey = { publicKey: pem(5), use: "previous" };

const HOST = "https://mycluster-oidc.s3.us-east-2.amazonaws.com";
const issuer = Issuer.of(HOST);

describe("publishedJwks", () => {
  it("publishes every key, in the order of the ids", () => {
    const ids = publishedJwks([current, next, ec]).keys.map(({ kid }) => kid);
    expect(ids).toEqual([pairs[0], pairs[1], pairs[5]].map((pair) => pair?.jwk.kid).sort());
  });

  it("does not change when the next key becomes the current one", () => {
    expect(
      publishedJwks([
        { ...next, use: "current" },
        { ...current, use: "previous" },
      ]),
    ).toEqual(publishedJwks([current, next]));
  });

  // Two clusters of one issuer: each has an API server with a key of its own.
  it("publishes the keys of several clusters, each with a current one", () => {
    const other: IssuerKey = { publicKey: pem(2), use: "current", cluster: "two" };
    const set = publishedJwks([current, next, other]);
    expect(set.keys.map(({ kid }) => kid)).toEqual([0, 1, 2].map((index) => pairs[index]?.jwk.kid).sort());
    expect(publishedJwks([other, { ...next, cluster: "one" }, { ...current, cluster: "one" }])).toEqual(set);
  });

  it("names the cluster that has none, or two", () => {
    const two = (use: IssuerKey["use"], index: number): IssuerKey => ({
      publicKey: pem(index),
      use,
      cluster: "two",
    });
    for (const [keys, count] of [
      [[two("next", 1)], 0],
      [[two("current", 1), two("current", 2)], 2],
    ] as const)
      expect(() => publishedJwks([current, ...keys])).toThrowError(
        refusal("issuer-invalid", {
          problem: "exactly one key must be the one that cluster two signs with now",
          value: `${count} keys with the use "current"`,
          remedy: expect.stringMatching(/name the cluster of each key \(`cluster`\)$/) as string,
        }),
      );
  });

  it.each([
    ["cluster-invalid", [{ ...current, cluster: "" }]],
    ["cluster-invalid", [{ ...current, cluster: "A B" }]],
    ["issuer-invalid: signs with now", [{ ...current, cluster: "one" }, next]],
    ["issuer-missing: no public key", []],
    ["issuer-invalid: signs with now", [next]],
    ["issuer-invalid: signs with now", [next, ec]],
    ["issuer-invalid: signs with now", [current, { ...next, use: "current" as const }]],
    ["issuer-conflict: the same public key", [current, { ...current, use: "next" as const }]],
    ["property-invalid", [current, { ...next, use: "later" as "next" }]],
    ["property-invalid", [current.publicKey as unknown as IssuerKey]],
    ["property-invalid", [null as unknown as IssuerKey]],
    ["property-invalid", current.publicKey as unknown as IssuerKey[]],
    ["property-missing", undefined as unknown as IssuerKey[]],
  ])("throws %s", (code, keys) => {
    expect(() => publishedJwks(keys)).toThrowError(refusal(code));
  });
});

describe("issuerDocuments", () => {
  it("writes what ccoctl writes, with sub named once and the members of kube-apiserver's own document", () => {
    const { discovery, jwks } = issuerDocuments(issuer, [current], { jwksPath: "keys.json" });
    expect(discovery).toMatchObject({
      path: ".well-known/openid-configuration",
      contentType: "application/json",
    });
    expect(JSON.parse(discovery.text)).toEqual({
      issuer: HOST,
      jwks_uri: `${HOST}/keys.json`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      claims_supported: ["aud", "exp", "sub", "iat", "iss"],
    });
    expect(jwks).toEqual({
      path: "keys.json",
      contentType: "application/json",
      text: JSON.stringify({ keys: [pairs[0]?.jwk] }, undefined, 4),
    });
  });

  it("names each algorithm of the keys once, sorted", () => {
    const { discovery } = issuerDocuments(issuer, [ec, current, next], { jwksPath: "openid/v1/jwks" });
    expect(JSON.parse(discovery.text)).toMatchObject({
      jwks_uri: `${HOST}/openid/v1/jwks`,
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    });
  });

  it("refuses a key that the relying party does not take", () => {
    const accepted = { by: "Azure", algorithms: ["RS256"] };
    expect(() =>
      issuerDocuments(issuer, [current, ec], { jwksPath: "openid/v1/jwks", accepted }),
    ).toThrowError(refusal("issuer-unsupported: does not accept"));
    issuerDocuments(issuer, [current, next], { jwksPath: "openid/v1/jwks", accepted });
  });

  it.each([
    ["https://web.core.windows.net/", undefined, "https://web.core.windows.net/keys.json"],
    ["https://a.example/b/", undefined, "https://a.example/b/keys.json"],
    ["https://a.example/b", undefined, "https://a.example/b/keys.json"],
    ["${TfToken[TOKEN.1]}", undefined, "${TfToken[TOKEN.1]}/keys.json"],
    // azurerm_storage_account.primary_web_endpoint ends with a slash, and is late.
    ["${TfToken[TOKEN.1]}", true, "${TfToken[TOKEN.1]}keys.json"],
  ])("joins %s and the path with one slash", (url, trailingSlash, expected) => {
    const { discovery } = issuerDocuments(Issuer.exactly(url), [current], {
      jwksPath: "keys.json",
      ...(trailingSlash === undefined ? {} : { trailingSlash }),
    });
    expect(JSON.parse(discovery.text)).toMatchObject({ issuer: url, jwks_uri: expected });
  });

  it.each([
    ["/keys.json", "is not a plain relative path"],
    ["", "is not a plain relative path"],
    ["a//b", "is not a plain relative path"],
    ["keys.json?x", "is not a plain relative path"],
    ["${a}", "is not a plain relative path"],
    ["../keys.json", "contains a dot segment"],
    ["a/./b", "contains a dot segment"],
    [".well-known/openid-configuration", "is the path of the discovery document"],
  ])("refuses the path %j", (jwksPath, reason) => {
    expect(() => issuerDocuments(issuer, [current], { jwksPath })).toThrowError(
      refusal("issuer-invalid", { problem: `the path of the key set ${reason}` }),
    );
  });
});

const terraform = hasTerraform();

function hasTerraform(): boolean {
  try {
    execFileSync("terraform", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!terraform)("a late issuer", () => {
  it("is JSON after Terraform has put the URL in", { timeout: 60_000 }, () => {
    const stack = new TerraformStack(new App(), "late");
    const late = new TerraformVariable(stack, "issuer", { type: "string", default: HOST });
    const { discovery } = issuerDocuments(Issuer.of(late.stringValue), [current], { jwksPath: "keys.json" });
    new TerraformOutput(stack, "text", { value: Token.asString(discovery.text) });
    const folder = mkdtempSync(join(tmpdir(), "late-issuer-"));
    try {
      writeFileSync(join(folder, "cdk.tf.json"), Testing.synth(stack));
      const run = (...args: string[]): string =>
        execFileSync("terraform", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
      run("init", "-input=false");
      run("apply", "-auto-approve", "-input=false");
      const text = JSON.parse(run("output", "-json", "text")) as string;
      expect(text).toBe(issuerDocuments(issuer, [current], { jwksPath: "keys.json" }).discovery.text);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
