import { cpSync } from "node:fs";
import { it } from "vitest";
import { example } from "./support/examples";
import { synthesized } from "./support/synthesized";
it.each(["fleet-multikueue", "fleet-argocd"])("%s", async (name) => {
  const { Stack, id } = await example(name);
  cpSync(synthesized((app) => void new Stack(app, id)), `/tmp/f3/out/${name}`, { recursive: true });
});
