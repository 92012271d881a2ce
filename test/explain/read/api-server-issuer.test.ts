import { describe, expect, it } from "vitest";
import { orElse } from "../../../lib/model/known";
import { clusterOf } from "../../fixtures/explain/read";

const server = (name: string, command: readonly string[], metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "kube-system",
    annotations: { "kubernetes.io/config.mirror": "9d2c" },
    ...metadata,
  },
  spec: {
    containers: [{ name: "kube-apiserver", image: "registry.k8s.io/kube-apiserver:v1.34.1", command }],
  },
});
const flag = (issuer: string): string => `--service-account-issuer=${issuer}`;
const [ONE, OTHER] = ["https://oidc.example.com/c1", "https://oidc.example.com/c2"];

describe("the issuer of the API server", () => {
  it.each<[string, readonly object[], string | undefined]>([
    ["that its static pod shows", [server("kube-apiserver-a", ["kube-apiserver", flag(ONE)])], ONE],
    ["that signs, the first of two", [server("kube-apiserver-a", [flag(ONE), flag(OTHER)])], ONE],
    [
      "that all of them have",
      [server("kube-apiserver-a", [flag(ONE)]), server("kube-apiserver-b", [flag(ONE)])],
      ONE,
    ],
    [
      "is not known if two differ",
      [server("kube-apiserver-a", [flag(ONE)]), server("kube-apiserver-b", [flag(OTHER)])],
      undefined,
    ],
    [
      "is not that of a pod which no kubelet mirrors",
      [server("kube-apiserver-a", [flag(ONE)], { annotations: {} })],
      undefined,
    ],
    [
      "is not that of a hosted control plane",
      [server("kube-apiserver-a", [flag(ONE)], { namespace: "tenant" })],
      undefined,
    ],
    ["is not that of another program", [server("proxy", [flag(ONE)])], undefined],
  ])("%s", (_, objects, wanted) => {
    const { issuer } = clusterOf({ "dump.yaml": objects });
    expect(orElse(issuer, () => undefined)).toBe(wanted);
  });
});
