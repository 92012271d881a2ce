import { describe, expect, it } from "vitest";
import { fail } from "../../lib/errors";
import { type LabelledRequest, ofRequest, requestLabel } from "../../lib/model/request-label";

describe("requestLabel", () => {
  it.each<readonly [string, LabelledRequest]>([
    ["a.yaml, document 2, CredentialsRequest x", { name: "x", source: { file: "a.yaml", document: 2 } }],
    ["a.yaml, CredentialsRequest x", { name: "x", source: { file: "a.yaml" } }],
    ["document 2, CredentialsRequest x", { name: "x", source: { document: 2 } }],
    ["CredentialsRequest x", { name: "x", source: {} }],
    ["CredentialsRequest x", { name: "x" }],
  ])("is %s", (label, request) => {
    expect(requestLabel(request)).toBe(label);
  });
});

describe("ofRequest", () => {
  it("names the request once, however often it is asked to", () => {
    const request = { name: "x", source: { file: "a.yaml" } };
    const missing = () => fail("azure-missing", { problem: "no role", remedy: "name one" });
    expect(() => ofRequest(request, () => ofRequest(request, () => missing()))).toThrowError(
      /^a\.yaml, CredentialsRequest x: no role/,
    );
  });
});
