import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain, renderText } from "../lib/explain";
import { aksWorlds } from "./fixtures/existing/aks";
import { eksWorlds } from "./fixtures/existing/eks";
import { gkeWorlds } from "./fixtures/existing/gke";
import { ownWorlds } from "./fixtures/existing/own";
import { folderOf } from "./fixtures/explain/artefacts";
import { ROOT, codeBlocks } from "./support/markdown";

const PAGE = "docs/existing.md";
const WORLDS = [eksWorlds[0], aksWorlds[0], gkeWorlds[0], ownWorlds[1]];
const blocks = codeBlocks(PAGE, readFileSync(join(ROOT, PAGE), "utf8")).filter(
  ({ language }) => language === "text",
);

describe("output in the page about clusters that exist", () => {
  it("is of every kind of cluster", () => expect(blocks).toHaveLength(WORLDS.length));

  it.each(blocks.map(({ line, code }, place) => [line, code, WORLDS[place]] as const))(
    "is what explain prints: line %i",
    (_, code, world) => {
      const folder = folderOf(world?.files ?? {});
      const results = explain([join(folder, "state.json"), join(folder, "dump.yaml")]);
      let rest = [...renderText(results)].join("").replaceAll(`${folder}/`, "").split("\n");
      for (const wanted of code.trimEnd().split("\n")) {
        const start = wanted.replace(/…$/, "");
        const found = rest.findIndex((each) => (start === wanted ? each === wanted : each.startsWith(start)));
        expect({ wanted, found: found >= 0 }).toEqual({ wanted, found: true });
        rest = rest.slice(found + 1);
      }
    },
  );
});
