/*
 * Elapsed time of a whole `cdktf synth` of that many service accounts, and processor time of the proof in it. Prints
 * `null` where the program `cdktf` is not on the PATH: it is no dependency of this package.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = mkdtempSync(join(tmpdir(), "bench-"));
const app = fileURLToPath(new URL("synth-command-app.mjs", import.meta.url));
const proof = join(folder, "proof.txt");
writeFileSync(
  join(folder, "cdktf.json"),
  JSON.stringify({
    language: "typescript",
    app: `node ${JSON.stringify(app)} ${Number(process.argv[2])} ${JSON.stringify(proof)}`,
    projectId: "00000000-0000-4000-8000-000000000000",
    sendCrashReports: "false",
  }),
);
const env = { ...process.env, CI: "1", CHECKPOINT_DISABLE: "1" };
const begin = performance.now();
const { error, status, stdout, stderr } = spawnSync("cdktf", ["synth"], {
  cwd: folder,
  env,
  encoding: "utf8",
});
const whole = performance.now() - begin;
const isAbsent = error?.code === "ENOENT";
if (!isAbsent && status !== 0) throw new Error(`cdktf synth failed: ${error ?? ""}${stdout}${stderr}`);
console.log(JSON.stringify(isAbsent ? null : { whole, proof: Number(readFileSync(proof, "utf8")) }));
rmSync(folder, { recursive: true, force: true });
