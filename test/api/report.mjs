/*
 * The public surface, one report per entry point, committed beside this file so that every review shows a change
 * of it. `--check` compares and fails; without it the reports are written.
 */

import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Extractor, ExtractorConfig } from "@microsoft/api-extractor";

const root = fileURLToPath(new URL("../..", import.meta.url));
const reports = join(root, "test/api");
const check = process.argv.includes("--check");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.entries(manifest.exports).filter(([, target]) => typeof target === "object");
const scratch = mkdtempSync(join(tmpdir(), "api-report-"));

let failed = false;
for (const [subpath, { types }] of entries) {
  const name = subpath === "." ? "index" : subpath.slice(2);
  const config = ExtractorConfig.prepare({
    configObjectFullPath: join(root, "test/api/report.json"),
    packageJsonFullPath: join(root, "package.json"),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: resolve(root, types),
      newlineKind: "lf",
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: "node16",
            moduleResolution: "node16",
            types: ["node"],
            skipLibCheck: true,
            lib: ["ES2023"],
          },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFolder: reports,
        reportTempFolder: scratch,
        reportFileName: `${name}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: "error" } },
        extractorMessageReporting: {
          default: { logLevel: "error" },
          "ae-missing-release-tag": { logLevel: "none" },
          "ae-forgotten-export": { logLevel: "none" },
          "ae-unresolved-link": { logLevel: "none" },
        },
        tsdocMessageReporting: { default: { logLevel: "none" } },
      },
    },
  });
  const result = Extractor.invoke(config, {
    localBuild: !check,
    showVerboseMessages: false,
    messageCallback: (message) => {
      const quiet = ["console-preamble", "console-api-report-copied", "console-api-report-created"];
      if (quiet.includes(message.messageId) || message.logLevel === "none") message.handled = true;
    },
  });
  if (!result.succeeded) failed = true;
}
rmSync(scratch, { recursive: true, force: true });

const known = entries.map(([subpath]) => `${subpath === "." ? "index" : subpath.slice(2)}.api.md`);
const stale = readdirSync(reports).filter((file) => file.endsWith(".api.md") && !known.includes(file));
if (stale.length > 0) {
  console.error(`reports of entries that no longer exist: ${stale.join(", ")}`);
  failed = true;
}
if (failed) {
  console.error(
    "the public surface differs from the committed report: run `npm run api:update` and review the change",
  );
  process.exit(1);
}
console.log(
  `public surface of ${entries.length} entries ${check ? "equals the committed reports" : "written"}`,
);
