/*
 * The stages of docs/from-pull-secrets.md, each with what the page claims of it.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { ProdEu } from "../examples/rollout/stack";
import { Explainer } from "../lib/explain";
import { folderOf } from "./fixtures/explain/artefacts";
import { synthesized } from "./support/synthesized";

const REGISTRY = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const SECRET = "ecr-login";

/** Service accounts and pods as the cluster shows them; a pod without pull secrets takes those of its service account. */
function running(pullSecrets: boolean, content?: string): string {
  const imagePullSecrets = pullSecrets ? [{ name: SECRET }] : [];
  const account = (name: string): object => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "shop", name, uid: `6c1f8e0a-0000-4000-8000-${name}` },
    imagePullSecrets,
  });
  const pod = (name: string): object => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name: `${name}-5d9c7b6f4-2xkqz` },
    spec: {
      serviceAccountName: name,
      imagePullSecrets,
      containers: [{ name, image: `${REGISTRY}/shop/${name}:1` }],
    },
    status: { phase: "Running" },
  });
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "shop", name: SECRET },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": Buffer.from(content ?? "").toString("base64") },
  };
  const items = [...["web", "jobs"].flatMap((name) => [account(name), pod(name)])];
  const list = { apiVersion: "v1", kind: "List", items: content === undefined ? items : [...items, secret] };
  return join(folderOf(new Map([["running.yaml", stringify(list)]])), "running.yaml");
}

const login = JSON.stringify({ auths: { [REGISTRY]: { auth: Buffer.from("AWS:x").toString("base64") } } });

/** What becomes of each pull, and what the last check says of anything besides the chain. */
function pulls(outdir: string, cluster: string): readonly string[] {
  return [...Explainer.read([outdir, cluster]).running()].map(({ subject, verdict, as, checks }) => {
    const besides = checks.find(({ id }) => id === "otherwise")?.reason ?? "";
    return `${subject}: ${verdict} as ${as?.split("/").at(-1) ?? "no one"}; ${besides}`;
  });
}

const stage = (name: "mixed" | "strict"): string =>
  synthesized((app) => void new ProdEu(app, "prod-eu", name, "strict"));

const ROLE = "allowed as prod-eu_shop";
const FIRST = "the pull secrets ecr-login are tried first";

describe("beside", () => {
  it.each([
    ["whose secret was not read", undefined],
    ["whose secret has a login for the registry", login],
  ])("takes nothing away from pods %s: what has no annotation goes on by it", (_, content) => {
    expect(pulls(stage("mixed"), running(true, content))).toEqual([
      `shop/web: ${ROLE}_web; ${FIRST}`,
      "shop/jobs: unknown as pull secret; the pull secrets ecr-login may serve the image",
    ]);
  });

  it("says what would be lost without pull secrets", () => {
    expect(pulls(stage("mixed"), running(false)).map((line) => line.split(";")[0])).toEqual([
      `shop/web: ${ROLE}_web`,
      "shop/jobs: denied as no one",
    ]);
  });

  it("finds a secret that cannot be decoded: it stops the pull, whatever else would serve it", () => {
    for (const line of pulls(stage("strict"), running(true, "{")))
      expect(line).toContain("denied as no one; the kubelet cannot decode the pull secret ecr-login");
  });
});

describe("annotated", () => {
  it("holds link by link, and the secrets are still tried first", () => {
    expect(pulls(stage("strict"), running(true, login))).toEqual([
      `shop/web: ${ROLE}_web; ${FIRST}`,
      `shop/jobs: ${ROLE}_jobs; ${FIRST}`,
    ]);
  });

  it("says of a secret for another registry that nothing besides the chain is needed", () => {
    const other = login.replace(REGISTRY, "quay.io");
    expect(pulls(stage("strict"), running(true, other))).toEqual(pulls(stage("strict"), running(false)));
  });
});

describe("removed", () => {
  it("needs no secret", () => {
    const rest = "not needed: every link holds";
    expect(pulls(stage("strict"), running(false))).toEqual([
      `shop/web: ${ROLE}_web; ${rest}`,
      `shop/jobs: ${ROLE}_jobs; ${rest}`,
    ]);
  });
});

describe("docs/from-pull-secrets.md", () => {
  it("names the stages in their order", () => {
    const page = readFileSync(resolve(__dirname, "../docs/from-pull-secrets.md"), "utf8");
    const stages = [...page.matchAll(/^## \d\. .*`(\w+)`$/gm)].map(([, name]) => name);
    expect(stages).toEqual(["beside", "annotated", "proven", "removed"]);
    for (const text of [FIRST, "may serve the image", "not needed: every link holds"].map((each) =>
      each.replace("ecr-login", "…"),
    ))
      expect(page).toContain(text);
  });
});
