import { describe, expect, it } from "vitest";
import { Explainer } from "../../lib/explain";
import { trustLines } from "../../lib/explain/trusted";
import { iamRole, irsaTrust } from "../fixtures/existing/aws";
import { aksWorlds } from "../fixtures/existing/aks";
import { eksWorlds } from "../fixtures/existing/eks";
import { gkeWorlds } from "../fixtures/existing/gke";
import { account, dumpOf } from "../fixtures/existing/objects";
import { stateOf } from "../fixtures/existing/show";
import { folderOf } from "../fixtures/explain/artefacts";
import { cli } from "../support/cli";

const FETCH = "kubectl get sa,pods,deploy,daemonset,statefulset -A -o yaml";
const roles = (...subjects: readonly string[]): string =>
  stateOf(
    subjects.map((subject, place) =>
      iamRole(
        `aws_iam_role.r${place}`,
        `r${place}`,
        irsaTrust({ issuer: "oidc.example.com/c1", subjects: subject }),
      ),
    ),
  );
const linesOf = (files: Readonly<Record<string, string>>): readonly string[] =>
  trustLines(Explainer.read([folderOf(files)]));
const stateAlone = (title: string): string => {
  const world = [...eksWorlds, ...aksWorlds, ...gkeWorlds].find((each) => each.title === title);
  return world?.files["state.json"] ?? "";
};

describe("identities of Terraform alone", () => {
  it.each([
    [
      "EKS with the modules eks and iam",
      'module.irsa["shop-jobs"].aws_iam_role.this[0] trusts shop/cron, shop/jobs',
      "13 identities trust 13 service accounts",
    ],
    [
      "EKS Pod Identity",
      'module.pod_identity["shop-web"].aws_eks_pod_identity_association.this["main"] trusts shop/web',
      "8 identities trust 7 service accounts",
    ],
    ["AKS with workload identity", "id-shop-web trusts shop/web", "16 identities trust 16 service accounts"],
    [
      "GKE with a pool of the team's own",
      "subject/system:serviceaccount:shop:web trusts shop/web",
      "12 identities trust 12 service accounts",
    ],
  ])("are listed: %s", (title, line, sum) => {
    const lines = linesOf({ "state.json": stateAlone(title) });
    expect(lines.filter((each) => each.endsWith(line))).toHaveLength(1);
    expect(lines.at(-1)).toBe(`${sum}; give explain their manifests (${FETCH})`);
  });

  it("are listed with patterns, one line each up to twenty", () => {
    const names = Array.from({ length: 22 }, (_, place) => `system:serviceaccount:team:${place || "*"}`);
    const lines = linesOf({ "state.json": roles(...names) });
    expect(lines[0]).toBe("aws_iam_role.r0 trusts team/*");
    expect(lines.slice(19, 21)).toEqual(["aws_iam_role.r19 trusts team/19", "and 2 more"]);
    expect(lines).toHaveLength(22);
  });

  it("may trust no service account", () => {
    expect(linesOf({ "state.json": roles("repo:acme/web:ref:refs/heads/main") })).toEqual([
      `0 identities trust 0 service accounts; give explain their manifests (${FETCH})`,
    ]);
  });

  it("are listed beside service accounts that act as none", () => {
    const files = {
      "state.json": roles("system:serviceaccount:shop:web"),
      "dump.yaml": dumpOf([account("shop/x")]),
    };
    expect(linesOf(files).at(-1)).toBe(
      `1 identity trusts 1 service account; give explain the manifests of those that are to act as them (${FETCH})`,
    );
    expect(linesOf({ "dump.yaml": files["dump.yaml"] })).toEqual([]);
  });
});

describe("the command", () => {
  const folder = (): string => folderOf({ "state.json": roles("system:serviceaccount:shop:web") });

  it("lists them and ends with 3", async () => {
    const { code, out, err } = await cli("explain", folder());
    expect([code, err]).toEqual([3, ""]);
    expect(out).toMatch(
      /^aws_iam_role\.r0 trusts shop\/web\n1 identity trusts 1 service account; give .*\n$/,
    );
    expect((await cli("explain", "--fail-on", "denied", folder())).code).toBe(0);
  });

  it("writes a report without results in other formats", async () => {
    const { code, out, err } = await cli("explain", "--format", "json", folder());
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ version: 1, results: [] });
    expect(err).toContain("aws_iam_role.r0 trusts shop/web\n");
  });

  it("refuses a narrower question that nothing answers", async () => {
    expect(await cli("explain", "--job", "component", folder())).toMatchObject({ code: 2, out: "" });
  });
});
