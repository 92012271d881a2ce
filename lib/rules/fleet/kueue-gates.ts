/** Gate of MultiKueue's ClusterProfiles. */
export const KUEUE_GATE = "MultiKueueClusterProfile";

/**
 * Gates that must be on, with the group that each falls to where it is not stated itself, and its default: that of
 * ClusterProfiles is alpha and off since 0.15, MultiKueue beta and on (kubernetes-sigs/kueue:pkg/features). Both can be
 * switched; groups are those of k8s.io/component-base/featuregate.
 */
const NEEDED: readonly (readonly [gate: string, group: string, on: boolean])[] = [
  [KUEUE_GATE, "AllAlpha", false],
  ["MultiKueue", "AllBeta", true],
];

/** The gate that is off although it must be on, under the stated gates; `undefined` where none is. */
export function kueueGateOff(stated: Readonly<Record<string, unknown>>): string | undefined {
  const gates = new Map(Object.entries(stated));
  return NEEDED.find(([gate, group, on]) => (gates.get(gate) ?? gates.get(group) ?? on) !== true)?.[0];
}
