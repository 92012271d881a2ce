import type { AdoptionReader } from "../adoption";
import { ASK } from "../../rules/google/commands";
import { gkeCluster } from "./managed";
import { ccoctlCluster } from "./openshift";

export const googleAdoption: AdoptionReader = {
  cloud: "google",
  commands: {
    [ASK.project]: "",
    [ASK.pools]: "",
    [ASK.providers]: "pool",
    [ASK.accounts]: "",
    [ASK.policy]: "e-mail address of the service account",
    [ASK.projectPolicy]: "",
    [ASK.roles]: "",
    [ASK.bucket]: "bucket",
    [ASK.cluster]: "name of the cluster",
  },
  managed: { command: ASK.cluster, read: gkeCluster },
  ccoctl: ccoctlCluster,
};
