import { it, expect } from "vitest";
import { synthesized, folderOf } from "../../fixtures/explain/artefacts";
import { readFacts as readOld } from "../../../lib/explain/facts/facts";
import { readFacts } from "../../../lib/explain/read/facts";
import { shown } from "../../../lib/model/known";
import { lineOf, placeText } from "../../../lib/explain/read/source-lines";
import { computedAttributes } from "../../../lib/explain/clouds/clouds";

it.each(["aro-hcp","fleet-argocd","fleet-multikueue","openshift-aws","openshift-manual-aws","openshift-manual-azure","openshift-manual-google","three-clouds"] as const)("%s", (name) => {
  const folder = folderOf(synthesized(name));
  const old = readOld([folder], { computed: computedAttributes as never, cluster: {} });
  const now = readFacts([folder], { computed: [], cluster: {} });
  expect(now.skipped.map((s) => s.reason)).toEqual(old.skipped.map((s) => s.reason));
  const [a, b] = [old.clusters[0]!, now.clusters[0]!];
  expect([...b.serviceAccounts.keys()]).toEqual([...a.serviceAccounts.keys()]);
  for (const [k, v] of b.serviceAccounts) console.log(k, [...v.annotations].map(([x, y]) => x + "=" + shown(y)).join(" "), v.source && placeText(v.source));
  expect([...b.secrets.keys()]).toEqual([...a.secrets.keys()]);
  for (const [, v] of b.secrets) console.log(v.key, v.keys.map((k) => k + "=" + shown(v.value(k))).join(" ").slice(0, 300), placeText(v.source));
  expect(b.nodes.length).toBe(a.nodes.length);
  for (const n of b.nodes) console.log(n.name, JSON.stringify(n.isRead), n.entries.map((e) => [e.name, e.matchImages.map(shown), e.args.map(shown), e.tokenAttributes && shown(e.tokenAttributes.audience), placeText(e.source)].join(" ")));
  expect(b.requests.length).toBe(a.requests.length);
  expect(b.fleet.profiles.length).toBe(a.fleet.profiles.length);
  expect(b.fleet.lists.length).toBe(a.fleet.lists.length);
  expect(b.workloads.map((w) => w.title)).toEqual(a.workloads.map((w) => w.title));
  console.log(shown(b.issuer), b.fleet.profiles.map((p) => p.status && placeText(p.status.source)));
});
