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

/** Runs a synth into a folder of its own and prints its time, the time of the whole run, the peak memory, and what the synth returns. */
export function measure(synth) {
  const outdir = mkdtempSync(join(tmpdir(), "bench-"));
  const begin = performance.now();
  const figures = synth(outdir, accounts(Number(process.argv[2])));
  const ms = performance.now() - begin;
  const kept = process.env.BENCH_KEEP !== undefined;
  if (!kept) rmSync(outdir, { recursive: true, force: true });
  // From the start of the process on, as whoever runs a synth waits for it.
  const whole = performance.now();
  const megabytes = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ ms, whole, megabytes, ...figures, ...(kept ? { outdir } : {}) }));
}
