/*
 * Makes everything of a fleet but its cloud resources in charts that nobody writes, so that what its parts refuse is
 * refused before anything is declared: whoever catches the error has no half of a fleet in the stack.
 */

import { App, Chart } from "cdk8s";
import { at } from "../errors";
import { SpokeRoleBinding } from "../fleet";
import type { Subject } from "../model/subject";
import type { AccessGrant } from "../model/workloads";
import type { FleetAccessProps } from "./fleet-access-props";
import { fleetObjects } from "./fleet-objects";
import type { FleetPlan } from "./fleet-plan";

/** Throws what the constructs of the hub and of the spokes throw. */
export function rehearseFleet(props: FleetAccessProps, plan: FleetPlan): void {
  const app = new App();
  const charts = new Map<string, Chart>();
  const chart = ({ name }: { readonly name: string }): Chart => {
    const known = charts.get(name) ?? new Chart(app, name);
    charts.set(name, known);
    return known;
  };
  const grants = plan.subjects.map(standIn);
  const identities = Object.fromEntries(plan.makers.map(({ cloud }) => [cloud, grants]));
  fleetObjects(chart, props, plan, identities);
  const bindings = new Chart(app, "bindings");
  for (const { name, clusterRole, namespaces } of plan.spokes)
    if (clusterRole !== undefined)
      at({ node: { path: `spoke ${name}` } }, () => {
        new SpokeRoleBinding(bindings, name, {
          spoke: name,
          hub: plan.name,
          consumer: plan.consumer,
          users: plan.subjects.map((subject) => ({ subject, user: "user", groups: [], authorized: false })),
          clusterRole,
          ...(namespaces && { namespaces }),
        });
      });
}

function standIn(subject: Subject): AccessGrant {
  const pod = { labels: {}, env: [], volumeMounts: [], volumes: [] };
  return { subject, identity: "identity", annotations: {}, pod };
}
