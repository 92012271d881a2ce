import { describe, expect, it } from "vitest";
import { Reference, known, textOf } from "../../../lib/model/known";
import { AskedNames } from "../../../lib/rules/asked-names";
import { AskedText } from "../../../lib/rules/google/cel-claims";
import { CelExpression } from "../../../lib/rules/google/cel-evaluation";
import { askedRepository, conditionMet } from "../../../lib/rules/google/permission";

const BEFORE = "projects/acme/locations/europe-west1/repositories/";
const TOOLS = `${BEFORE}tools`;

const met = (expression: string, name?: string | AskedText): string =>
  conditionMet(new CelExpression(known(expression)), name === undefined ? undefined : askedRepository(name));

const badness = (outcome: string): number => ["yes", "unknown", "no"].indexOf(outcome);

/** Whether the condition is met for every repository that a pattern covers. */
const metForAll = (expression: string, pattern: string): readonly [string, string] | undefined => {
  const worst = AskedNames.covered(pattern).worst(
    (name) => met(expression, new AskedText((asked) => name.matches(asked, BEFORE))),
    badness,
  );
  return worst && [worst.said, worst.example];
};

describe("conditionMet", () => {
  it.each([
    [`resource.name == "${TOOLS}"`, "yes"],
    [`resource.name.startsWith("${BEFORE}too")`, "yes"],
    [`resource.name.startsWith("${BEFORE}x")`, "no"],
    ["resource.name.endsWith('/tools')", "yes"],
    ["resource.name.matches('repositories/(tools|base)$')", "yes"],
    ["resource.name.extract('/repositories/{name}').startsWith('too')", "yes"],
    [
      "resource.type == 'artifactregistry.googleapis.com/Repository' && resource.name.endsWith('/tools')",
      "yes",
    ],
    ["resource.service == 'storage.googleapis.com' && resource.name.endsWith('/tools')", "no"],
    // cloud.google.com/iam/docs/configuring-temporary-access; which time it is then, no artefact says.
    ["request.time < timestamp('2030-01-01T00:00:00Z')", "unknown"],
    ["request.time < timestamp('2030-01-01T00:00:00Z') && resource.name.endsWith('/base')", "no"],
    ["request.time < timestamp('2030-01-01T00:00:00Z') || resource.name.endsWith('/tools')", "yes"],
    ["request.time.getHours('Europe/Berlin') >= 9 && request.time.getDayOfWeek() <= 5", "unknown"],
    ["resource.matchTag('acme/env', 'prod')", "unknown"],
    ["resource.labels.env == 'prod'", "no"],
    ["resource.name ==", "unknown"],
    ["false", "no"],
  ])("%s: %s", (expression, outcome) => {
    expect(met(expression, TOOLS)).toBe(outcome);
  });

  it.each([
    ["resource.name.endsWith('/tools')", "unknown"],
    ["true", "yes"],
    ["false && resource.name != ''", "no"],
  ])("%s, of a resource that is not known: %s", (expression, outcome) => {
    expect(met(expression)).toBe(outcome);
  });

  it.each([
    ["resource.name.startsWith('projects/acme/')", "team-*", ["yes", expect.stringMatching(/^team-/)]],
    [`resource.name.startsWith('${BEFORE}team-')`, "team-*", ["yes", expect.stringMatching(/^team-/)]],
    [`resource.name.startsWith('${BEFORE}team-a')`, "team-*", ["no", expect.stringMatching(/^team-/)]],
    [`resource.name == '${TOOLS}'`, "tools", ["yes", "tools"]],
    [`resource.name == '${TOOLS}'`, "tool*", ["no", expect.stringMatching(/^tool/)]],
    [`resource.name != '${TOOLS}'`, "tool*", ["no", "tools"]],
    [`resource.name.endsWith('s')`, "*s", ["yes", "s"]],
    [`resource.name.contains('/repositories/t')`, "t*", ["yes", expect.stringMatching(/^t/)]],
    [`resource.name.matches('^${BEFORE}t.*$')`, "t*", ["yes", expect.stringMatching(/^t/)]],
    [`resource.name.matches('repositories/[a-z]+$')`, "t*", ["unknown", expect.stringMatching(/^t/)]],
    [`resource.name in ['${BEFORE}t', '${TOOLS}']`, "t*", ["no", expect.stringMatching(/^t/)]],
    [
      `resource.name.startsWith('${BEFORE}a') || resource.name.endsWith('b') || !resource.name.startsWith('${BEFORE}a')`,
      "*",
      ["yes", expect.any(String)],
    ],
    ["request.time < timestamp('2030-01-01T00:00:00Z')", "t*", ["unknown", expect.stringMatching(/^t/)]],
  ])("%s for all of %s: %j", (expression, pattern, outcome) => {
    expect(metForAll(expression, pattern)).toEqual(outcome);
  });

  it("leaves open what a reference decides, and nothing else", () => {
    const id = new Reference("google_artifact_registry_repository.tools.repository_id");
    const met = (...parts: readonly (string | Reference)[]): string =>
      conditionMet(new CelExpression(textOf(parts)), askedRepository(TOOLS));
    expect(met("resource.name == '", BEFORE, id, "'")).toBe("unknown");
    expect(met("resource.name == 'projects/other/", id, "'")).toBe("no");
    expect(met("resource.name.endsWith('/tools') || resource.name.endsWith('", id, "')")).toBe("yes");
    expect(met("resource.name.endsWith('/base') && resource.name.endsWith('", id, "')")).toBe("no");
    expect(met("resource.name.endsWith('/tools') && ", id)).toBe("unknown");
    expect(met("resource.name.extract('", id, "{x}') == 'x' && true")).toBe("unknown");
    expect(met("size('", id, "') > 3 && resource.name.endsWith('/base')")).toBe("no");
  });
});
