import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// With CI set the runner refuses to write snapshots, new ones included; only `npm run test:update` clears it.
if (!process.argv.some((argument) => argument === "--update" || argument === "-u")) process.env["CI"] ??= "1";

const lib = (path: string): string => fileURLToPath(new URL(`../lib/${path}`, import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  resolve: {
    // The names that users import, answered from the sources.
    alias: [
      { find: /^cdktf-workload-identity$/, replacement: lib("index.ts") },
      { find: /^cdktf-workload-identity\/(aws|azure|google)$/, replacement: lib("cloud/$1/index.ts") },
      { find: /^cdktf-workload-identity\/(\w+)$/, replacement: lib("$1/index.ts") },
    ],
  },
  test: { include: ["test/**/*.test.ts"], testTimeout: 60_000 },
});
