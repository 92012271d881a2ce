import { App, Chart, Testing } from "cdk8s";
import { describe, expect, it } from "vitest";
import { ConfigMap, Secret, ServiceAccount, ServiceAccountAnnotations } from "../../lib/kubernetes";
import { LateEncoding, encode } from "../../lib/model/late";
import { refusal } from "../support/refusal";

const LATE = "${TfToken[TOKEN.0]}";
const place = { namespace: "shop", name: "creds" };
const chart = (labels: Record<string, string> = {}): Chart => new Chart(Testing.app(), "chart", { labels });

describe("Secret", () => {
  it("holds name, namespace and data, and nothing else", () => {
    const scope = chart();
    new Secret(scope, "secret", {
      ...place,
      stringData: { b: "1", a: "2" },
      data: { c: encode("base64", "é") },
    });
    expect(Testing.synth(scope)).toEqual([
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "creds", namespace: "shop" },
        type: "Opaque",
        stringData: { b: "1", a: "2" },
        data: { c: "w6k=" },
      },
    ]);
  });

  it("takes late texts, and late base64 only as an encoding", () => {
    expect(() => new Secret(chart(), "s", { ...place, stringData: { a: `x ${LATE}` } })).not.toThrow();
    expect(
      () => new Secret(chart(), "s", { ...place, data: { a: new LateEncoding("base64", LATE) } }),
    ).not.toThrow();
  });

  // apimachinery, pkg/util/validation: IsConfigMapKey, IsDNS1123Subdomain
  it.each([
    ["identities-invalid", { namespace: "Shop", stringData: { a: "" } }],
    ["kubernetes-invalid: name of a Kubernetes object", { name: "a_b", stringData: { a: "" } }],
    ["late-value", { name: LATE, stringData: { a: "" } }],
    ["kubernetes-missing: has no keys", {}],
    ["kubernetes-invalid: name of a file", { stringData: { "a/b": "" } }],
    ["kubernetes-invalid: name of a file", { stringData: { "..": "" } }],
    ["kubernetes-invalid: name of a file", { stringData: { "..a": "" } }],
    ["kubernetes-invalid: name of a file", { stringData: { "": "" } }],
    ["kubernetes-invalid: name of a file", { data: { ["a".repeat(254)]: "" } }],
    ["property-invalid", { stringData: { a: 1 as unknown as string } }],
    ["kubernetes-invalid: not base64", { data: { a: "plain text" } }],
    ["kubernetes-invalid: not base64", { data: { a: "YQ" } }],
    ["kubernetes-invalid: not base64", { data: { a: LATE } }],
    ["kubernetes-invalid: not base64", { data: { a: new LateEncoding("data-url", LATE) } }],
    ["property-invalid", { stringData: null as never, data: undefined as never }],
    [
      "kubernetes-invalid: name of a file",
      { stringData: JSON.parse('{"__proto__":"x"}') as Record<string, string> },
    ],
    [
      "kubernetes-invalid: name of a file",
      { data: JSON.parse('{"__proto__":"eA=="}') as Record<string, string> },
    ],
    // api/core/v1 Secret: stringData "overwrites any existing values when written"
    ["kubernetes-conflict: in data and in stringData", { stringData: { a: "1" }, data: { a: "MQ==" } }],
  ] as const)("%s: %j", (code, props) => {
    expect(() => new Secret(chart(), "s", { ...place, ...props })).toThrowError(refusal(code));
  });

  it("does not show a value that is in the wrong field", () => {
    const secret = "hunter2 hunter2";
    let message = "";
    try {
      new Secret(chart(), "s", { ...place, data: { password: secret } });
    } catch (error) {
      message = JSON.stringify(error) + String(error);
    }
    expect(message).toContain("Secret shop/creds");
    expect(message).not.toContain("hunter2");
  });
});

