/*
 * What happens where a link is broken: the node's identity in mixed mode. Pull secrets are in
 * test/explain/plain-artefacts.test.ts, repositories that everyone may read in test/explain/read-by-all.test.ts, mirrors
 * in provider-matches-image/mirrors.test.ts.
 */

import { describe, expect, it } from "vitest";
import type { ExplainResult } from "../../../lib/explain";
import { answer, checkOf } from "../../fixtures/explain/checks";
import { cluster, plain } from "../../fixtures/explain/plain";
import { accounts, ecr } from "../../fixtures/explain/three-clouds";

it("is not needed where every link holds, and nothing where the broken one leaves no credentials", () => {
  const otherwise = (result: ExplainResult): unknown => {
    const { status, reason } = checkOf(result, "otherwise");
    return [status, reason, result.as];
  };
  expect(otherwise(answer(ecr))).toEqual([
    "pass",
    "not needed: every link holds",
    "arn:aws:iam::111122223333:role/edge-1_shop_web",
  ]);
  expect(otherwise(answer(ecr, accounts("ecr-role-arn", "role-arn")))).toEqual([
    "fail",
    "the kubelet gets no credentials and pulls anonymously, which a private registry refuses",
    null,
  ]);
});

// The kubelet (1.36, run with it) requests the token of every service account first; `requireServiceAccount: false` only
// lets pods without one through.
describe("mixed mode in one entry", () => {
  const NODE = "node/credential-provider.json";
  const mixed = (plain[NODE] ?? "")
    .replace('"requireServiceAccount":true', '"requireServiceAccount":false')
    .replace("requiredServiceAccountAnnotationKeys", "optionalServiceAccountAnnotationKeys");
  const bound = (plain["rbac.yaml"] ?? "").replace(
    /ClusterRoleBinding\n +metadata: \{name: audience\}/,
    "RoleBinding\n    metadata: {name: audience, namespace: team}",
  );
  const pod = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "other" },
    spec: { containers: [{ name: "c", image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web:v1" }] },
  });
  const judged = (more: Readonly<Record<string, string>>, version = "1.35.2"): ExplainResult => {
    const files = { ...plain, "app/deployment.yaml": pod, [NODE]: mixed, ...more };
    return answer({
      artefacts: new Map(Object.entries(files)),
      serviceAccount: "other/default",
      origin: "workload",
      cluster: { ...cluster, plugins: { ecr: { version } } },
    });
  };
  const NODE_SERVES = { verdict: "unknown", as: "node identity" };

  it("leaves an account without annotation the node's identity where the audience is granted everywhere", () => {
    expect(judged({})).toMatchObject(NODE_SERVES);
  });

  it("takes it away in namespaces outside of the grant", () => {
    const result = judged({ "rbac.yaml": bound });
    expect(result).toMatchObject({ verdict: "denied", as: null });
    expect(checkOf(result, "otherwise")).toMatchObject({
      status: "fail",
      reason: expect.stringContaining("the pod does not get the node's credentials either"),
      remedy: expect.stringContaining("for the whole cluster, with a ClusterRoleBinding"),
      log: expect.stringContaining('audience "sts.amazonaws.com" not found in pod spec volume'),
    });
  });

  it("takes it away with a plugin too old for tokens as well, of which the kubelet does not know", () => {
    expect(judged({}, "1.33.4")).toMatchObject(NODE_SERVES);
    const result = judged({ "rbac.yaml": bound }, "1.33.4");
    expect(result).toMatchObject({ verdict: "denied", as: null });
    expect(checkOf(result, "provider-on-node").status).toBe("fail");
  });

  it("of two entries leaves it everywhere, since the second asks for no token", () => {
    const document = JSON.parse(plain[NODE] ?? "") as { providers: object[] };
    const [strict] = document.providers;
    const second = { ...strict, name: "ecr-credential-provider-node", tokenAttributes: undefined };
    const two = JSON.stringify({ ...document, providers: [strict, second] });
    expect(judged({ "rbac.yaml": bound, [NODE]: two })).toMatchObject(NODE_SERVES);
  });
});
