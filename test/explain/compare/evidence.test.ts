/* What a difference cites: the statements that differ and bear on it, and no other. */

import { expect, it } from "vitest";
import { type Change, compare } from "../../../lib/explain";
import { edited, folderOf, synthesized } from "../../fixtures/explain/artefacts";

const artefacts = synthesized("three-clouds");
const OWN = "arn:aws:ecr:eu-west-1:111122223333:repository/shop/*";

it("a repository more is cited by its own statement, not by another one that changes as well", () => {
  const more = ["other/new", "zzz/*"].map((name) => `\\"${OWN.replace("shop/*", name)}\\"`).join(",");
  const made = edited(artefacts, [["cdk.tf.json", `\\"${OWN}\\"`, `[\\"${OWN}\\",${more}]`]]);
  const { changes } = compare([folderOf(artefacts)], [folderOf(made)]);
  const cited = (ending: string): readonly string[] | undefined => {
    const found = changes.find(({ target }: Change) => target.endsWith(ending));
    return found && [...found.removed, ...found.added].map(({ text }) => text);
  };
  for (const name of ["other/new", "zzz/*"])
    expect(cited(`/${name}`)).toEqual([expect.stringContaining(`repository/${name}`)]);
});

it("where a link before the permission breaks, its argument is cited, and no statement of the permission", () => {
  const made = edited(artefacts, [["20-service-accounts.yaml", "ecr-role-arn", "role-arn"]]);
  const { changes } = compare([folderOf(artefacts)], [folderOf(made)]);
  const lost = changes.filter(({ kind, about }) => kind === "removed" && about === "images");
  expect(lost.map(({ target }) => target.split("/").slice(1).join("/"))).toEqual(["shop/*"]);
  for (const { removed, added } of lost) {
    expect(removed.map(({ text }) => text)).toEqual(["annotations of the service account"]);
    expect(added.map(({ text }) => text)).toContain("annotations of the service account");
  }
});
