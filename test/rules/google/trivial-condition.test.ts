import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import { admitsEveryToken } from "../../../lib/rules/google/cel-evaluation";
import { AdmittedSubjects } from "../../../lib/rules/google/condition";

describe("admitsEveryToken", () => {
  // Operators and macros: cel-spec, doc/langdef.md.
  it.each([
    "true",
    " ( true ) ",
    "!false",
    "1==1",
    "1 == 1",
    "'a' == \"a\"",
    "(1) == 1",
    "assertion.sub == assertion.sub",
    "assertion.sub.startsWith('')",
    'assertion.sub.startsWith( "" )',
    "assertion['sub'].endsWith('')",
    "google.subject.contains('')",
    "assertion.sub.matches('.*')",
    "assertion.sub.matches('^.*$')",
    "assertion.sub != ''",
    "size(assertion.sub) >= 0",
    "assertion.sub.size() >= 0",
    "has(assertion.sub)",
    "assertion.sub == 'x' || true",
    "true || assertion.sub == 'x'",
    "true && 1 == 1",
    "((true) && (assertion.sub == 'x' || 1 == 1))",
    "true // everybody",
    "// everybody\ntrue",
  ])("%s", (expression) => {
    expect(admitsEveryToken(expression)).toBe(true);
  });

  it.each([
    "false",
    "!true",
    "1 == 2",
    "assertion.sub == 'x'",
    "assertion.sub == 'true'",
    "assertion.sub in ['1 == 1', '|| true ||']",
    "assertion.sub.endsWith(':web')",
    "!assertion.sub.startsWith('')",
    "!(assertion.sub.startsWith(''))",
    "assertion.sub.startsWith('system:serviceaccount:shop:')",
    "assertion.sub.matches('.*:web')",
    "assertion['kubernetes.io']['namespace'] != ''",
    "size(assertion.sub) >= 10",
    "assertion.sub == 'x' && true",
    "(true) == (assertion.sub == 'x')",
    "true || true ? assertion.sub == 'x' : false",
    "assertion.sub == 'x' // || true",
    "",
    "==",
    ")(",
    "'",
  ])("not %j", (expression) => {
    expect(admitsEveryToken(expression)).toBe(false);
  });

  it("never takes a list of service accounts for one of everybody", () => {
    const key = fc.stringMatching(/^[a-z]{1,5}\/[a-z]{1,3}(\.[a-z])?$/);
    fc.assert(
      fc.property(fc.uniqueArray(key), (keys) => {
        const admitted = new AdmittedSubjects();
        for (const own of keys) admitted.add(Subject.of(own));
        expect(admitsEveryToken(admitted.condition.expression)).toBe(false);
      }),
    );
  });

  it("reads any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof admitsEveryToken(text)).toBe("boolean");
      }),
    );
  });
});
