import { describe, expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import {
  additionalAttributes,
  attributeMapping,
  customAttributeName,
  fitsGoogleSubject,
  subjectBytes,
} from "../../../lib/rules/google/mapping";
import { refusal } from "../../support/refusal";

/** `system:serviceaccount:shop:` has 27 bytes. */
const subjectOf = (bytes: number): Subject => Subject.of(`shop/${"a".repeat(bytes - 27)}`);

describe("google.subject", () => {
  // "Cannot exceed 127 bytes": REST reference, attributeMapping.
  it.each([
    [126, true],
    [127, true],
    [128, false],
  ])("of %i bytes fits: %s", (bytes, fits) => {
    expect(subjectBytes(subjectOf(bytes))).toBe(bytes);
    expect(fitsGoogleSubject(subjectOf(bytes))).toBe(fits);
  });
});

describe("attributeMapping", () => {
  it("maps the subject as it is while all fit", () => {
    expect(attributeMapping(false)).toEqual({
      "google.subject": "assertion.sub",
      "attribute.namespace": "assertion['kubernetes.io']['namespace']",
      "attribute.service_account_name": "assertion['kubernetes.io']['serviceaccount']['name']",
    });
  });

  // The expression was evaluated with cel-go v0.26.1: 127 characters give the subject, 128 give `uid:<uid>`.
  it("replaces long subjects only, and keeps the whole subject in an attribute", () => {
    expect(attributeMapping(true)).toEqual({
      ...attributeMapping(false),
      "google.subject":
        "size(assertion.sub) <= 127 ? assertion.sub : 'uid:' + assertion['kubernetes.io']['serviceaccount']['uid']",
      "attribute.subject": "assertion.sub",
    });
  });

  it("sorts its keys, additional ones among them", () => {
    expect(Object.keys(attributeMapping(true, { "attribute.aud": "assertion.aud" }))).toEqual([
      "attribute.aud",
      "attribute.namespace",
      "attribute.service_account_name",
      "attribute.subject",
      "google.subject",
    ]);
  });
});

describe("additionalAttributes", () => {
  const many = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute.a${index}`, "assertion.aud"]));

  it.each([
    ["no attribute", {}],
    ["a key of 100 characters", { [`attribute.${"a".repeat(100)}`]: "assertion.aud" }],
    ["an expression of 2048 characters", { "attribute.aud": "a".repeat(2048) }],
    ["50 custom attributes with the library's three", many(47)],
    ["a late expression", { "attribute.aud": "${TfToken[TOKEN.1]}" }],
  ])("accepts %s", (_, additional) => {
    expect(additionalAttributes(additional)).toBe(additional);
  });

  it.each([
    ["a key of 101 characters", { [`attribute.${"a".repeat(101)}`]: "assertion.aud" }],
    ["an upper-case key", { "attribute.Aud": "assertion.aud" }],
    ["another google attribute", { "google.groups": "assertion.groups" }],
    ["the subject", { "google.subject": "assertion.aud" }],
    ["an attribute of the library", { "attribute.namespace": "'shop'" }],
    ["the attribute for long subjects", { "attribute.subject": "'shop'" }],
    ["a name of Object.prototype", { constructor: "assertion.aud" }],
    ["an expression of 2049 characters", { "attribute.aud": "a".repeat(2049) }],
    ["an empty expression", { "attribute.aud": "" }],
    ["51 custom attributes with the library's three", many(48)],
  ])("refuses %s", (_, additional) => {
    expect(() => additionalAttributes(additional as Record<string, string>)).toThrowError(
      refusal("google-invalid: attribute mapping"),
    );
  });

  it("refuses a late key", () => {
    expect(() => additionalAttributes({ "attribute.${TfToken[TOKEN.1]}": "x" })).toThrowError(
      refusal("late-value"),
    );
  });
});

// REST reference of workloadIdentityPools.providers, `attributeMapping`: custom attributes are [a-z0-9_], at most 100.
describe("customAttributeName", () => {
  it.each(["sub", "k8s_subject", "a".repeat(100)])("%s is one", (name) => {
    expect(customAttributeName(name)).toBe(name);
  });

  it.each(["", "attribute.sub", "Sub", "a-b", "a/b", "a".repeat(101)])("%j is none", (name) => {
    expect(() => customAttributeName(name)).toThrowError(refusal("google-invalid: subjectAttribute is not"));
  });

  it("cannot be late", () => {
    expect(() => customAttributeName("${TfToken[TOKEN.1]}")).toThrowError(refusal("late-value"));
  });
});
