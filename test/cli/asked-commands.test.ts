import { describe, expect, it } from "vitest";
import type { CommandIo } from "../../lib/cli/command";
import { withProgress } from "../../lib/cli/progress";
import { listen, step } from "../../lib/explain/progress";
import { edited, folderOf, synthesized } from "../fixtures/explain/artefacts";
import { cli } from "../support/cli";

const artefacts = synthesized("three-clouds");
const TF = "cdk.tf.json";
const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:v1";
const ROLE = "arn:aws:iam::111122223333:role/edge-1_shop_web";

/** The role of shop/web lets shop/tools in, which names it: no one declared that. */
const undeclared = edited(artefacts, [
  [
    TF,
    ':sub\\":\\"system:serviceaccount:shop:web\\"',
    ':sub\\":[\\"system:serviceaccount:shop:web\\",\\"system:serviceaccount:shop:tools\\"]',
  ],
  [
    "20-service-accounts.yaml",
    '    iam.gke.io/enable-wi-image-pull: "true"\n',
    `    iam.gke.io/enable-wi-image-pull: "true"\n    eks.amazonaws.com/ecr-role-arn: ${ROLE}\n`,
  ],
]);

describe("who-can", () => {
  it("lists who may pull an image and as whom, declared or not", async () => {
    expect(await cli("who-can", "--image", IMAGE, folderOf(undeclared))).toEqual({
      code: 0,
      out: `allowed  edge-1: shop/tools as ${ROLE}, not declared\nallowed  edge-1: shop/web as ${ROLE}\n2 may pull ${IMAGE}\n`,
      err: "",
    });
  });

  it("says why it cannot tell, and that no one may", async () => {
    const folder = folderOf(
      edited(artefacts, [["workload-identity.json", '"apiServer": "1.35"', '"other": "1.35"']]),
    );
    const { out } = await cli("who-can", "--image", IMAGE, folder);
    expect(out).toMatch(/^unknown {2}edge-1: shop\/web as \S+: [a-z-]+: .+\n0 may pull \S+, 1 perhaps\n$/);
    expect((await cli("who-can", "--image", "acmeshop.azurecr.io/other/x", folderOf(artefacts))).out).toBe(
      "0 may pull acmeshop.azurecr.io/other/x\n",
    );
  });

  it("says once that no one sends a token for an image of a public registry", async () => {
    expect((await cli("who-can", "--image", "nginx", folderOf(artefacts))).out).toBe(
      "unknown  edge-1: 2 service accounts, without identity: provider-matches-image: no entry matches docker.io/library/nginx, which is not a registry of a known plugin; the pull is anonymous or by pull secret\n0 may pull nginx, 2 send no token for it\n",
    );
  });

  it.each(["registry.example.com/Web:v1", "acmeshop.azurecr.io/shop/*"])(
    "refuses %s, which the kubelet pulls for no one",
    async (image) => {
      const { code, out, err } = await cli("who-can", "--image", image, folderOf(artefacts));
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain("the kubelet refuses this image name");
    },
  );

  it("writes JSON", async () => {
    const { out } = await cli("who-can", "--format", "json", "--image", IMAGE, folderOf(artefacts));
    expect(JSON.parse(out)).toEqual({
      version: 1,
      image: IMAGE,
      pullers: [{ stack: "edge-1", subject: "shop/web", verdict: "allowed", as: ROLE, declared: true }],
    });
  });

  it.each([
    [["who-can"]],
    [["who-can", "--image", IMAGE, "--stack", "edge"]],
    [["who-can", "--image", IMAGE, "/none"]],
  ])("exits 2 for %j", async (args) => {
    const folder = args.includes("/none") || args.length === 1 ? [] : [folderOf(artefacts)];
    expect((await cli(...args, ...folder)).code).toBe(2);
  });
});

describe("reach", () => {
  const wide = edited(artefacts, [[TF, "repository/shop/*", "repository/*"]]);

  it("lists what a service account may read, marked where it was not declared", async () => {
    const { code, out } = await cli("reach", "--service-account", "shop/web", folderOf(wide));
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 2)).toEqual([
      `edge-1: shop/web as ${ROLE} may read`,
      "  111122223333.dkr.ecr.eu-west-1.amazonaws.com/*  (not declared)",
    ]);
    expect(out).toContain("\n  acmeshop.azurecr.io/models/*\n");
  });

  it("writes JSON", async () => {
    const { out } = await cli(
      "reach",
      "--format",
      "json",
      "--service-account",
      "shop/tools",
      folderOf(artefacts),
    );
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      serviceAccount: "shop/tools",
      reach: [
        { stack: "edge-1", pattern: "europe-west1-docker.pkg.dev/acme-images/tools/*", declared: true },
      ],
    });
  });

  it("names the nearest of a service account that nothing declares", async () => {
    const { code, out, err } = await cli("reach", "--service-account", "shop/wbe", folderOf(artefacts));
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("name shop/web, if that was meant");
  });
});

describe("what was skipped", () => {
  const values = Array.from({ length: 6 }, (_, place) => [`more/v${place}.yaml`, "replicas: 3\n"] as const);
  const many = new Map([...artefacts, ...values]);

  it.each([
    ["who-can", (folder: string) => ["--image", IMAGE, folder, `${folder}/more`], 6],
    ["reach", (folder: string) => ["--service-account", "shop/web", folder, `${folder}/more`], 6],
    ["compare", (folder: string) => [folder, folder], 12],
  ])("is named in part by %s, and as a whole with --verbose", async (name, args, count) => {
    const operands = args(folderOf(many));
    const [part, whole] = [await cli(name, ...operands), await cli(name, "--verbose", ...operands)];
    expect(part.err).toMatch(/^(?:(?:skipped .*\n){3}skipped 3 others: .*; --verbose names each\n)+$/);
    expect(whole.err.match(/^skipped .*\.yaml/gm)).toHaveLength(count);
  });
});

describe("progress", () => {
  async function shown(progress: boolean, milliseconds: number): Promise<string> {
    let [time, text] = [0, ""];
    const io = {
      out: (each: string) => void (text += each),
      err: (each: string) => void (text += each),
      progress,
    };
    const work = (to: CommandIo): void => {
      for (const what of ["files read", "results", "results"]) step(what);
      to.out("allowed\n");
      step("results");
    };
    await withProgress(io, work, () => (time += milliseconds));
    step("results");
    return text;
  }

  it("is shown after two seconds on a terminal, up to the first output", async () => {
    expect(await shown(true, 1500)).toBe("\r\u001b[K1 results\r\u001b[K2 results\r\u001b[Kallowed\n");
  });

  it.each([
    ["where the work is short", true, 100],
    ["where stderr is no terminal", false, 1500],
  ])("is not shown %s", async (_, progress, milliseconds) => {
    expect(await shown(progress, milliseconds)).toBe("allowed\n");
  });

  it.each([
    [
      "explain",
      ["--audit"],
      ["files read", "service accounts audited", "identities audited", "pulls judged"],
    ],
    [
      "compare",
      ["OLD"],
      ["files read", "service accounts compared", "identities compared", "grants compared"],
    ],
    ["who-can", ["--image", IMAGE], ["files read", "pulls judged"]],
  ])("is made by %s while it reads, judges and compares", async (name, args, steps) => {
    const heard = new Set<string>();
    listen((what) => heard.add(what));
    const folder = folderOf(artefacts);
    await cli(name, ...args.map((word) => (word === "OLD" ? folder : word)), folder);
    listen(undefined);
    expect([...heard]).toEqual(expect.arrayContaining(steps));
  });
});
