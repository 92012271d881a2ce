/* What this library writes is allowed, on every hub and for every consumer. */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { expect, it } from "vitest";
import { FleetAccess, ImagePulls } from "../../../lib/synth";
import { CONSUMERS, HUBS, SPOKES, allSpokes } from "../../fixtures/explain/all-spokes";
import { type Artefacts, explained, synthesizedStack } from "../../fixtures/explain/artefacts";
import { fleet, props } from "../../fixtures/explain/one-spoke";
import { ISSUER, fromEcr, makers, plainCluster } from "../../support/image-pulls";

type Hub = keyof typeof HUBS;
type Consumer = keyof typeof CONSUMERS;

const pairs = (Object.keys(HUBS) as Hub[]).flatMap((hub) =>
  (Object.keys(CONSUMERS) as Consumer[]).map((consumer) => [hub, consumer] as const),
);

it.each(pairs)("a hub %s and the consumer %s", (hub, consumer) => {
  const results = explained(allSpokes(hub, consumer));
  const accounts = consumer.startsWith("argocd") ? 2 : 1;
  expect(results.map(({ target, verdict }) => `${target} ${verdict}`)).toEqual(
    Array.from({ length: accounts }).flatMap(() => SPOKES.map((spoke) => `${spoke} allowed`)),
  );
});

it.each(Object.keys(HUBS) as Hub[])("cluster Secrets on %s let the same accounts in as profiles", (hub) => {
  const said = (consumer: Consumer): readonly unknown[] =>
    explained(allSpokes(hub, consumer)).map(({ subject, target, as }) => [subject, target, as]);
  expect(said("argocd-secrets")).toEqual(said("argocd"));
});

const WRITTEN = props({}, { statusWriter: { kubectlVersion: "1.35.2" } });
const asked = (artefacts: Artefacts): unknown =>
  explained(artefacts).map(({ job, subject, verdict }) => [job, subject, verdict]);
const entered = ["fleet-access", "kueue-system/kueue-controller-manager", "allowed"];

it("with Jobs that write the status", () => {
  expect(asked(fleet(WRITTEN))).toEqual([entered]);
});

it("with Jobs that write the status, beside image pulls", () => {
  const pulls = (serviceAccount: string): Artefacts =>
    synthesizedStack((stack) => {
      new AwsProvider(stack, "aws", { region: "eu-west-1" });
      new FleetAccess(stack, "fleet", { ...WRITTEN, hub: { ...WRITTEN.hub, name: "prod", issuer: ISSUER } });
      new ImagePulls(stack, "pulls", {
        cluster: plainCluster(),
        identities: [makers.aws()],
        pulls: [{ serviceAccount, from: fromEcr() }],
      });
    });
  expect(asked(pulls("shop/web"))).toEqual([["image-pull", "shop/web", "allowed"], entered]);
  // Its image may be a copy that needs credentials, and whoever declares a pull wants to know.
  expect(asked(pulls("kueue-system/a-status"))).toEqual([
    ["image-pull", "kueue-system/a-status", "unknown"],
    ["image-pull", "kueue-system/a-status", "unknown"],
    entered,
  ]);
});

it("says where the list is that a controller reads", () => {
  const [result] = explained(fleet());
  const found = result?.checks
    .flatMap(({ evidence }) => evidence)
    .filter(({ text }) => text.startsWith("ConfigMap "));
  expect(new Set(found?.map(({ text, source }) => `${text} ${source?.path}`))).toEqual(
    new Set(['ConfigMap kueue-system/kueue-manager-config data["controller_manager_config.yaml"]']),
  );
});
