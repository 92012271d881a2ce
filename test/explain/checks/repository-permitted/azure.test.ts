/*
 * The condition of a role assignment, for an image or every image of a pattern. How a condition is parsed is in
 * test/rules/azure/repository-condition.test.ts.
 */

import { ASSIGNMENT, assignment, lookedUp } from "../../../fixtures/explain/azure";
import { type Damage, type Row, checks, damaged } from "../../../fixtures/explain/checks";
import { type Change, added, configured, only } from "../../../fixtures/explain/configuration";
import { acr, record } from "../../../fixtures/explain/three-clouds";

const ID = "repository-permitted";
const REQUEST = "@Request[Microsoft.ContainerRegistry/registries/repositories:name]";
const ACTION = "Microsoft.ContainerRegistry/registries/repositories";
const COVERS = "the condition of the role assignment covers";
const BASE = "acmeshop.azurecr.io/base/*";

const guarded = (actions: readonly string[], expression: string): string =>
  `((${actions.map((action) => `!(ActionMatches{'${ACTION}/${action}'})`).join(" AND ")}) OR (${expression}))`;
const limited = (expression: string, ...actions: readonly string[]) =>
  assignment({
    condition: guarded(actions.length > 0 ? actions : ["content/read", "metadata/read"], expression),
  });
const names = (operator: string, value: string) => limited(`${REQUEST} ${operator} ${value}`);
/** Another text in the condition that is there. */
const replaced = (from: string, to: string, role?: string) =>
  configured((all) => {
    const values = only(all, ASSIGNMENT);
    values["condition"] = String(values["condition"]).replace(from, to);
    if (role !== undefined) values["role_definition_name"] = role;
  });
const legacy =
  (damage: Damage): Damage =>
  (files) =>
    damaged(damaged(files, damage), record("AbacRepositoryPermissions", "LegacyRegistryPermissions"));
/** Two assignments like the one that is there. */
const two = (first: (condition: string) => object, second: (condition: string) => object): Change => {
  return (all) => {
    const values = only(all, ASSIGNMENT);
    const condition = String(values["condition"]);
    all.resource[ASSIGNMENT] = {
      a: { ...values, ...first(condition) },
      b: { ...values, ...second(condition) },
    };
  };
};

checks(ID, "one image", acr, [
  ["as written", [], "pass", "covers models/llm"],
  ["of an identity that is only looked up", lookedUp, "pass", "covers models/llm"],
  [
    "another image",
    [],
    "fail",
    `${COVERS} models/*, not other/llm`,
    { image: "acmeshop.azurecr.io/other/llm" },
  ],
  [
    "another image, where the mode of the registry is not known",
    record('"registries"', '"others"'),
    "fail",
    "",
    { image: "acmeshop.azurecr.io/other/llm" },
  ],
  ["a prefix without slash", replaced("models/", "model"), "pass"],
  ["a prefix of others", replaced("models/", "modelx"), "fail", `${COVERS} modelx*, not models/llm`],
  [
    "white space within a value",
    replaced("models/", "mo dels/"),
    "fail",
    `${COVERS} mo dels/*, not models/llm`,
  ],
  ["one known only after apply", assignment({ condition: "${var.c}" }), "unknown"],
  [
    "another operator",
    replaced("StringStartsWithIgnoreCase", "StringLikeIgnoreCase"),
    "unknown",
    "does not read its form",
  ],
  [
    "of a role without data actions",
    legacy(replaced("models/", "other/", "AcrPull")),
    "unknown",
    "what the condition of the role assignment limits",
  ],
  [
    "of a role without data actions, where it covers the repository",
    legacy(replaced("models/", "models/", "AcrPull")),
    "pass",
  ],
  [
    "one that leaves it out beside an assignment above",
    configured(
      two(
        (condition) => ({ condition: condition.replace("models/", "other/") }),
        () => ({ condition: undefined, scope: "/" }),
      ),
    ),
    "unknown",
    "a role assignment may cover the registry",
  ],
  ["in capitals, where case does not count", names("StringEqualsIgnoreCase", "'MODELS/LLM'"), "pass"],
  ["in capitals, where case counts", names("StringEquals", "'MODELS/LLM'"), "fail"],
  ["a prefix in capitals, where case counts", names("StringStartsWith", "'Models/'"), "fail"],
  ["any of several", names("ForAnyOfAnyValues:StringEquals", "{'a', 'models/llm'}"), "unknown"],
  ["all of several", names("ForAllOfAllValues:StringEquals", "{'a', 'models/llm'}"), "unknown"],
  ["another attribute", limited("@Environment[UtcNow] DateTimeLessThan '2030-01-01'"), "unknown"],
  [
    "and with or on one level",
    limited(
      `${REQUEST} StringEquals 'a' OR ${REQUEST} StringEquals 'models/llm' AND ${REQUEST} StringEquals 'b'`,
    ),
    "unknown",
  ],
  ["of another action only", limited(`${REQUEST} StringEquals 'a'`, "content/write"), "unknown"],
  ["of one of the two actions", limited(`${REQUEST} StringEquals 'a'`, "metadata/read"), "unknown"],
]);

const without = (condition: string): object => ({
  condition: condition.replace("StringStartsWith", "StringNotStartsWith"),
});
const some = names("StringStartsWith", "'base/a'");
const scopeMap = added("azurerm_container_registry_scope_map", {
  actions: ["repositories/base/content/read"],
});
const rows: readonly Row[] = [
  ["a prefix that covers it", names("StringStartsWith", "'base/'"), "pass"],
  ["a prefix of some", some, "fail", COVERS],
  ["one name", names("StringEquals", "'base/a'"), "fail", COVERS],
  ["all but one", names("StringNotEquals", "'base/a'"), "unknown"],
  [
    "two prefixes that cover it together, but for names that begin otherwise",
    limited(
      `${REQUEST} StringStartsWithIgnoreCase 'base/a' OR ${REQUEST} StringStartsWithIgnoreCase 'base/b'`,
    ),
    "fail",
    COVERS,
  ],
  [
    "a prefix or everything else",
    limited(`${REQUEST} StringStartsWith 'base/a' OR ${REQUEST} StringNotStartsWith 'base/a'`),
    "unknown",
  ],
  [
    "another assignment for the rest",
    (files) => configured(two(() => ({}), without))(damaged(files, some)),
    "unknown",
  ],
  ["a value known only after apply", names("StringStartsWith", "'${var.team}/'"), "unknown"],
  ["a value that begins as none of them does", names("StringStartsWith", "'team-${var.team}/'"), "unknown"],
  [
    "a scope map, which is for tokens of the registry's own",
    (files) => configured(scopeMap)(damaged(files, some)),
    "fail",
    COVERS,
  ],
];

const declared = damaged(acr.artefacts, record("acmeshop.azurecr.io/models/*", BASE));
checks(
  ID,
  "a declared pattern, which is judged as a set",
  { ...acr, artefacts: declared, image: BASE },
  rows,
);
