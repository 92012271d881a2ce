import { expect, it } from "vitest";
import { Reference, textOf, unread } from "../../../lib/model/known";
import { treeOf } from "../../../lib/model/tree";
import { clusterProfileFindings } from "../../../lib/rules/fleet/cluster-profile-schema";

const one = textOf([new Reference("aws_eks_cluster.a.name")]);
const other = textOf([new Reference("aws_eks_cluster.b.name")]);
const secret = unread("a variable without a default gives it");
const server = "https://a.example";
const P = "status.accessProviders";

/** What a v1alpha2 profile with these access providers lacks, by path. */
function judged(accessProviders: unknown, labels: unknown = {}): unknown {
  const document = {
    apiVersion: "multicluster.x-k8s.io/v1alpha2",
    kind: "ClusterProfile",
    metadata: { name: "spoke-a", labels },
    spec: { clusterManager: { name: "platform-iac" } },
    status: { accessProviders },
  };
  const { dropped, rejected, open } = clusterProfileFindings(treeOf(document), "v1alpha2");
  return { dropped, rejected: rejected.map(({ field }) => field), open };
}

it.each<[string, unknown, unknown, { rejected?: readonly string[]; open?: readonly string[] }]>([
  ["a text known only after apply", [{ name: one, cluster: { server: one } }], undefined, {}],
  [
    "two names from two resources",
    [
      { name: one, cluster: { server } },
      { name: other, cluster: { server } },
    ],
    undefined,
    {},
  ],
  [
    "one name twice",
    [
      { name: one, cluster: { server } },
      { name: one, cluster: { server } },
    ],
    undefined,
    { rejected: [`${P}[1]`] },
  ],
  [
    "a text that was not read",
    [{ name: "a", cluster: { server: secret } }],
    undefined,
    { open: [`${P}[0].cluster.server`] },
  ],
  [
    "a switch known only after apply",
    [{ name: "a", cluster: { server, "disable-compression": one } }],
    undefined,
    { open: [`${P}[0].cluster.disable-compression`] },
  ],
  ["a list that was not read", secret, undefined, { open: [P] }],
  ["labels that were not read", [], secret, { open: ["metadata.labels"] }],
])("%s", (_, providers, labels, expected) => {
  expect(judged(providers, labels)).toEqual({ dropped: [], rejected: [], open: [], ...expected });
});
