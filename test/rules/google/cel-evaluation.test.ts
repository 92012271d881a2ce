import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UNKNOWN_CLAIM } from "../../../lib/rules/google/cel-claims";
import { evaluateCel } from "../../../lib/rules/google/cel-evaluation";

const assertion = {
  iss: "https://oidc.acme.example",
  sub: "system:serviceaccount:shop:web",
  aud: ["x"],
  exp: UNKNOWN_CLAIM,
  n: 20,
  flag: true,
  empty: "",
  "kubernetes.io": { namespace: "shop", serviceaccount: { name: "web", uid: UNKNOWN_CLAIM } },
};
const variables = { assertion, google: { subject: "s", groups: ["g1", "g2"] }, attribute: { team: "a" } };
const outcome = (expression: string): unknown => {
  const answer = evaluateCel(expression, variables);
  return answer.kind === "value" ? answer.value : answer.kind;
};

describe("evaluateCel", () => {
  // Every value and error is what google/cel-go 0.26.1 gives for the same claims, with its strings extension.
  it.each([
    ["assertion.sub.startsWith('system:serviceaccount:shop:')", true],
    ["assertion.sub.startsWith('system:serviceaccount:prod:')", false],
    ["assertion.sub.endsWith(':web') && !assertion.sub.contains('kube-system')", true],
    ["assertion['kubernetes.io']['namespace'] in ['shop', \"prod\",]", true],
    ["assertion['kubernetes.io'].serviceaccount.name != 'web'", false],
    ["assertion.sub.extract('system:serviceaccount:{ns}:') == 'shop'", true],
    ["assertion.sub.split(':')[2] + '/' + assertion.sub.split(':')[3]", "shop/web"],
    ["assertion.sub.split(':')", ["system", "serviceaccount", "shop", "web"]],
    [
      "size(assertion.sub) <= 127 ? assertion.sub : 'uid:' + assertion['kubernetes.io']['serviceaccount']['uid']",
      assertion.sub,
    ],
    ["assertion.sub.matches('^system:serviceaccount:(shop|prod):[a-z]+$')", true],
    ["assertion.sub.matches('shop')", true],
    ["assertion.sub.matches('^shop$')", false],
    ["'SHOP'.lowerAscii() == 'shop'", true],
    ["size('aé😀') == 3 && assertion.aud.size() == 1", true],
    ["'x' in assertion.aud", true],
    ["google.groups.exists(g, g == 'g2') && google.groups.all(g, g.startsWith('g'))", true],
    ["google.groups.exists(g, g == 'g3') || google.groups.all(g, g.endsWith('1'))", false],
    ["google.groups.all(a, google.groups.exists(b, a == b && b.startsWith('g')))", true],
    ["assertion.groups.all(g, g == 'g1')", "error"],
    ["has(assertion.sub) && !has(assertion.missing)", true],
    ["r'a\\b' == 'a\\\\b' && '''x''' == 'x'", true],
    ["assertion.flag ? attribute.team == 'a' : false", true],
    ["assertion.missing == 'x' || true", true],
    ["false && assertion.missing == 'x'", false],
    ["assertion.exp == 'x' || assertion.iss.startsWith('https://')", true],
    ["''", ""],
    ["assertion.empty", ""],
    ["assertion.missing", "error"],
    ["assertion.constructor == 'x'", "error"],
    ["assertion.sub.split(':')[9]", "error"],
  ] as const)("%s: %j", (expression, value) => {
    expect(outcome(expression)).toEqual(value);
  });

  it.each([
    ["not parsed", "assertion.sub =="],
    ["not parsed, deep", "(".repeat(4000)],
    ["too long", `assertion.sub == '${"x".repeat(4096)}'`],
    ["late", "assertion.sub == '${0#var.x}'"],
    ["unknown claim", "assertion.exp == 'x'"],
    ["unknown claim, its presence", "has(assertion['kubernetes.io'].serviceaccount.uid)"],
    ["unknown claims inside of an object", "'exp' in assertion"],
    ["unknown variable", "request.auth.claims.sub == 'x'"],
    ["function that Google does not document", "assertion.sub.upperAscii() == 'X'"],
    ["kinds that Google refuses", "assertion.sub == 1"],
    ["kinds that Google refuses, beside what holds", "true || 'a' == 1"],
    ["list and text", "assertion.aud == 'x'"],
    ["number of JSON", "assertion.n == 20"],
    ["kind that only the token tells", "assertion.iss + assertion.sub"],
    [
      "kind that only the token tells, of either branch",
      "(assertion.flag ? assertion.iss : assertion.sub) + assertion.sub",
    ],
    // cel-go inserts at every place, the evaluator once.
    ["replaced empty text", "assertion.sub.replace('', 'x') == 'x'"],
    // cel-go keeps the rest in the last part, the evaluator drops it.
    ["limit of split", "assertion.sub.split(':', 2)[1] == 'x'"],
    ["split to characters", "assertion.sub.split('')[0] == 's'"],
    // cel-go takes the brace as text, the evaluator refuses it.
    ["brace that is repeated", "assertion.sub.matches('{?')"],
    ["no regular expression", "assertion.sub.matches('(?=a)')"],
    ["texts in order", "assertion.sub < 'x'"],
    ["a macro that counts", "google.groups.exists_one(g, g == 'g2')"],
    ["template without a name", "assertion.sub.extract('x') == ''"],
    ["template from a claim", "assertion.sub.extract(assertion.iss) == ''"],
    ["list that is built", "google.groups.map(g, g + 'x').size() == 2"],
    ["number", "1 + 1"],
    ["text that is negated", "!assertion.sub"],
    ["number among texts", "1 in ['a']"],
    ["list of numbers", "1 in [1]"],
    ["object", "{'a': 'b'}.a == 'b'"],
  ])("cannot tell: %s", (_why, expression) => {
    expect(outcome(expression)).toBe("unknown");
  });

  // Forms of the examples in cloud.google.com/iam/docs/conditions-attribute-reference, "extract()", on other texts.
  it.each([
    ["system:serviceaccount:shop:web", "system:serviceaccount:{namespace}:", "shop"],
    ["system:serviceaccount:shop:web", "system:serviceaccount:{rest}", "shop:web"],
    ["system:serviceaccount:shop:web", "{start}:shop", "system:serviceaccount"],
    ["system:serviceaccount:shop:web", "{all}", "system:serviceaccount:shop:web"],
    ["system:serviceaccount:shop:web", "account:{empty}shop", ""],
    ["system:serviceaccount:shop:web", "/{none}", ""],
    ["system:serviceaccount:shop:web", "shop:{none}:", ""],
    ["a/b/a/c", "a/{first}/", "b"],
    ["", "{all}", ""],
  ])("extracts of %s by %s: %s", (text, template, expected) => {
    expect(outcome(`'${text}'.extract('${template}')`)).toBe(expected);
  });

  it.each(["", "x", "{}", "{1}", "{a}{b}", "{a}/{b}", "{{a}}"])("reads no template %j", (template) => {
    expect(outcome(`'x'.extract('${template}')`)).toBe("unknown");
  });

  it("says what it does not read", () => {
    expect(evaluateCel("assertion.sub == 1", variables)).toEqual({
      kind: "unknown",
      reason: "it has a form that is not read here: _==_ of text and int",
    });
  });

  it("gives up on claims of a length that no token has", () => {
    const long = { assertion: { sub: "a".repeat(1_000_000) } };
    expect(evaluateCel("assertion.sub.matches('(a*)*b')", long).kind).toBe("unknown");
  });

  it.each([
    "assertion.sub.matches('(a|a)*b')",
    "assertion.sub.matches('((a{1,30}){1,30}){1,30}$')",
    `[${Array(600).fill("'a'").join()}].all(x, assertion.sub.contains('b${"a".repeat(500)}'))`,
    `${"!".repeat(4000)}true`,
    `${Array(300).fill("assertion.sub").join(" + 'b' + ")}.size() > 0`.slice(0, 4096),
  ])("answers what could take for ever: %.40s", (expression) => {
    expect(evaluateCel(expression, { assertion: { sub: "a".repeat(1024) } })).toHaveProperty("kind");
  });

  it("never throws, whatever the expression", () => {
    const word = fc.constantFrom(
      ..."assertion .sub ['kubernetes.io'] == != && || ! ( ) [ ] , ' \" in true 'x' .exists( x .matches( .extract( {".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((words) => words.join(" ")),
        ),
        (text) => {
          expect(["value", "error", "unknown"]).toContain(evaluateCel(text, variables).kind);
        },
      ),
    );
  });

  it("a value does not depend on what is unknown", () => {
    const atom = fc.constantFrom(
      "assertion.exp == 'x'",
      "assertion.sub == 'x'",
      "assertion.missing == 'x'",
      "assertion.iss.startsWith('https://')",
      "true",
      "false",
    );
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { depthSize: "small" },
        atom,
        fc
          .tuple(tie("expression"), fc.constantFrom("&&", "||"), tie("expression"))
          .map((p) => `(${p.join(" ")})`),
        tie("expression").map((inner) => `!(${inner})`),
        fc
          .tuple(tie("expression"), tie("expression"), tie("expression"))
          .map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      ),
    }));
    fc.assert(
      fc.property(expression, fc.constantFrom("x", "y"), (text, exp) => {
        const partial = evaluateCel(text, { assertion });
        const whole = evaluateCel(text, { assertion: { ...assertion, exp } });
        if (partial.kind === "value") expect(whole).toEqual(partial);
        if (partial.kind === "error") expect(whole.kind).toBe("error");
      }),
    );
  });
});
