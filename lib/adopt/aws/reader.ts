import type { AdoptionReader } from "../adoption";
import { ASK } from "../../rules/aws/commands";
import { eksCluster } from "./managed";
import { ccoctlCluster } from "./openshift";

export const awsAdoption: AdoptionReader = {
  cloud: "aws",
  commands: {
    [ASK.caller]: "",
    [ASK.provider]: "ARN",
    [ASK.role]: "name of the role",
    [ASK.policies]: "name of the role",
    [ASK.policy]: "name of the role/name of the policy",
    [ASK.attached]: "name of the role",
    [ASK.location]: "bucket",
    [ASK.publicAccess]: "bucket",
    [ASK.distributions]: "",
    [ASK.cluster]: "name of the cluster",
    [ASK.associations]: "name of the cluster",
    [ASK.association]: "id of the association",
  },
  managed: { command: ASK.cluster, read: eksCluster },
  ccoctl: ccoctlCluster,
};
