import { describe, expect, it } from "vitest";
import { UNKNOWN_CLAIM } from "../../../lib/rules/google/cel-claims";
import { CelExpression } from "../../../lib/rules/google/cel-evaluation";
import { attributeMapping } from "../../../lib/rules/google/mapping";
import { UNKNOWN_UID, mapAttributes } from "../../../lib/rules/google/trust";
import { joined, known } from "../../../lib/model/known";

const claims = (name = "web"): Record<string, unknown> => ({
  sub: `system:serviceaccount:shop:${name}`,
  jti: UNKNOWN_CLAIM,
  groups: ["a", "b"],
  "kubernetes.io": { namespace: "shop", serviceaccount: { name, uid: UNKNOWN_UID } },
});
const mapped = (mapping: Record<string, string>, name?: string): ReturnType<typeof mapAttributes> =>
  mapAttributes(
    new Map(Object.entries(mapping).map(([key, text]) => [key, new CelExpression(known(text))])),
    claims(name),
  );

describe("mapAttributes", () => {
  it("reads the library's own mapping", () => {
    expect(mapped({ ...attributeMapping(true) })).toEqual({
      google: { subject: "system:serviceaccount:shop:web" },
      attribute: {
        namespace: "shop",
        service_account_name: "web",
        subject: "system:serviceaccount:shop:web",
      },
      failure: undefined,
    });
  });

  it("knows that a subject of the library's own mapping is replaced by a UID that fits", () => {
    const { google, doubt, failure } = mapped({ ...attributeMapping(true) }, "w".repeat(120));
    const subject = joined("uid:", UNKNOWN_UID);
    expect([google["subject"], doubt, failure]).toEqual([subject, undefined, undefined]);
  });

  it.each([
    ["assertion['kubernetes.io']['serviceaccount']['uid']", undefined],
    ['"k8s:" + assertion["kubernetes.io"].serviceaccount.uid', undefined],
    [`"${"x".repeat(91)}" + assertion["kubernetes.io"].serviceaccount.uid`, undefined],
    [`"${"x".repeat(92)}" + assertion["kubernetes.io"].serviceaccount.uid`, "is not known"],
    ["assertion.jti", "is not known"],
  ])("knows of %s whether it fits as a subject", (expression, doubt) => {
    const mapping = mapped({ "google.subject": expression });
    expect([mapping.failure, mapping.doubt]).toEqual([
      undefined,
      doubt === undefined ? undefined : expect.stringContaining(doubt),
    ]);
  });

  it("evaluates what others map", () => {
    const { google, attribute } = mapped({
      "google.subject": "assertion.sub.split(':')[2] + '/' + assertion.sub.split(':')[3]",
      "google.groups": "assertion.groups",
      "attribute.ns": "assertion.sub.extract('system:serviceaccount:{ns}:')",
      "attribute.missing": "assertion.missing",
      "attribute.number": "1",
      "attribute.BAD": "assertion.sub",
    });
    expect(google).toEqual({ subject: "shop/web", groups: ["a", "b"] });
    expect(attribute).toEqual({ ns: "shop", missing: UNKNOWN_CLAIM, number: UNKNOWN_CLAIM });
  });

  // Source: STS answers "Could not obtain a value for google.subject from the given credential".
  it.each([
    [{}, "nothing is mapped to google.subject"],
    [{ "google.subject": "assertion.email" }, "google.subject has no value: field not found: email"],
    [{ "google.subject": "assertion.sub.extract('x/{y}')" }, "google.subject would be empty"],
    [{ "google.subject": "assertion.groups" }, "google.subject would not be a string"],
    [
      {
        "google.subject":
          "assertion.sub + ':' + assertion.sub + ':' + assertion.sub + ':' + assertion.sub + '!!!!!'",
      },
      "google.subject would have 128 bytes, 127 are allowed",
    ],
  ])("%j exchanges nothing", (mapping, failure) => {
    expect(mapped(mapping).failure).toBe(failure);
  });

  // REST reference of workloadIdentityPools.providers, `attributeMapping`: what happens where one fails it does not say.
  it.each<[string, string, string | undefined]>([
    ["google.groups", "assertion.groups", undefined],
    ["google.groups", "assertion.teams", "google.groups may have no value: field not found: teams"],
    ["google.groups", "assertion.sub", "google.groups would not be a list of strings"],
    ["google.groups", "assertion.jti", undefined],
    ["google.display_name", "assertion.sub", undefined],
    ["google.display_name", "assertion.name", "google.display_name may have no value: field not found: name"],
    ["google.display_name", "assertion.groups", "google.display_name would not be a string"],
    ["attribute.team", "assertion.team", "attribute.team may have no value: field not found: team"],
    ["attribute.Team", "assertion.sub", "attribute.Team is no attribute that Google names"],
    ["google.team", "assertion.sub", "google.team is no attribute that Google names"],
  ])("%s as %s: %s", (key, expression, doubt) => {
    expect(mapped({ "google.subject": "assertion.sub", [key]: expression }).doubt).toBe(doubt);
  });

  it.each(["x".repeat(2049), "'${0#var.x}' + assertion.sub", "assertion.sub.trim()"])(
    "cannot tell %.30s",
    (expression) => {
      const { google, failure } = mapped({ "google.subject": expression });
      expect([google["subject"], failure]).toEqual([UNKNOWN_CLAIM, undefined]);
    },
  );
});
