import { Annotations, App } from "cdktf";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type WrittenStack, summaryText } from "../../lib/synth/summary";
import { ImagePulls } from "../../lib/synth";
import { acr } from "../../lib/cloud/azure";
import { REGISTRY_ID, fromEcr, makers, plainCluster } from "../support/image-pulls";
import { issuerBucket, providersStack } from "../support/platform-components";

const stack = (more: Partial<WrittenStack>): WrittenStack => ({
  stack: "prod",
  folder: join(process.cwd(), "cdktf.out", "stacks", "prod"),
  files: ["workload-identity.json"],
  late: 0,
  effects: [],
  ...more,
});

const MACHINE_CONFIGS = "manifests/40-machine-configs.yaml";
const EFFECT = "nodes of worker: a change restarts the kubelet.";
const effects = [[MACHINE_CONFIGS, EFFECT]] as const;

describe("the summary of a synth", () => {
  it("says where the files are, what each kind is for, and what comes next", () => {
    const files = [
      "manifests/10-token-audience.yaml",
      "manifests/20-service-accounts.yaml",
      "manifests/cluster-authentication-02-config.yaml",
      "spokes/edge.yaml",
      "nodes/all-nodes.yaml",
      "pods/shop.web.yaml",
      "workload-identity.json",
    ];
    expect(summaryText([stack({ files })], [])).toBe(
      [
        "stack prod: Kubernetes files are in cdktf.out/stacks/prod",
        "  2 files to apply in the order of their numbers: manifests/NN-*.yaml",
        "  1 file for OpenShift's installer: manifests/ without a number",
        "  1 file for the spokes after which they are named: spokes/",
        "  1 file with files and kubelet flags, for the tool that sets up the nodes: nodes/",
        "  1 file with fields to add to pods of a service account: pods/",
        "  next: `npx cdktf deploy prod`, then apply the files, which are final as they are",
        "",
      ].join("\n"),
    );
  });

  it("says what applying a file does to nodes", () => {
    const text = summaryText([stack({ files: [MACHINE_CONFIGS], effects })], []);
    expect(text).toContain(`  ${MACHINE_CONFIGS}: ${EFFECT}\n  next:`);
  });

  it("says what resources do to nodes, not that files do it", () => {
    const delivered = stack({ files: ["nodes/all-nodes.yaml"], effects, delivering: "objects" });
    expect(summaryText([delivered], []).split("\n").slice(1, 3)).toEqual([
      `  ${MACHINE_CONFIGS}: ${EFFECT}`,
      expect.stringContaining("stack prod: Kubernetes files are in "),
    ]);
  });

  it.each([
    [1, "1 value known"],
    [7, "7 values known"],
  ])("names bind where %i values are late", (late, counted) => {
    const text = summaryText([stack({ files: ["manifests/10-a.yaml"], late })], []);
    expect(text).toContain("`npx cdktf deploy prod --outputs-file outputs.json`");
    expect(text).toContain("`npx cdktf-workload-identity bind --outputs outputs.json --to DIR`");
    expect(text).toContain(counted);
  });

  it("says the same of many stacks once, with the range of late values", () => {
    const names = Array.from({ length: 40 }, (_, index) => `c${index + 10}`);
    const clusters = names.map((name, index) =>
      stack({
        stack: name,
        folder: join(process.cwd(), "cdktf.out", "stacks", name),
        files: ["manifests/10-a.yaml"],
        late: 1 + (index % 3),
      }),
    );
    const other = stack({ files: ["nodes/all-nodes.yaml"] });
    expect(summaryText([...clusters, other], []).split("\n")).toEqual([
      "stacks c10, c11, c12, c13, c14 and 35 more: Kubernetes files are in cdktf.out/stacks/STACK",
      "  1 file to apply in the order of their numbers: manifests/NN-*.yaml",
      expect.stringMatching(
        /^ {2}next, for each STACK: `npx cdktf deploy STACK --outputs-file .* fills in 1 to 3 values known only after apply/,
      ),
      "stack prod: Kubernetes files are in cdktf.out/stacks/prod",
      expect.stringContaining("1 file with files and kubelet flags"),
      expect.stringContaining("next: `npx cdktf deploy prod`"),
      "",
    ]);
  });

  it("names a stack that must be deployed too", () => {
    const text = summaryText([stack({ files: ["manifests/10-a.yaml"], dependents: ["images"] })], []);
    expect(text).toContain("  stack images depends on it and must be deployed too\n");
    expect(text).toContain("`npx cdktf deploy prod images`");
  });

  it("is silent about a stack without Kubernetes files", () => {
    expect(summaryText([stack({})], [])).toBe("");
  });

  it("names the stack that has the objects, and the namespaces that only its apply misses", () => {
    const delivered = stack({ delivering: "objects", namespaces: ["batch", "shop"] });
    expect(summaryText([delivered], [])).toBe(
      "stack prod: Kubernetes objects are resources of stack objects, which is deployed after it\n" +
        "  needs these namespaces, whose absence only its apply shows: batch, shop\n" +
        "  next: `npx cdktf deploy prod objects`\n",
    );
  });

  it("says an equal warning once", () => {
    expect(
      summaryText(
        [],
        [
          { text: "one", paths: ["a/x", "a/y", "a/z"] },
          { text: "other", paths: ["b"] },
        ],
      ),
    ).toBe("warning: one (a/x and 2 more)\nwarning: other (b)\n");
  });
});

describe("app.synth()", () => {
  const outdir = join(tmpdir(), `summary-${process.pid}`);

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(outdir, { recursive: true, force: true });
  });

  function printed(
    context: Readonly<Record<string, unknown>>,
    stream: NodeJS.WriteStream = process.stderr,
  ): string {
    const write = vi.spyOn(stream, "write").mockReturnValue(true);
    const app = new App({ outdir, context: { ...context } });
    const made = providersStack(app);
    new ImagePulls(made, "pulls", {
      cluster: plainCluster(),
      identities: [makers.aws()],
      pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
    });
    Annotations.of(made).addWarning("look out");
    app.synth();
    return write.mock.calls.map(([text]) => String(text)).join("");
  }

  const wanted = { "cdktf-workload-identity/summary": true };

  it("prints it at its end, with the warnings", () => {
    expect(printed(wanted)).toMatch(
      /^warning: look out \(prod\)\nstack prod: Kubernetes files are in .*\n {2}2 files /,
    );
  });

  it("counts what the files hold, not what only the record does, and names the stack of a registry's owner", () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const app = new App({ outdir, context: wanted });
    const made = providersStack(app);
    const owner = { scope: providersStack(app, "images") };
    const registry = { registry: REGISTRY_ID, roleAssignmentMode: "LegacyRegistryPermissions" } as const;
    new ImagePulls(made, "pulls", {
      cluster: plainCluster({ issuer: issuerBucket(made) }),
      identities: [makers.aws(), makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: [fromEcr(), acr({ ...registry, owner })] }],
    });
    app.synth();
    const text = write.mock.calls.map(([line]) => String(line)).join("");
    // Client id and tenant of the Azure identity; the issuer is in no file.
    expect(text).toContain("which fills in 2 values known only after apply");
    expect(text).toContain("  stack images depends on it and must be deployed too\n");
    expect(text).toContain("`npx cdktf deploy prod images --outputs-file outputs.json`");
  });

  it("leaves the warnings to the command line of cdktf, which shows them, and standard error in red", () => {
    vi.stubEnv("CDKTF_CONTEXT_JSON", "{}");
    expect(printed(wanted, process.stdout)).toMatch(/^stack prod: /);
    expect(printed(wanted)).toBe("");
  });

  it("is silent in tests, and where the context asks for it", () => {
    expect(printed({})).toBe("");
    vi.stubEnv("NODE_ENV", "production");
    expect(printed({ "cdktf-workload-identity/summary": false })).toBe("");
    expect(printed({})).toContain("stack prod: ");
  });

  it("refuses a context that is not a boolean", () => {
    expect(() => printed({ "cdktf-workload-identity/summary": "no" })).toThrowError(
      expect.objectContaining({ code: "property-invalid" }),
    );
  });
});
