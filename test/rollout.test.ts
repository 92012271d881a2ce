/*
 * The stages of examples/rollout, each with what docs/rollout.md claims of it.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Mode, ProdEu, type Stage, stages } from "../examples/rollout/stack";
import { Explainer } from "../lib/explain";
import { edited, folderOf } from "./fixtures/explain/artefacts";
import { filesOf } from "./fixtures/synth/stack-fixture";
import { faults } from "./support/faults";
import { comparable, compare } from "./support/golden";
import { type Json, inside, record } from "./support/json";
import { codeBlocks } from "./support/markdown";
import { writtenStacks } from "./support/synth-output";
import { synthesized } from "./support/synthesized";

const EXAMPLE = resolve(__dirname, "../examples/rollout");
const written = new Map<string, string>();

function synth(stage: Stage, mode?: Mode): string {
  const key = `${stage} ${mode}`;
  const outdir = written.get(key) ?? synthesized((app) => void new ProdEu(app, "prod-eu", stage, mode));
  written.set(key, outdir);
  return outdir;
}

type Running = "before" | "after";

/** What becomes of each pull: `<service account>: <verdict>`, and as whom where it goes on. */
function running(outdir: string, what: Running): readonly string[] {
  const explainer = Explainer.read([outdir, join(EXAMPLE, `running-${what}.yaml`)]);
  return [...explainer.running()].map(
    ({ subject, verdict, as }) => `${subject}: ${verdict}${as === null ? "" : ` as ${as.split("/").at(-1)}`}`,
  );
}

function terraform(stage: Stage): Json {
  const [stack] = writtenStacks(synth(stage));
  return record(stack?.terraform);
}

const names = (stage: Stage): readonly string[] =>
  writtenStacks(synth(stage)).flatMap(({ files }) => [...files.keys()]);

describe.each(stages)("the stage %s", (stage) => {
  it("works by the library's own rules, without a warning", () => {
    const found = faults(synth(stage));
    // Without files for nodes no pull can be followed to its end.
    const open = expect.stringContaining(
      "no CredentialProviderConfig of the nodes worker was read",
    ) as string;
    expect(found).toEqual(stage === "prepare" ? [open] : []);
    expect(writtenStacks(synth(stage)).flatMap(({ warnings }) => warnings)).toEqual([]);
  });
});

it("the stages write the committed file", async () => {
  const files = stages.flatMap((stage) =>
    Object.entries(comparable(synth(stage))).map(([path, text]) => [`${stage}: ${path}`, text] as const),
  );
  await compare("rollout", Object.fromEntries(files));
});

describe("prepare", () => {
  it("reaches no node", () => {
    expect(names("prepare").filter((file) => /machine-config|^nodes\//.test(file))).toEqual([]);
    const [record] = writtenStacks(synth("prepare")).map(({ identity }) => JSON.stringify(identity));
    expect(record).not.toContain("credentialProviderConfigHash");
  });

  it("takes no pull away for certain: what the nodes have is not among the files", () => {
    expect(running(synth("prepare"), "before")).toEqual([
      "shop/web: unknown",
      "shop/jobs: unknown",
      "agents/default: unknown",
    ]);
  });

  it("has the permission that mixed mode needs, and the whole cloud side of the first service account", () => {
    const grant = (stage: Stage): string | undefined =>
      writtenStacks(synth(stage))[0]?.files.get("manifests/10-token-audience.yaml");
    expect(grant("prepare")).toContain("kind: ClusterRoleBinding");
    expect(grant("mixed")).toBe(grant("prepare"));
    expect(terraform("mixed")["resource"]).toEqual(terraform("prepare")["resource"]);
  });
});

describe("mixed", () => {
  it("takes no pull away: what has no annotation, and the static pod, go on as the node", () => {
    expect(running(synth("mixed"), "before")).toEqual([
      "shop/web: allowed as prod-eu_shop_web",
      "shop/jobs: allowed as node identity",
      "agents/default: allowed as node identity",
    ]);
  });

  it("without the permission first, every pull with a service account is lost", () => {
    const files = edited(new Map(Object.entries(filesOf(synth("mixed")))), [
      ["10-token-audience.yaml", "request-serviceaccounts-token-audience", "get"],
    ]);
    expect(running(folderOf(files), "before")).toEqual([
      "shop/web: denied",
      "shop/jobs: denied",
      "agents/default: allowed as node identity",
    ]);
  });
});

describe("annotated", () => {
  it("is asked for by strict mode, which would take pulls away from what runs before", () => {
    expect(running(synth("mixed", "strict"), "before")).toEqual([
      "shop/web: allowed as prod-eu_shop_web",
      "shop/jobs: denied",
      "agents/default: denied",
    ]);
  });

  it("leaves nothing to the node's identity", () => {
    expect(running(synth("annotated"), "after").filter((line) => line.includes("node identity"))).toEqual([]);
  });
});

describe("strict", () => {
  it("takes nothing away from what runs then", () => {
    expect(running(synth("strict"), "after")).toEqual([
      "shop/web: allowed as prod-eu_shop_web",
      "shop/jobs: allowed as prod-eu_shop_jobs",
      "agents/node: allowed as prod-eu_agents_node",
    ]);
  });

  it("has no entry that runs a plugin without a token", () => {
    const [stack] = writtenStacks(synth("strict"));
    expect(stack?.files.get("manifests/40-machine-configs.yaml")).toContain("requireServiceAccount: true");
  });
});

describe("done", () => {
  it("differs from strict in the permission of the node role alone", () => {
    const attachments = (stage: Stage): object => record(inside(terraform(stage), "resource"));
    const { aws_iam_role_policy_attachment: gone, ...others } = attachments("strict") as Json;
    expect(JSON.stringify(gone)).toContain("worker-role");
    expect(attachments("done")).toEqual(others);
    const manifests = (stage: Stage): readonly unknown[] =>
      writtenStacks(synth(stage)).map(({ files }) => [...files].filter(([path]) => path !== "cdk.tf.json"));
    expect(manifests("done")).toEqual(manifests("strict"));
  });
});

describe("README.md", () => {
  it("names every file that a stage writes, and no other", () => {
    const readme = readFileSync(join(EXAMPLE, "README.md"), "utf8");
    const named = [...readme.matchAll(/`(manifests\/[\w.-]+|cdk\.tf\.json|workload-identity\.json)`/g)];
    const files = new Set(stages.flatMap(names));
    expect([...new Set(named.map(([, path = ""]) => path))].sort()).toEqual([...files].sort());
  });

  it("names the stages of the runbook in their order", () => {
    const page = readFileSync(resolve(__dirname, "../docs/rollout.md"), "utf8");
    expect([...page.matchAll(/^## \d\. .*`(\w+)`$/gm)].map(([, stage]) => stage)).toEqual([...stages]);
    expect(codeBlocks("docs/rollout.md", page).length).toBeGreaterThan(0);
  });
});