// RFC 7468 section 10 and 11, RFC 5958; OpenSSL's traditional forms; OpenSSH's own
const PRIVATE_KEYS = ["", "RSA ", "EC ", "ENCRYPTED ", "OPENSSH "].map(
  (kind) => `-----BEGIN ${kind}PRIVATE KEY-----\nMIIEpAIBAAKC\n-----END ${kind}PRIVATE KEY-----\n`,
);
const PUBLIC_KEY = "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq\n-----END PUBLIC KEY-----\n";

describe("a private key", () => {
  it.each(PRIVATE_KEYS)("is refused wherever it stands, and not shown: %j", (key) => {
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const objects: readonly (() => unknown)[] = [
      () => new Secret(chart(), "s", { ...place, stringData: { "tls.key": `x\n${key}` } }),
      () => new Secret(chart(), "s", { ...place, stringData: { "tls.key": `${LATE}${key}` } }),
      () => new Secret(chart(), "s", { ...place, data: { "tls.key": base64(key) } }),
      () => new Secret(chart(), "s", { ...place, data: { "tls.key": new LateEncoding("base64", key) } }),
      () => new ConfigMap(chart(), "c", { ...place, data: { "tls.key": key } }),
    ];
    for (const make of objects) {
      let refused: unknown;
      try {
        make();
      } catch (error) {
        refused = error;
      }
      expect(refused).toMatchObject({
        code: "kubernetes-unsafe",
        problem: expect.stringContaining("private key"),
      });
      expect(String(refused)).toMatch(/value of tls\.key of \w+ shop\/creds holds a private key/);
      expect(JSON.stringify(refused) + String(refused)).not.toMatch(/MIIE|BEGIN/);
    }
  });

  it("is no public one", () => {
    expect(() => new ConfigMap(chart(), "c", { ...place, data: { key: PUBLIC_KEY } })).not.toThrow();
  });
});

describe("ConfigMap", () => {
  it("holds name, namespace and data", () => {
    const scope = chart();
    new ConfigMap(scope, "map", { ...place, data: { "credentials.json": "{}" } });
    expect(Testing.synth(scope)).toEqual([
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "creds", namespace: "shop" },
        data: { "credentials.json": "{}" },
      },
    ]);
  });

  it.each([
    ["kubernetes-missing: has no keys", {}],
    ["kubernetes-invalid: name of a file", { "a b": "" }],
  ] as const)("%s", (code, data) => {
    expect(() => new ConfigMap(chart(), "map", { ...place, data })).toThrowError(refusal(code));
  });
});

describe("a service account that serves two purposes", () => {
  const annotations = { "example.com/a": "1" };

  it("has the annotations and labels of both", () => {
    const scope = chart();
    const own = new ServiceAccount(scope, "own", { ...place, annotations });
    own.add({ "example.com/a": "1", "example.com/b": LATE }, { "example.com/l": "x" });
    const foreign = new ServiceAccountAnnotations(scope, "foreign", { ...place, name: "web", annotations });
    foreign.add({ "example.com/b": "2" });
    expect([own, foreign].map(({ resource }) => resource.toJson().metadata)).toEqual([
      {
        ...place,
        annotations: { "example.com/a": "1", "example.com/b": LATE },
        labels: { "example.com/l": "x" },
      },
      { namespace: "shop", name: "web", annotations: { "example.com/a": "1", "example.com/b": "2" } },
    ]);
  });

  it.each([
    ["kubernetes-conflict", { "example.com/new": "1", "example.com/a": "2" }],
    ["kubernetes-invalid: annotation key", { "a b": "1" }],
    ["property-invalid", { "example.com/b": 1 as unknown as string }],
  ] as const)("%s, and nothing is added", (code, more) => {
    const scope = new Chart(new App(), "chart");
    const own = new ServiceAccount(scope, "own", { ...place, annotations });
    const foreign = new ServiceAccountAnnotations(scope, "foreign", { ...place, name: "web", annotations });
    for (const account of [own, foreign]) {
      expect(() => account.add(more)).toThrowError(refusal(code));
      expect(account.resource.toJson().metadata.annotations).toEqual(annotations);
    }
  });
});
