import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRepositoryCondition, renderRepositoryCondition } from "../../../lib/rules/azure/permission";

const CONTENT = "Microsoft.ContainerRegistry/registries/repositories/content/read";
const METADATA = "Microsoft.ContainerRegistry/registries/repositories/metadata/read";
const NAME = "@Request[Microsoft.ContainerRegistry/registries/repositories:name]";

// The layout that the service's documentation prints for one repository.
const DOCUMENTED = `
(
 (
  !(ActionMatches{'${CONTENT}'})
  AND
  !(ActionMatches{'${METADATA}'})
 )
 OR
 (
  ${NAME} StringEqualsIgnoreCase 'nginx'
 )
)
`;

describe("renderRepositoryCondition", () => {
  it("is the documented condition for one repository, on one line", () => {
    expect(renderRepositoryCondition(["nginx"])).toBe(
      `((!(ActionMatches{'${CONTENT}'}) AND !(ActionMatches{'${METADATA}'})) OR (${NAME} StringEqualsIgnoreCase 'nginx'))`,
    );
    expect(renderRepositoryCondition(["nginx"])?.replace(/\s/g, "")).toBe(DOCUMENTED.replace(/\s/g, ""));
  });

  it("keeps the slash of a prefix, without which neighbours would be let in", () => {
    expect(renderRepositoryCondition(["base/os", "backend/*"])).toContain(
      `(${NAME} StringEqualsIgnoreCase 'base/os' OR ${NAME} StringStartsWithIgnoreCase 'backend/')`,
    );
  });

  it("renders nothing for every repository", () => {
    expect(renderRepositoryCondition(undefined)).toBeUndefined();
  });
});

describe("readRepositoryCondition", () => {
  it("reads the documented layout", () => {
    expect(readRepositoryCondition(DOCUMENTED)).toEqual(["nginx"]);
  });

  it.each([
    ["a prefix", "StringStartsWithIgnoreCase 'team/'", ["team/*"]],
    ["a prefix without slash", "StringStartsWithIgnoreCase 'team'", ["team*"]],
    ["an exact comparison", "StringEquals 'Nginx'", ["Nginx"]],
    ["a comparison without regard to case", "StringStartsWithIgnoreCase 'Team/'", ["team/*"]],
    ["white space within a value", "StringEqualsIgnoreCase 'te am'", ["te am"]],
    ["white space around it", "  StringEqualsIgnoreCase\n'team'\t", ["team"]],
  ])("reads %s", (_, comparison, patterns) => {
    const condition = DOCUMENTED.replace("StringEqualsIgnoreCase 'nginx'", comparison);
    expect(readRepositoryCondition(condition)).toEqual(patterns);
  });

  it.each([
    ["white space within an action", DOCUMENTED.replace(CONTENT, CONTENT.replace("/", " /"))],
    ["one action only, which leaves the other unlimited", DOCUMENTED.replace(METADATA, CONTENT)],
    ["another attribute source", DOCUMENTED.replace("@Request", "@Resource")],
    ["another operator", DOCUMENTED.replace("StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase")],
    ["a clause more", DOCUMENTED.replace("'nginx'", "'nginx' AND 1 NumericEquals 1")],
    ["a Terraform reference", "${local.condition}"],
    ["nothing", ""],
  ])("does not guess: %s", (_, condition) => {
    expect(readRepositoryCondition(condition)).toBe("unknown");
  });

  it("passes over other actions", () => {
    const more = DOCUMENTED.replace("AND", `AND !(ActionMatches{'${CONTENT.replace("read", "write")}'}) AND`);
    expect(readRepositoryCondition(more)).toEqual(["nginx"]);
  });

  it("reads back what was rendered", () => {
    const name = fc.stringMatching(/^[a-z0-9]{1,9}([._-][a-z0-9]{1,9}){0,2}(\/or[a-z0-9]{1,9}){0,2}$/);
    const pattern = fc.tuple(name, fc.boolean()).map(([text, prefix]) => (prefix ? `${text}/*` : text));
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 6 }), (patterns) => {
        expect(readRepositoryCondition(renderRepositoryCondition(patterns) ?? "")).toEqual(patterns);
      }),
    );
  });
});
