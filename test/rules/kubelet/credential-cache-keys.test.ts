import { describe, expect, it } from "vitest";
import {
  type CachedServiceAccount,
  credentialCacheKey,
  credentialCacheLookups,
} from "../../../lib/rules/kubelet/credential-cache-keys";

const account: CachedServiceAccount = {
  namespace: "n",
  name: "s",
  uid: "u",
  annotations: { b: "2", a: "1" },
  cacheType: "ServiceAccount",
  token: "t",
};
const text = (characters: string): string => Buffer.from(characters, "latin1").toString("hex");
const PART = "\0\x01n\0\x01s\0\x01u\0\0\0\x02\0\x01a\0\x011\0\x01b\0\x012";

// Computed by generateCacheKey and generateServiceAccountCacheKey of kubernetes:pkg/credentialprovider/plugin, 1.36.2.
it("looks for image, registry and all images, in this order", () => {
  expect(credentialCacheLookups("a.io:5/x/y")).toEqual([
    text("\0\x0aa.io:5/x/y\0\0"),
    text("\0\x06a.io:5\0\0"),
    text("\0\x08<global>\0\0"),
  ]);
});

it("is none of a type that does not exist, and of no repository", () => {
  expect(credentialCacheKey("image" as "Image", "a.io/x")).toBeUndefined();
  expect(credentialCacheKey("Global", Symbol("a.io/x") as never)).toBeUndefined();
  expect(credentialCacheKey("Image", "a.io/x", 5 as never)).toBeUndefined();
  expect(credentialCacheKey("Image", "a.io/x", null as never)).toBe(text("\0\x06a.io/x\0\0"));
});

describe("with a service account", () => {
  it("has namespace, name, UID and the annotations, sorted", () => {
    expect(credentialCacheKey("Registry", "a.io/x", account)).toBe(text(`\0\x04a.io\0\x19${PART}`));
  });

  it("has the token's hash for the cache type Token alone", () => {
    const hash = "e3b98a4da31a127d4bde6e43033f66ba274cab0eb7eb1c70ec41402bf6273dd8";
    const key = credentialCacheKey("Global", "a.io/x", { ...account, cacheType: "Token" });
    expect(key).toBe(text(`\0\x08<global>\0\x69${PART}\0\x05token\0\x47sha256:${hash}`));
  });

  it("has an empty hash of an empty token", () => {
    const key = credentialCacheKey("Global", "a.io/x", { ...account, cacheType: "Token", token: "" });
    expect(key).toBe(text(`\0\x08<global>\0\x22${PART}\0\x05token\0\0`));
  });

  it("is none where an annotation cannot be encoded", () => {
    const annotations = { a: "x".repeat(65_536) };
    expect(credentialCacheKey("Image", "a.io/x", { ...account, annotations })).toBeUndefined();
  });

  it.each<[string, object]>([
    ["a part is absent", { namespace: undefined }],
    ["a part is not a string", { uid: Symbol("u") }],
    ["an annotation is not a string", { annotations: { a: Object.create(null) as unknown } }],
    ["the annotations are absent", { annotations: undefined }],
    ["the token is not a string", { token: 5 }],
    ["the cache type is none", { cacheType: "token" }],
  ])("is none where %s", (_, more) => {
    expect(credentialCacheKey("Image", "a.io/x", { ...account, ...more })).toBeUndefined();
    expect(credentialCacheLookups("a.io/x", { ...account, ...more })[0]).toBeUndefined();
  });

  it("is none where all of it together cannot be encoded", () => {
    const annotations = { a: "x".repeat(65_000), b: "x".repeat(1000) };
    expect(credentialCacheLookups("a.io/x", { ...account, annotations })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
