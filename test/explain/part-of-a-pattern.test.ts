/* Patterns of a CredentialProviderConfig that match some of the images that a pull was declared for. */

import { expect, it } from "vitest";
import { edited, explained, synthesized } from "../fixtures/explain/artefacts";

const HOST = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";

it.each<[string, readonly string[], string, RegExp]>([
  ["the whole registry", ["", "/other"], "pass", /matches by/],
  [
    "some of them",
    ["/shop/w"],
    "unknown",
    /match only a part of .*\/shop\/\*: whether they, or another entry, match/,
  ],
  ["some, by two patterns", ["/shop/a", "/shop/w"], "unknown", /match only a part of /],
  ["none of them", ["/other"], "fail", /^none of the \d+ patterns .* matches /],
])("a config that matches %s", (_, paths, status, reason) => {
  const patterns = paths.map((path) => `            - ${HOST}${path}\n`).join("");
  const artefacts = edited(synthesized("three-clouds"), [
    ["all-nodes.yaml", `            - ${HOST}\n`, patterns],
  ]);
  const results = explained(artefacts).filter(({ target }) => target === `${HOST}/shop/*`);
  const found = results.map(({ checks }) => checks.find(({ id }) => id === "provider-matches-image"));
  expect(found).toEqual([
    expect.objectContaining({ status, reason: expect.stringMatching(reason) as unknown }),
  ]);
});
