import type { AdoptionReader } from "../adoption";
import { ASK } from "../../rules/azure/commands";
import { aksCluster } from "./managed";
import { ccoctlCluster } from "./openshift";

export const azureAdoption: AdoptionReader = {
  cloud: "azure",
  commands: {
    [ASK.account]: "",
    [ASK.identities]: "",
    [ASK.credentials]: "id of the identity",
    [ASK.definitions]: "",
    [ASK.assignments]: "",
    [ASK.storage]: "",
    [ASK.cluster]: "name of the cluster",
  },
  managed: { command: ASK.cluster, read: aksCluster },
  ccoctl: ccoctlCluster,
};
