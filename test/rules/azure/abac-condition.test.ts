/*
 * Source: learn.microsoft.com, "Azure role assignment condition format and syntax".
 */

import { describe, expect, it } from "vitest";
import { type Known, Reference, type Ternary, known, textOf, unread } from "../../../lib/model/known";
import { AskedNames } from "../../../lib/rules/asked-names";
import { conditionOf } from "../../../lib/rules/azure/abac-condition";
import { renderRepositoryCondition } from "../../../lib/rules/azure/repository-condition";

const READ = "Microsoft.ContainerRegistry/registries/repositories/content/read";
const NAME = "@Request[Microsoft.ContainerRegistry/registries/repositories:name]";

/** What a condition says of a repository, or at worst of those that a pattern covers. */
function said(condition: Known<string> | string, repository = "base/a", action = READ): Ternary | undefined {
  const limit = conditionOf(typeof condition === "string" ? known(condition) : condition)(action);
  const order: readonly Ternary[] = ["yes", "unknown", "no"];
  return AskedNames.covered(repository).worst(
    (name) => (typeof limit === "string" ? limit : limit(name)),
    (each) => order.indexOf(each),
  )?.said;
}

describe("a condition", () => {
  it.each<[string, Ternary]>([
    [`${NAME} StringEquals 'base/a'`, "yes"],
    [`${NAME} StringEquals 'Base/a'`, "no"],
    [`${NAME} StringEqualsIgnoreCase 'Base/A'`, "yes"],
    [`${NAME} StringNotEquals 'base/a'`, "no"],
    [`${NAME} StringStartsWith 'base/'`, "yes"],
    [`${NAME} StringStartsWithIgnoreCase 'BASE/'`, "yes"],
    [`${NAME} StringNotStartsWithIgnoreCase 'BASE/'`, "no"],
    [`${NAME} StringEquals {'base/a'}`, "yes"],
    [`${NAME} StringEquals {'base/a', 'b'}`, "unknown"],
    [`${NAME} ForAnyOfAnyValues:StringEquals {'b', 'base/a'}`, "yes"],
    [`${NAME} ForAnyOfAllValues:StringNotEquals {'b', 'base/a'}`, "no"],
    [`NOT ${NAME} StringEquals 'b'`, "yes"],
    [`!(${NAME} StringEquals 'b')`, "yes"],
    [`${NAME} StringEquals 'b' || ${NAME} StringEquals 'base/a'`, "yes"],
    [`${NAME} StringStartsWith 'b' && ${NAME} StringEquals 'b'`, "no"],
    [`(${NAME} StringEquals 'b' AND ${NAME} StringLike '*') OR ${NAME} StringEquals 'base/a'`, "yes"],
    [`${NAME} StringEquals 'b' AND ${NAME} StringEquals 'b' OR ${NAME} StringEquals 'base/a'`, "unknown"],
    [`${NAME} StringLike 'base/*'`, "unknown"],
    [`Exists ${NAME}`, "yes"],
    ["NOT Exists @Request[x:y]", "unknown"],
    ["@Environment[isPrivateLink] BoolEquals true", "unknown"],
    ["@Resource[Microsoft.ContainerRegistry/registries/repositories:name] StringEquals 'base/a'", "unknown"],
    ["SubOperationMatches{'x'}", "unknown"],
    [`ActionMatches{'${READ.toLowerCase()}'}`, "yes"],
    ["ActionMatches{'Microsoft.ContainerRegistry/*/read'}", "yes"],
    ["ActionMatches{'Microsoft.Storage/*'}", "no"],
    ["", "unknown"],
    [`${NAME} StringEquals`, "unknown"],
    [`(${NAME} StringEquals 'base/a'`, "unknown"],
    [`${NAME} StringEquals 'base/a')`, "unknown"],
    [`${NAME} StringEquals 'base/a' 'b'`, "unknown"],
    [`${NAME} StringEquals "base/a"`, "unknown"],
    ["(".repeat(20_000), "unknown"],
    ["!".repeat(20_000), "unknown"],
  ])("%s: %s", (condition, outcome) => {
    expect(said(condition)).toBe(outcome);
  });

  it("as it is rendered covers what it was rendered for", () => {
    const rendered = renderRepositoryCondition(["base/*", "shop/web"]) ?? "";
    expect(["base/*", "shop/web", "shop/*", "base"].map((each) => said(rendered, each))).toEqual([
      "yes",
      "yes",
      "no",
      "no",
    ]);
    expect(said(rendered, "x", "Microsoft.ContainerRegistry/registries/repositories/content/write")).toBe(
      "yes",
    );
  });

  it("answers for all names of a pattern", () => {
    const some = `${NAME} StringStartsWith 'base/a'`;
    expect(said(some, "base/a*")).toBe("yes");
    expect(said(some, "base/*")).toBe("no");
    expect(said(`${some} OR NOT ${some}`, "base/*")).toBe("yes");
  });

  it("with a value that only apply tells is known as far as the value begins", () => {
    const team = new Reference("var.team");
    const late = (before: string): Known<string> =>
      textOf([`${NAME} StringStartsWith '${before}`, team, "/'"]);
    expect([said(late("base")), said(late("other"))]).toEqual(["unknown", "no"]);
    expect(said(textOf([team]))).toBe("unknown");
    expect(said(unread("x"))).toBe("unknown");
  });
});
