/*
 * Measures what the design budgets, as ratios within one run, and prints a table; writes no file.
 *
 * Every measurement runs in a process of its own, both sides in turn, and counts the median: of processor time where one
 * process does the work, since others may use the machine as well.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertSameObjects } from "./same-objects.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const RUNS = Number(process.env.BENCH_RUNS ?? 5);

const child = (args) =>
  JSON.parse(
    execFileSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 26 })
      .trim()
      .split("\n")
      .at(-1),
  );
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Runs two commands in turn and returns the medians of each figure. */
function compare(ours, theirs, runs = RUNS) {
  const results = { ours: [], theirs: [] };
  for (let run = 0; run < runs; run++) {
    results.ours.push(child(ours));
    results.theirs.push(child(theirs));
  }
  const figure = (side, key) => median(results[side].map((result) => result[key]));
  const keys = Object.keys(results.ours[0]);
  return Object.fromEntries(
    keys.map((key) => [key, { ours: figure("ours", key), theirs: figure("theirs", key) }]),
  );
}

const rows = [];
const row = (what, ours, theirs, unit, budget) => {
  const ratio = ours / theirs;
  rows.push({
    what,
    ours: `${ours.toFixed(unit === "ms" ? 0 : 1)} ${unit}`,
    against: `${theirs.toFixed(unit === "ms" ? 0 : 1)} ${unit}`,
    ratio: ratio.toFixed(2),
    budget: budget === undefined ? "none" : `≤ ${budget.toFixed(2)}`,
    met: budget === undefined ? "-" : ratio <= budget ? "yes" : "NO",
  });
};

assertSameObjects();
const perAccount = {};
for (const count of [2_000, 10_000]) {
  const result = compare([here("synth-ours.mjs"), count], [here("synth-by-hand.mjs"), count]);
  const { ms, megabytes, proof } = result;
  // Of one process, with the proof and without: of two processes the difference would be mostly noise.
  const without = ms.ours - proof.ours;
  perAccount[count] = without / count;
  const what = `synth of ${count} service accounts`;
  row(`${what} without the proof ÷ by hand`, without, ms.theirs, "ms", 1.1);
  row(`the proof of ${count} service accounts ÷ synth by hand`, proof.ours, ms.theirs, "ms", 0.45);
  row(`${what} with the proof, peak memory ÷ by hand`, megabytes.ours, megabytes.theirs, "MB", 1.2);
  const commands = Array.from({ length: RUNS }, () => child([here("synth-command.mjs"), count]));
  if (commands.includes(null)) {
    console.log(
      `proof of ${count} ÷ the rest of \`cdktf synth\`: skipped, the program cdktf is not on the PATH`,
    );
    continue;
  }
  const proofs = median(commands.map((run) => run.proof));
  const rest = median(commands.map((run) => run.whole - run.proof));
  row(`proof of ${count} service accounts ÷ the rest of \`cdktf synth\``, proofs, rest, "ms");
}
row(
  "growth: time per service account at 10000 ÷ at 2000",
  perAccount[10_000] * 1000,
  perAccount[2_000] * 1000,
  "µs",
  1.1,
);

const DELIVERED = 2_000;
for (const [way, what] of [
  ["resources", "as kubernetes_manifest resources"],
  ["rendered", "as files and rendered by Terraform"],
]) {
  const run = (each) => [here("synth-delivered.mjs"), DELIVERED, each];
  const { ms, megabytes } = compare(run(way), run("files"));
  const perAccount = (each) => (each * 1000) / DELIVERED;
  row(`a service account ${what} ÷ as files, time`, perAccount(ms.ours), perAccount(ms.theirs), "µs");
  row(
    `${DELIVERED} service accounts ${what} ÷ as files, peak memory`,
    megabytes.ours,
    megabytes.theirs,
    "MB",
  );
}

const CLUSTERS = [12, 120];
const [few, many] = CLUSTERS.map((count) => [here("synth-components.mjs"), count]);
const perCluster = compare(many, few).ms;
row(
  `components of ${CLUSTERS[1]} clusters in one synth, per cluster ÷ of ${CLUSTERS[0]}`,
  perCluster.ours,
  perCluster.theirs,
  "ms",
  1.1,
);

const SPOKES = [50, 500];
const [fewSpokes, manySpokes] = SPOKES.map((count) => [here("synth-fleet.mjs"), count]);
const perSpoke = compare(manySpokes, fewSpokes).ms;
row(
  `${SPOKES[1]} spokes of one hub, per spoke ÷ ${SPOKES[0]} spokes`,
  perSpoke.ours,
  perSpoke.theirs,
  "ms",
  1.1,
);

