import type { AdoptionReader } from "../adoption";
import { ASK } from "./answers";
import { eksCluster } from "./managed";
import { ccoctlCluster } from "./openshift";

export const awsAdoption: AdoptionReader = {
  cloud: "aws",
  commands: {
    [ASK.caller]: "",
    [ASK.provider]: "ARN",
    [ASK.role]: "name of the role",
    [ASK.location]: "bucket",
    [ASK.publicAccess]: "bucket",
    [ASK.distributions]: "",
    [ASK.cluster]: "name of the cluster",
  },
  managed: { command: ASK.cluster, read: eksCluster },
  ccoctl: ccoctlCluster,
};
