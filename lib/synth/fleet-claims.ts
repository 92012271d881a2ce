/*
 * What the fleets of an app have in common: two controllers of one hub have a stack each, but the hub's objects, and the
 * files of a self-managed spoke, are there once.
 */

import { Annotations } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { fail } from "../errors";
import type { FleetConsumer } from "../fleet";
import { isLate } from "../model/late";
import type { FleetPlan } from "./fleet-plan";
import type { PlannedSpoke } from "./fleet-planned-spoke";

/** Who writes something, and for which hub. */
interface Claim {
  readonly hub: string;
  readonly issuer: string;
  readonly by: string;
  /** What is written, where two may write the same. */
  readonly text: string;
}

const claims = new WeakMap<IConstruct, Map<string, Claim[]>>();

/**
 * Notes what a fleet writes; nothing is noted where it throws.
 *
 * Warns of another hub's files for a spoke.
 */
export function claimFleet(construct: Construct, plan: FleetPlan): void {
  const { root } = construct.node;
  const known = claims.get(root) ?? new Map<string, Claim[]>();
  claims.set(root, known);
  const own = { hub: plan.name, issuer: plan.issuer.url, by: construct.node.path };
  const objects = objectsOf(plan);
  for (const object of objects) {
    const other = known.get(object)?.find((claim) => isSameHub(claim, own));
    if (other) fail("fleet-object-taken", object, other.by);
  }
  const files = plan.spokes.flatMap(fileOf);
  for (const { spoke, key, text } of files)
    for (const claim of known.get(key) ?? []) checkFile(construct, spoke, { ...own, text }, claim);
  const noted = [...objects.map((key) => ({ key, text: "" })), ...files];
  for (const { key, text } of noted) known.set(key, [...(known.get(key) ?? []), { ...own, text }]);
}

/** What is written whole for the hub, and the workloads that are patched. */
function objectsOf({ consumer, namespace, spokes }: FleetPlan): readonly string[] {
  const { reader, workloads } = consumer;
  const patched = [reader, ...workloads].map(({ kind, namespace: own, name }) => `${kind} ${own}/${name}`);
  return [
    ...new Set([
      `ConfigMap ${reader.namespace}/${configMapOf(consumer)}`,
      ...patched,
      ...spokes.map(({ name }) => `ClusterProfile ${namespace}/${name}`),
    ]),
  ];
}

function configMapOf({ form }: FleetConsumer): string {
  return form.kind === "file" ? form.configMap : "kueue-manager-config";
}

interface SpokeFile {
  readonly spoke: string;
  readonly key: string;
  readonly text: string;
}

/** Spokes are told apart by their address: two hubs may call one differently. A late text is compared as far as it is known. */
function fileOf({ name, access }: PlannedSpoke): readonly SpokeFile[] {
  const { endpoint, nodeSetup, trusts, parameters } = access;
  if (nodeSetup === undefined) return [];
  const known = isLate(nodeSetup) ? [trusts?.serviceAccounts, parameters.tokenAudience] : nodeSetup;
  return [{ spoke: name, key: `files ${endpoint.server}`, text: JSON.stringify(known) }];
}

function checkFile(construct: Construct, spoke: string, own: Claim, other: Claim): void {
  if (own.text === other.text) return;
  if (isSameHub(own, other)) fail("spoke-file-differs", spoke, other.by);
  Annotations.of(construct).addWarning(
    `the hub of ${other.by} writes files for the control plane of spoke ${spoke} as well: put one file there that holds both entries (additionalAuthenticators)`,
  );
}

/** Late issuers of one name are taken for one hub: names are the app's own. */
function isSameHub(a: Omit<Claim, "text">, b: Omit<Claim, "text">): boolean {
  return a.hub === b.hub && (a.issuer === b.issuer || isLate(a.issuer) || isLate(b.issuer));
}
