/*
 * Objects in resources of Terraform, read as what `./delivery` writes them from.
 */

import fc from "fast-check";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { placeholder } from "../../../lib/artefact/placeholder";
import { encodeNow } from "../../../lib/model/late";
import { type ManifestResource, manifestResources } from "../../../lib/explain/read/manifest-resources";
import { readStackConfiguration } from "../../../lib/explain/read/terraform-configuration";
import { Terraform } from "../../../lib/explain/read/terraform";
import { match } from "../../../lib/model/known";
import { type FillingOf, jsonTemplates } from "../../../lib/synth/terraform-template";
import { temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { type Json, record } from "../../support/json";
import { HOSTILE } from "../../support/terraform-program";

const folder = temporaryFolder();

/** The objects of a configuration, and why others are not read. */
function read(config: Json): {
  readonly objects: readonly ManifestResource[];
  readonly reasons: readonly string[];
} {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify(config));
  const scope = readStackConfiguration(new Terraform([]), folder);
  if (scope === undefined) throw new Error("nothing was read");
  const { objects, skipped } = manifestResources(scope);
  return { objects, reasons: skipped.map(({ reason }) => reason) };
}

const manifest = (value: object, more: object = {}): Json => ({
  resource: { kubernetes_manifest: { x: { manifest: value, ...more } } },
});

const ID = placeholder("azurerm_user_assigned_identity.web.client_id");
const FILE = placeholder("data-url.0123456789abcdef");
const SECRET = placeholder("base64.0123456789abcdef");
const expression = "${azurerm_user_assigned_identity.web.client_id}";
const fillingOf: FillingOf = (name) =>
  name === ID
    ? { output: "x", path: [], expression }
    : { encoding: name === FILE ? "data-url" : "base64", text: `{"\${x}": "${ID}\\"\r\n%{é}"}` };

/** What a text is after synthesis, templates and reading: late parts by their expression. */
function readBack(text: string): string {
  const { objects } = read(manifest(jsonTemplates({ text }, fillingOf) as object));
  const [object] = objects;
  const found = object?.late(String(record(object.value)["text"]));
  if (found === undefined) throw new Error("no object");
  return match(
    found,
    (value) => value,
    (why) =>
      why.kind === "apply"
        ? why.parts.map((part) => (typeof part === "string" ? part : `<${part.expression}>`)).join("")
        : why.what,
  );
}

const LATE = "<azurerm_user_assigned_identity.web.client_id>";

describe("a text of a manifest in a resource", () => {
  it.each([...HOSTILE, "$", "%", "$${", "a$", "$$${x}", "\\", '"', "${", "%{", "\u0000\u0085\u2028"])(
    "%j",
    (text) => {
      expect(readBack(text)).toBe(text);
    },
  );

  it("is what was written, whatever it is", () => {
    const pieces = fc.constantFrom("$", "%", "{", "}", '"', "\\", "\n", "a", " ", "é", "${", "%{", ID);
    const texts = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(""));
    fc.assert(fc.property(texts, (text) => readBack(text) === text.replaceAll(ID, LATE)));
  });

  it.each([
    ["a late value", ID, LATE],
    ["one in the middle", `a "${ID}" \${b}`, `a "${LATE}" \${b}`],
    ["a late node file", FILE, `{"\${x}": "${LATE}\\"\r\n%{é}"}`],
    ["a late key of a Secret", SECRET, `{"\${x}": "${LATE}\\"\r\n%{é}"}`],
  ])("%s", (_, text, expected) => {
    expect(readBack(text)).toBe(expected);
  });

  it("keeps an encoded text within another one apart from its surroundings", () => {
    const text = `source: "${FILE}"\n`;
    const [object] = read(manifest(jsonTemplates({ text }, fillingOf) as object)).objects;
    expect(record(object?.value)["text"]).toMatch(/^source: "@late\(data-url\.[0-9a-f]+\)@"\n$/);
  });

  it("that other people encode is read as well", () => {
    const templates = { a: '${base64encode("x ${var.y}")}', b: `\${"literal"}`, c: encodeNow("base64", "x") };
    const [object] = read({ ...manifest(templates), variable: { y: { default: "z" } } }).objects;
    const { a, b, c } = record(object?.value);
    expect([object?.late(String(a)), b, c]).toEqual(["x z", "literal", encodeNow("base64", "x")]);
  });
});

describe("resources with objects", () => {
  it("are annotations of others' objects too", () => {
    const annotations = { "example.com/id": expression };
    const metadata = { name: "web", namespace: "shop" };
    const resource = { api_version: "v1", kind: "ServiceAccount", metadata, annotations };
    const { objects } = read({ resource: { kubernetes_annotations: { x: resource } } });
    expect(objects.map(({ value, source }) => [value, source.path])).toEqual([
      [
        {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: {
            ...metadata,
            annotations: { "example.com/id": expect.stringContaining("@late(") as string },
          },
        },
        "resource.kubernetes_annotations.x",
      ],
    ]);
  });

  it("are those of kubernetes_service_account_v1", () => {
    const metadata = [{ name: "a", annotations: { b: "c" }, uid: "1" }];
    const written = { metadata, image_pull_secret: [{ name: "s" }] };
    const { objects, reasons } = read({ resource: { kubernetes_service_account_v1: { x: written } } });
    expect([objects.map(({ value }) => value), reasons]).toEqual([
      [
        {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name: "a", annotations: { b: "c" } },
          imagePullSecrets: [{ name: "s" }],
        },
      ],
      [],
    ]);
  });

  it("have the names that expressions give them", () => {
    const kubernetes_namespace_v1 = { team: { metadata: { name: "team" } } };
    const metadata = { name: "${local.name}", namespace: "${kubernetes_namespace_v1.team.metadata[0].name}" };
    const kubernetes_service_account_v1 = { x: { metadata } };
    const resource = { kubernetes_namespace_v1, kubernetes_service_account_v1 };
    const { objects } = read({ locals: { name: "web" }, resource });
    expect(objects.map(({ value }) => record(value)["metadata"])).toEqual([
      { name: "web", namespace: "team" },
    ]);
  });

  it("have the provider that says which cluster they are for", () => {
    const provider = (more: object): unknown => read(manifest({ kind: "X" }, more)).objects[0]?.provider;
    expect([provider({}), provider({ provider: "kubernetes.hub" })]).toEqual([
      "kubernetes",
      "kubernetes.hub",
    ]);
  });

  it.each([
    ["an expression makes the manifest", manifest('${yamldecode(file("x"))}' as unknown as object)],
    ["count", manifest({ kind: "X" }, { count: 2 })],
    ["for_each", manifest({ kind: "X" }, { for_each: ["a"] })],
    ["a for_each that is not known", manifest({ kind: "X" }, { for_each: "${var.x}" })],
    ["a name that is known only after apply", manifest({ kind: "X", metadata: { name: "${var.x}" } })],
    ["a list of a role from an expression", manifest({ kind: "Role", rules: [{ verbs: "${var.x}" }] })],
    [
      "a generated name of a service account",
      { resource: { kubernetes_service_account: { x: { metadata: { generate_name: "a-" } } } } },
    ],
  ])("are listed as not read where there is %s", (_, config) => {
    const { objects, reasons } = read(config);
    expect([objects, reasons.length > 0, reasons[0]]).toEqual([
      [],
      true,
      expect.stringContaining("of the plan has it"),
    ]);
  });
});
