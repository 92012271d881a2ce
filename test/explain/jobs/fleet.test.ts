import { expect, it } from "vitest";
import { Fleets } from "../../../lib/explain/jobs/fleet";
import { readFacts } from "../../../lib/explain/read/facts";
import { ClosedWorld } from "../../../lib/explain/coverage/closed-world";
import { PublishedIssuers } from "../../../lib/explain/shared/issuers";
import { type Edit, edited, folderOf, synthesized } from "../../fixtures/explain/artefacts";

const AUTHENTICATION = "on-prem_control-plane.yaml";
const HUB = "65-fleet-controller.yaml";

/** Verdict, first broken link and user of the spoke that takes the hub's own tokens; no cloud has a part in it. */
function onPrem(...edits: readonly Edit[]): readonly unknown[] {
  const folder = folderOf(edited(synthesized("fleet-multikueue"), edits));
  const { clusters, terraform } = readFacts([folder], {
    computed: [],
    cluster: {},
    stated: [],
    recorded: () => [],
  });
  const fleets = new Fleets([], new PublishedIssuers([], new ClosedWorld(terraform)));
  return [...fleets.of(clusters, () => true, "on-prem")].map(({ verdict, checks, as }) => [
    verdict,
    checks.find(({ status }) => status !== "pass")?.id,
    typeof as,
  ]);
}

it.each<readonly [string, string | undefined, readonly Edit[]]>([
  ["allowed", undefined, []],
  ["denied", "issuer-trusted", [[AUTHENTICATION, "url: https://oidc", "url: https://other"]]],
  ["denied", "token-mounted", [[HUB, "path: on-prem", "path: elsewhere"]]],
  ["unknown", "token-mounted", [[HUB, "audience: https://on-prem.acme.example", 'audience: ""']]],
])("a self-managed spoke is %s by %s", (verdict, check, edits) => {
  expect(onPrem(...edits)).toEqual([[verdict, check, verdict === "allowed" ? "string" : expect.anything()]]);
});
