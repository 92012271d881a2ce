import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const lib = (path: string): string => fileURLToPath(new URL(`../lib/${path}`, import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  resolve: {
    // The names that users import, answered from the sources.
    alias: [
      { find: /^cdktf-workload-identity$/, replacement: lib("index.ts") },
      { find: /^cdktf-workload-identity\/(aws|azure|google)$/, replacement: lib("cloud/$1/index.ts") },
      { find: /^cdktf-workload-identity\/vitest$/, replacement: lib("vitest/index.mts") },
      { find: /^cdktf-workload-identity\/(\w+)$/, replacement: lib("$1/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    // Refuses to write snapshots, new ones included; the `--update` of `npm run test:update` overrules it.
    update: "none",
  },
});