const EXPLAINED = { accounts: 10_000, images: 100 };
for (const [shape, budget] of [
  ["shared", 2],
  ["distinct", 3.5],
]) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  child([here("explain-files.mjs"), folder, shape, EXPLAINED.accounts, EXPLAINED.images]);
  const args = [folder, EXPLAINED.accounts * EXPLAINED.images];
  const run = here("explain-run.mjs");
  const { ms, megabytes } = compare([run, "ours", ...args], [run, "theirs", ...args]);
  rmSync(folder, { recursive: true });
  const what = `explain of 10000 service accounts × 100 images, ${shape} policies`;
  row(`${what}, ÷ parsing its files`, ms.ours, ms.theirs, "ms", budget);
  row(`${what}, peak memory ÷ parsing`, megabytes.ours, megabytes.theirs, "MB", 1.2);
}

for (const [clusters, accounts] of [
  [40, 50],
  [1, 5_000],
]) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const run = here("compare-run.mjs");
  child([run, "files", folder, clusters, accounts]);
  const { ms } = compare([run, "ours", folder], [run, "theirs", folder]);
  const audited = compare([run, "audit", folder], [run, "explain", folder]).ms;
  rmSync(folder, { recursive: true });
  const what = `compare of ${clusters} clusters × ${accounts} service accounts, one action changed`;
  row(`${what}, ÷ explain of both sides`, ms.ours, ms.theirs, "ms", 2);
  const whose = `of ${clusters} clusters × ${accounts} service accounts`;
  row(`explain --audit ${whose}, ÷ explain`, audited.ours, audited.theirs, "ms", 1.5);
}

// One app with that many clusters; the smallest shows what a process takes in any case.
const FLEETS = [4, 40, 400];
const ofFleets = FLEETS.map((clusters) => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const run = (side) => child([here("compare-run.mjs"), side, folder, clusters, 50]);
  const { synth, proof, megabytes } = run("files");
  const read = { explain: run("explain"), compare: run("ours"), "the page": run("page") };
  rmSync(folder, { recursive: true });
  return { synth: { ms: synth, megabytes }, proof: { ms: proof }, ...read };
});
for (const what of Object.keys(ofFleets[0]))
  for (const key of Object.keys(ofFleets[0][what])) {
    const [least, few, many] = ofFleets.map((steps) => steps[what][key]);
    const [kind, unit] = key === "ms" ? ["time", "ms"] : ["peak memory", "MB"];
    row(
      `${what} of ${FLEETS[2]} clusters × 50 service accounts, ${kind} per cluster ÷ of ${FLEETS[1]}`,
      (many - least) / (FLEETS[2] - FLEETS[0]),
      (few - least) / (FLEETS[1] - FLEETS[0]),
      unit,
      1.1,
    );
  }

for (const [what, names, budget] of [
  ["what pulls from ECR take of it", "ecr,pullRoles", 1.15],
  // An import in an ES module takes everything.
  ["everything of it", "*"],
]) {
  const { needs } = child([here("import.mjs"), "needs", names]);
  const ours = [here("import.mjs"), "ours", names];
  const { ms } = compare(ours, [here("import.mjs"), "theirs", needs.join(",")], RUNS * 6 + 1);
  row(`import of ./aws, ${what}, ÷ of cdktf and the same sub-paths`, ms.ours, ms.theirs, "ms", budget);
}

const cli = fileURLToPath(new URL("../../dist/lib/cli/main.js", import.meta.url));
const start = (args) => {
  const begin = performance.now();
  execFileSync(process.execPath, args);
  return performance.now() - begin;
};
const starts = { ours: [], theirs: [] };
for (let run = 0; run < RUNS * 2 + 1; run++) {
  starts.ours.push(start([cli, "--help"]));
  starts.theirs.push(start(["-e", "0"]));
}
row("command line --help ÷ node -e 0", median(starts.ours), median(starts.theirs), "ms", 2.5);
console.table(rows);

const loaded = ["index", "rules/index", "explain/index"].map((entry) => ({
  entry,
  ...child([here("modules.mjs"), entry]),
}));
console.table(loaded);
if (rows.some(({ met }) => met === "NO") || loaded.some(({ foreign }) => foreign !== "none"))
  process.exitCode = 1;
