import { describe, expect, it } from "vitest";
import { projectId, projectNumber, workloadIdentityId } from "../../../lib/rules/google/names";
import { refusal } from "../../support/refusal";

const LATE = "${TfToken[TOKEN.1]}";

describe("projectId", () => {
  it.each([
    ["shop-1", "6 characters, the shortest"],
    ["a23456789012345678901234567890", "30 characters, the longest"],
    ["example.com:shop", "domain-scoped"],
    ["a.b-c.example.org:my-project", "domain-scoped, several labels"],
  ])("accepts %s (%s)", (value) => {
    expect(projectId(value)).toBe(value);
  });

  it.each([
    ["shop1", "5 characters"],
    ["a234567890123456789012345678901", "31 characters"],
    ["1shopping", "starts with a digit"],
    ["shopping-", "ends with a hyphen"],
    ["Shopping", "upper case"],
    ["123456789012", "a number is not an id"],
    ["example.com/shop", "the form of image paths"],
    ["example:shop", "domain without a dot"],
    ["example.com:", "no project"],
    ["", "empty"],
  ])("refuses %j (%s)", (value) => {
    expect(() => projectId(value)).toThrowError(
      refusal("google-invalid: Google Cloud project is not a project id"),
    );
  });

  it("refuses a late value, which would end in image names", () => {
    expect(() => projectId(LATE)).toThrowError(refusal("late-value"));
  });
});

describe("projectNumber", () => {
  it.each(["1", "123456789012", LATE])("accepts %s", (value) => {
    expect(projectNumber(value)).toBe(value);
  });

  it.each(["my-project", "0123", "12e3", " 12", "12345678901234567890"])("refuses %j", (value) => {
    expect(() => projectNumber(value)).toThrowError(
      refusal("google-invalid: project number is not a number"),
    );
  });

  it("says that an empty one is missing", () => {
    expect(() => projectNumber("")).toThrowError(refusal("google-invalid: project number is missing"));
  });

  it("says that an id is not a number", () => {
    expect(() => projectNumber("shop-prod")).toThrowError(
      refusal(
        "google-invalid: project number is not a number",
        'project number is not a number written as text, got "shop-prod"; allowed: digits as text, for example "123456789012"; use the PROJECT_NUMBER column of `gcloud projects list`: principals and audiences name the number, never the id',
      ),
    );
  });
});

describe("workloadIdentityId", () => {
  it.each(["abcd", "-0-9", "a".repeat(32), "gcp4"])("accepts %s", (value) => {
    expect(workloadIdentityId("pool", value)).toBe(value);
  });

  it.each([
    ["abc", "3 characters"],
    ["a".repeat(33), "33 characters"],
    ["gcp-pool", "reserved prefix"],
    ["my_pool", "underscore"],
    ["Pool1", "upper case"],
    ["pool\n", "line break"],
  ])("refuses %j (%s)", (value) => {
    expect(() => workloadIdentityId("pool provider", value)).toThrowError(
      refusal("google-invalid: id of a workload identity"),
    );
  });

  it("refuses a late value", () => {
    expect(() => workloadIdentityId("pool", LATE)).toThrowError(refusal("late-value"));
  });
});
