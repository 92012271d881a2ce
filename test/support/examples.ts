import type { Construct } from "constructs";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(__dirname, "../..");

/** One folder of `examples/`: its stack's class and the id that its `main.ts` gives. */
export interface Example {
  readonly name: string;
  readonly id: string;
  readonly Stack: new (scope: Construct, id: string) => Construct;
}

/** Names of all folders below `examples/`. */
export const exampleNames: readonly string[] = readdirSync(join(ROOT, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** Loads an example as its `main.ts` uses it. */
export async function example(name: string): Promise<Example> {
  const main = readFileSync(join(ROOT, "examples", name, "main.ts"), "utf8");
  const [, className = "", id = ""] = /new (\w+)\(app, "([\w-]+)"\)/.exec(main) ?? [];
  const module = (await import(`../../examples/${name}/stack.ts`)) as Readonly<
    Record<string, Example["Stack"]>
  >;
  const Stack = module[className];
  if (!Stack) throw new Error(`examples/${name}/main.ts makes no stack of examples/${name}/stack.ts`);
  return { name, id, Stack };
}
