/* The service accounts that both sides of the synth benchmark write, and how a run is measured. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const ACCOUNT = "111122223333";
export const REGION = "eu-west-1";
export const ISSUER = "https://oidc.example.com/prod-eu";
const PER_NAMESPACE = 20;

export const accounts = (count) =>
  Array.from({ length: count }, (_, index) => {
    const number = String(index).padStart(6, "0");
    return {
      namespace: `team-${String(Math.floor(index / PER_NAMESPACE)).padStart(5, "0")}`,
      name: `app-${number}`,
      repository: `apps/app-${number}`,
    };
  });

/** Processor time of this process since it was started, in ms: other programs may use the machine as well. */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Runs a synth into a folder of its own and prints its time, the peak memory, and what the synth returns. */
export function measure(synth) {
  const outdir = mkdtempSync(join(tmpdir(), "bench-"));
  const begin = processorTime();
  const figures = synth(outdir, accounts(Number(process.argv[2])));
  const ms = processorTime() - begin;
  const kept = process.env.BENCH_KEEP !== undefined;
  if (!kept) rmSync(outdir, { recursive: true, force: true });
  const megabytes = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ ms, megabytes, ...figures, ...(kept ? { outdir } : {}) }));
}
