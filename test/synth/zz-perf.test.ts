import { it } from "vitest";
import { ApiObject, App as K8s, Chart } from "cdk8s";
import { App, TerraformStack, DataResource, TerraformOutput } from "cdktf";
import { Manifests } from "../../lib/synth/manifests";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
const props = (i: number, v: string) => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "web" + i, namespace: "shop", annotations: { "eks.amazonaws.com/ecr-role-arn": v } } });
function once(N: number, ours: boolean, late: boolean): number[] {
  const outdir = temporaryFolder();
  const t0 = performance.now();
  const app = new App({ outdir, stackTraces: false }); const stack = new TerraformStack(app, "prod");
  const k = new K8s({ outdir: temporaryFolder() });
  const chart = ours ? Manifests.of(stack).chart("service-accounts", { order: 20 }) : new Chart(k, "c");
  for (let i = 0; i < N; i++) {
    const d = new DataResource(stack, "d" + i, { input: { a: "x" + i } });
    if (!ours && late) new TerraformOutput(stack, "o" + i, { value: d.id });
    new ApiObject(chart, "sa" + i, props(i, late && ours ? d.id : "arn:aws:iam::111122223333:role/" + i));
  }
  const t1 = performance.now();
  app.synth(); if (!ours) k.synth();
  return [t1 - t0, performance.now() - t1].map(Math.round);
}
it("perf", () => { for (const N of [2000, 10000]) { for (let r = 0; r < 2; r++) console.log(N, "hand", once(N, false, false), "ours", once(N, true, false)); if (N==2000) console.log("late hand", once(N, false, true), "late", once(N, true, true)); } }, 300000);
