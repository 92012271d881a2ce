import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import { AdmittedSubjects } from "../../../lib/rules/google/admitted-subjects";
import { attributeCondition } from "../../../lib/rules/google/attribute-condition";

function admitted(subjects: readonly Subject[]): AdmittedSubjects {
  const set = new AdmittedSubjects();
  for (const subject of subjects) set.add(subject);
  return set;
}

describe("AdmittedSubjects", () => {
  it("knows the form of the condition that it would write", () => {
    const label = fc.stringMatching(/^[a-c]([a-z]{0,61}[a-z])?$/);
    const key = fc.tuple(label, label).map(([namespace, name]) => Subject.of(`${namespace}/${name}`));
    const keys = fc.array(key, { maxLength: 130, size: "max" });
    fc.assert(
      fc.property(keys, (subjects) => {
        const set = admitted([...subjects, ...subjects]);
        expect(set.condition).toEqual(attributeCondition(subjects));
        expect(set.form).toBe(set.condition.form);
      }),
      { numRuns: 60 },
    );
  });

  // 4096 characters: REST reference of workloadIdentityPools.providers, `attributeCondition`.
  it.each([
    ["subjects", 4096, (length: number) => [`shop/${"a".repeat(200)}`, `shop/b${"b".repeat(length)}`]],
    ["namespaces", 4097, (length: number) => [`shop/${"a".repeat(200)}`, `shop/b${"b".repeat(length)}`]],
  ])("is %s at %d characters", (form, length, keys) => {
    const filler = Array.from({ length: 18 }, (_, i) => Subject.of(`shop/f${i}${"x".repeat(170)}`));
    const plain = attributeCondition([...filler, ...keys(0).map((key) => Subject.of(key))]).expression.length;
    const subjects = [...filler, ...keys(length - plain).map((key) => Subject.of(key))];
    expect(admitted(subjects).form).toBe(form);
    expect(attributeCondition(subjects).form).toBe(form);
  });

  it("is nobody's before there is a subject", () => {
    expect(admitted([]).form).toBe("nobody");
  });
});
