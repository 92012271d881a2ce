/*
 * What the headers of the fleet's files say to whoever applies them.
 */

import type { FleetConsumer } from "../fleet";
import { ARGO_NAMESPACES } from "../rules/fleet/names";

/** Which webhook must run on the hub, and that it changes new pods alone. */
export function webhookComment(webhooks: readonly string[]): readonly string[] {
  return webhooks.length === 0
    ? []
    : [
        `Needs the pod identity webhook of ${webhooks.join(" and ")} on the hub, which reads annotations when a pod begins:`,
        "restart workloads that this file does not change.",
      ];
}

/** What the person who applies the file must do besides. */
export function consumerComment(
  { title, form, reader, profileNamespace }: FleetConsumer,
  flag: string | undefined,
): readonly string[] {
  if (form.kind === "kueue")
    return [
      "The ConfigMap is that of the installation with the list of providers in it: add --force-conflicts. The",
      "ClusterProfile CRD must be there before Kueue starts.",
      form.gateByFlag === true
        ? "The manager must have --feature-gates with MultiKueueClusterProfile=true on its command line."
        : "Kueue does not start with featureGates there and --feature-gates on its command line.",
    ];
  if (flag === undefined) return [];
  const isElsewhere = profileNamespace !== undefined && profileNamespace !== reader.namespace;
  return [
    `Give the ${reader.kind} ${reader.namespace}/${reader.name} of ${title} the argument`,
    flag,
    ...(isElsewhere
      ? [`and the namespace of the profiles, which is not its own:`, `${ARGO_NAMESPACES}=${profileNamespace}`]
      : []),
  ];
}
