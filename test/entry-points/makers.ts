/*
 * What makers are asked for, so that everything that takes a `provider` is declared.
 */

import { Construct } from "constructs";
import type { IComponentIdentities } from "../../lib/model/components";
import type { ISpokeAccess } from "../../lib/model/fleet";
import type { IPullIdentities, IPullSource } from "../../lib/model/pulls";
import type { IAccess, IWorkloadIdentities } from "../../lib/model/workloads";
import type { RequestCloud } from "../support/credentials-requests";
import { CLUSTER, GRANT, JOB, REQUESTS, WEB, type World } from "./world";

type Declare = (made: unknown, world: World) => unknown;

export const declaresPulls =
  (...sources: readonly IPullSource<Construct>[]): Declare =>
  (made, { stack, id }) =>
    (made as IPullIdentities<Construct>).declare(new Construct(stack, id), {
      clusterName: CLUSTER.name,
      issuer: CLUSTER.issuer,
      accounts: [{ subject: WEB, asks: sources }],
    });

export const declaresWorkloads =
  (...access: readonly IAccess<Construct>[]): Declare =>
  (made, { stack, id }) =>
    (made as IWorkloadIdentities<Construct>).declare(new Construct(stack, id), {
      ...JOB,
      accounts: [{ subject: WEB, asks: access }],
    });

export const declaresComponents =
  (cloud: RequestCloud): Declare =>
  (made, { stack, id }) =>
    (made as IComponentIdentities<Construct>).declare(new Construct(stack, id), {
      ...JOB,
      requests: REQUESTS[cloud].requests,
    });

export const declaresSpoke: Declare = (made, { stack, id }) =>
  (made as ISpokeAccess<Construct>).declare(new Construct(stack, id), {
    hub: "hub",
    spoke: "spoke-a",
    controllers: [{ ...GRANT, principal: { name: GRANT.identity, dependencies: [] } }],
  });
