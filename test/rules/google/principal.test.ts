import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import {
  managedSubject,
  parsePrincipal,
  principalSubject,
  renderPrincipal,
} from "../../../lib/rules/google/principal";
import type { PoolPrincipal, PrincipalSelector } from "../../../lib/rules/google/principal";
import { refused } from "../../fixtures/google/refused";

const POOL = "iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools";

const principal = (selector: PrincipalSelector, poolId = "prod-pool"): PoolPrincipal => ({
  projectNumber: "123456789012",
  poolId,
  selector,
});

// https://cloud.google.com/iam/docs/principal-identifiers
const FORMS: readonly (readonly [PoolPrincipal, string])[] = [
  [
    principal({ kind: "subject", subject: "system:serviceaccount:shop:web" }),
    `principal://${POOL}/prod-pool/subject/system:serviceaccount:shop:web`,
  ],
  [
    principal({ kind: "subject", subject: "ns/shop/sa/web" }, "shop-prod.svc.id.goog"),
    `principal://${POOL}/shop-prod.svc.id.goog/subject/ns/shop/sa/web`,
  ],
  [
    principal({ kind: "attribute", name: "subject", value: "system:serviceaccount:shop:web" }),
    `principalSet://${POOL}/prod-pool/attribute.subject/system:serviceaccount:shop:web`,
  ],
  [principal({ kind: "group", group: "admins" }), `principalSet://${POOL}/prod-pool/group/admins`],
  [principal({ kind: "all" }), `principalSet://${POOL}/prod-pool/*`],
];

describe("principals", () => {
  it.each(FORMS)("renders and reads %j", (value, text) => {
    expect(renderPrincipal(value)).toBe(text);
    expect(parsePrincipal(text)).toEqual(value);
  });

  it("round-trips any selector", () => {
    const text = fc.stringMatching(/^[a-z0-9:./-]+$/);
    const selector: fc.Arbitrary<PrincipalSelector> = fc.oneof(
      text.map((subject) => ({ kind: "subject" as const, subject })),
      text.map((group) => ({ kind: "group" as const, group })),
      fc
        .tuple(fc.stringMatching(/^[a-z0-9_]{1,100}$/), text)
        .map(([name, value]) => ({ kind: "attribute" as const, name, value })),
      fc.constant({ kind: "all" as const }),
    );
    fc.assert(
      fc.property(selector, fc.stringMatching(/^[1-9][0-9]{0,11}$/), (chosen, projectNumber) => {
        const value = { ...principal(chosen), projectNumber };
        expect(parsePrincipal(renderPrincipal(value))).toEqual(value);
      }),
    );
  });

  it.each([
    [
      "principal://iam.googleapis.com/projects/shop-prod/locations/global/workloadIdentityPools/p/subject/x",
      "id",
    ],
    [`principal://${POOL}/prod-pool/subject/`, "no subject"],
    [`principal://${POOL}/prod-pool/attribute.subject/x`, "an attribute is a set"],
    [`principalSet://${POOL}/prod-pool/subject/x`, "a subject is no set"],
    [`principalSet://${POOL}/prod-pool/attribute.Bad/x`, "attribute name"],
    [`principalSet://${POOL}/prod-pool/attribute.subject/`, "no value"],
    [`principal://${POOL.replace("global", "eu")}/prod-pool/subject/x`, "location"],
    ["serviceAccount:shop-prod.svc.id.goog[shop/web]", "the older form of GKE"],
    ["user:someone@example.com", "no pool"],
  ])("refuses %s (%s)", (text) => {
    expect(() => parsePrincipal(text)).toThrowError(refused("google-principal-invalid"));
  });

  it("does not read a late value", () => {
    expect(() => parsePrincipal("${TfToken[TOKEN.1]}")).toThrowError(refused("late-value"));
  });
});

describe("principalSubject", () => {
  it.each([...FORMS.slice(0, 3).map(([value]) => value)])("finds the service account of %j", (value) => {
    expect(principalSubject(value)?.key).toBe("shop/web");
  });

  it.each<PrincipalSelector>([
    { kind: "all" },
    { kind: "group", group: "system:serviceaccount:shop:web" },
    { kind: "attribute", name: "namespace", value: "shop" },
    { kind: "attribute", name: "subject", value: "ns/shop/sa/web" },
    { kind: "subject", subject: "repo:org/repo" },
    { kind: "subject", subject: "system:serviceaccount:Shop:web" },
    { kind: "subject", subject: "ns/shop/sa/a/b" },
  ])("finds none in %j", (selector) => {
    expect(principalSubject(principal(selector))).toBeUndefined();
  });

  it("writes the managed form", () => {
    expect(managedSubject(Subject.of("shop/web.v2"))).toBe("ns/shop/sa/web.v2");
  });
});
