import { run } from "@bufbuild/cel";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Reference, known, textOf } from "../../../lib/model/known";
import { Subject } from "../../../lib/model/subject";
import { type CelClaims, type CelVariables, UNKNOWN_CLAIM } from "../../../lib/rules/google/cel-claims";
import { CelExpression } from "../../../lib/rules/google/cel-evaluation";
import {
  type AttributeCondition,
  AdmittedSubjects,
  ownAttributeCondition,
} from "../../../lib/rules/google/condition";
import { type AttributeConditionAnswer, evaluateAttributeCondition } from "../../../lib/rules/google/trust";
import { refusal } from "../../support/refusal";

const subjects = (...keys: string[]): Subject[] => keys.map((key) => Subject.of(key));

/** Claims as kube-apiserver writes them into a bound token, as far as conditions look. */
const claims = (key: string): Record<string, unknown> => {
  const { namespace, name } = Subject.of(key);
  return {
    sub: `system:serviceaccount:${namespace}:${name}`,
    "kubernetes.io": { namespace, serviceaccount: { name, uid: "8f3a" } },
  };
};

/** Subjects whose list has exactly so many characters: `assertion.sub in [` + items + `]`. */
const exactly = (length: number): Subject[] => {
  // An item is `'system:serviceaccount:shop:<name>'`, 29 characters and the name, and `, ` between items.
  const names = Array.from(
    { length: 18 },
    (_, index) => `a${String(index).padStart(3, "0")}${"x".repeat(180)}`,
  );
  const used = "assertion.sub in []".length + names.length * (29 + 184 + 2);
  return subjects(...names.map((name) => `shop/${name}`), `shop/z${"y".repeat(length - used - 29 - 1)}`);
};

const conditionOf = (admitted: readonly Subject[]): AttributeCondition => {
  const set = new AdmittedSubjects();
  for (const subject of admitted) set.add(subject);
  const { form, condition } = set;
  expect(condition.form).toBe(form);
  return condition;
};

describe("AdmittedSubjects", () => {
  it.each([
    [[], { form: "none", expression: "false" }],
    [["shop/web"], { form: "subjects", expression: "assertion.sub in ['system:serviceaccount:shop:web']" }],
    [
      ["shop/web", "batch/jobs", "shop/web"],
      {
        form: "subjects",
        expression: "assertion.sub in ['system:serviceaccount:batch:jobs', 'system:serviceaccount:shop:web']",
      },
    ],
  ])("of %j", (keys, expected) => {
    expect(conditionOf(subjects(...keys))).toEqual(expected);
  });

  it("lists subjects up to 4096 characters, and their namespaces above", () => {
    const fits = conditionOf(exactly(4096));
    expect([fits.form, fits.expression.length]).toEqual(["subjects", 4096]);
    expect(conditionOf(exactly(4097))).toEqual({
      form: "namespaces",
      expression: "assertion['kubernetes.io']['namespace'] in ['shop']",
    });
  });

  it("admits any service account when the namespaces do not fit either", () => {
    const many = Array.from({ length: 1000 }, (_, index) => `namespace-${index}/web`);
    expect(conditionOf(subjects(...many))).toEqual({
      form: "any-service-account",
      expression: "assertion.sub.startsWith('system:serviceaccount:')",
    });
  });

  it("depends on the set, not on the order", () => {
    const key = fc.stringMatching(/^[a-z]{1,5}\/[a-z]{1,5}$/);
    fc.assert(
      fc.property(fc.uniqueArray(key), (keys) => {
        expect(conditionOf(subjects(...keys))).toEqual(conditionOf(subjects(...[...keys].reverse())));
      }),
    );
  });
});

const judged = (
  text: string | undefined,
  token: CelClaims,
  attributes?: CelVariables,
): AttributeConditionAnswer =>
  evaluateAttributeCondition(
    text === undefined ? undefined : new CelExpression(known(text)),
    token,
    attributes,
  );

describe("evaluateAttributeCondition", () => {
  it("reads back what is rendered: listed subjects are admitted, others are not", () => {
    const key = fc
      .stringMatching(/^[a-z]{1,5}\/[a-z.]{0,3}[a-z]$/)
      .filter((text) => !/[/.]\.|\/\./.test(text));
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 1 }), (keys) => {
        const { expression } = conditionOf(subjects(...keys));
        for (const listed of keys) expect(judged(expression, claims(listed)).outcome).toBe("allowed");
        expect(judged(expression, claims("foreign/other")).outcome).toBe("denied");
      }),
    );
  });

  const namespaces = conditionOf(exactly(4097)).expression;
  const prefix = "assertion.sub.startsWith('system:serviceaccount:')";
  // Rows without `unknown` were also evaluated with cel-go v0.26.1; an evaluation error there is a refusal.
  it.each([
    [namespaces, claims("shop/other"), "allowed"],
    [namespaces, claims("other/web"), "denied"],
    [namespaces, { sub: "system:serviceaccount:shop:web" }, "denied"],
    [prefix, claims("any/one"), "allowed"],
    [prefix, { sub: "repo:org/repo" }, "denied"],
    ["assertion.sub == 'system:serviceaccount:shop:web'", claims("shop/web"), "allowed"],
    ['assertion.sub == "system:serviceaccount:shop:web"', claims("shop/webs"), "denied"],
    ['  assertion.sub in [ "a" ,"b"]\n', { sub: "b" }, "allowed"],
    ["assertion.sub in []", { sub: "b" }, "denied"],
    ["assertion.sub in ['a',]", { sub: "a" }, "allowed"],
    ["assertion.sub in ['a']", { sub: 1 }, "unknown"],
    ["false", claims("shop/web"), "denied"],
    ["true", claims("shop/web"), "allowed"],
    [undefined, claims("shop/web"), "allowed"],
    ["assertion.sub == 'a' || assertion.sub == 'b'", { sub: "b" }, "allowed"],
    ["assertion.sub in ['a'] && assertion.aud in ['b']", { sub: "a" }, "denied"],
    ["assertion.sub in ['a'] && assertion.jti == 'b'", { sub: "a", jti: UNKNOWN_CLAIM }, "unknown"],
    ["assertion.sub in ['a']", { sub: UNKNOWN_CLAIM }, "unknown"],
    ["assertion.sub in ['a' 'b']", { sub: "a" }, "unknown"],
    ["assertion.sub in ['a', x]", { sub: "a" }, "unknown"],
    ["!(assertion.sub in ['a'])", { sub: "a" }, "denied"],
    ["assertion.sub.startsWith('a') || true", { sub: "b" }, "allowed"],
    ["assertion.sub", { sub: "b" }, "unknown"],
    // Google refuses the pool provider, which then exchanges nothing.
    [`assertion.sub in ['${"x".repeat(4096)}']`, { sub: "b" }, "denied"],
    ["attribute.namespace == 'shop'", claims("shop/web"), "unknown"],
    ["${TfToken[TOKEN.1]}", claims("shop/web"), "unknown"],
  ])("%s: %#", (expression, token, outcome) => {
    expect(judged(expression, token).outcome).toBe(outcome);
  });

  it("knows the mapped attributes where they are given", () => {
    const attributes = { google: { subject: "x" }, attribute: { namespace: "shop", team: UNKNOWN_CLAIM } };
    const outcome = (text: string): string => judged(text, {}, attributes).outcome;
    expect(outcome("google.subject == 'x' && attribute.namespace == 'shop'")).toBe("allowed");
    expect(outcome("attribute.namespace == 'prod'")).toBe("denied");
    expect(outcome("attribute.other == 'prod'")).toBe("denied");
    expect(outcome("attribute.team == 'a'")).toBe("unknown");
    expect(outcome("'admins' in google.groups")).toBe("denied");
  });

  it("leaves open what a reference decides, and nothing else", () => {
    const [id, issuer] = [new Reference("a.b.id"), new Reference("a.b.issuer")];
    const outcome = (...parts: readonly (string | Reference)[]): string =>
      evaluateAttributeCondition(new CelExpression(textOf(parts)), {
        ...claims("shop/web"),
        iss: textOf([issuer]),
        aud: [textOf(["https://", id])],
      }).outcome;
    expect(outcome("assertion.sub == 'system:serviceaccount:", id, "'")).toBe("unknown");
    expect(outcome("assertion.sub == 'repo:", id, "'")).toBe("denied");
    expect(outcome("assertion.sub in ['", id, "', 'system:serviceaccount:shop:web']")).toBe("allowed");
    expect(outcome("assertion.sub.startsWith('repo:", id, "')")).toBe("denied");
    expect(outcome("assertion.sub.startsWith('system:", id, "')")).toBe("unknown");
    expect(outcome("assertion.sub.endsWith('", id, ":api')")).toBe("denied");
    expect(outcome("assertion.sub.endsWith('", id, ":web')")).toBe("unknown");
    expect(outcome("assertion.sub.contains('", id, "')")).toBe("unknown");
    expect(outcome("assertion.sub.endsWith(':web') || ", "assertion.sub == '", id, "'")).toBe("allowed");
    expect(outcome("assertion.sub.endsWith(':api') && assertion.sub == '", id, "'")).toBe("denied");
    // The same reference is the same value.
    expect(outcome("assertion.iss == '", issuer, "'")).toBe("allowed");
    expect(outcome("assertion.iss != '", issuer, "'")).toBe("denied");
    expect(outcome("assertion.iss == '", id, "'")).toBe("unknown");
    expect(outcome("'https://", id, "' in assertion.aud")).toBe("allowed");
    expect(outcome("'http:", id, "' in assertion.aud")).toBe("denied");
    expect(outcome(id)).toBe("unknown");
  });

  it.each(["assertion.sub", "assertion['sub']", "assertion.other"])(
    "decides comparisons of %s as the evaluator of the parser's library does",
    (path) => {
      const literal = fc.constantFrom("a", "ab", "b", "");
      const comparison = fc.oneof(
        fc.tuple(fc.constantFrom("==", "!="), literal).map(([sign, text]) => `${path} ${sign} '${text}'`),
        fc.array(literal).map((all) => `${path} in [${all.map((text) => `'${text}'`).join(", ")}]`),
        fc
          .tuple(fc.constantFrom("startsWith", "endsWith", "contains"), literal)
          .map(([name, text]) => `${path}.${name}('${text}')`),
      );
      fc.assert(
        fc.property(comparison, literal, (text, sub) => {
          const outcome = (each: string): string => judged(each, { sub }).outcome;
          const evaluated = run(text, { assertion: { sub } });
          const expected = evaluated === true ? "allowed" : "denied";
          expect(outcome(text)).toBe(expected);
          expect(outcome(`${text} && size(assertion.sub) >= 0`)).toBe(expected);
        }),
      );
    },
  );

  it("says why", () => {
    const answer = judged("assertion.sub in ['a']", { sub: "b" });
    expect(answer).toEqual({ outcome: "denied", reason: "the attribute condition does not admit b" });
  });

  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(["allowed", "denied", "unknown"]).toContain(judged(text, {}).outcome);
        const list = judged(`assertion.sub in [${text}]`, {});
        expect(["denied", "unknown"]).toContain(list.outcome);
      }),
    );
  });
});

describe("ownAttributeCondition", () => {
  it.each(["x".repeat(4096), "assertion.sub.endsWith(':web')", "${TfToken[TOKEN.1]}"])(
    "accepts %.40s",
    (text) => {
      expect(ownAttributeCondition(text)).toBe(text);
    },
  );

  it.each(["", "  ", "x".repeat(4097)])("refuses %.40j", (text) => {
    expect(() => ownAttributeCondition(text)).toThrowError(
      refusal("google-limit: attribute condition has a length"),
    );
  });

  it.each(["true", "1==1", "assertion.sub.startsWith('')"])("refuses %s, which admits everybody", (text) => {
    expect(() => ownAttributeCondition(text)).toThrowError(
      refusal(
        "google-unsafe: attribute condition admits every token",
        `attribute condition admits every token of the issuer, got ${JSON.stringify(text)}; allowed: a condition that names the service accounts or namespaces it admits; leave it out: the library then writes the exact list of service accounts; a condition of your own must refuse the others`,
      ),
    );
  });
});
