import type { Adoption, AdoptionChoice, AdoptionReader } from "../adoption";
import type { CommandAnswer } from "../answers";
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
  read,
};

function read(answers: CommandAnswer, choice: AdoptionChoice): readonly Adoption[] {
  const clusters = answers
    .at(ASK.cluster)
    .entries()
    .map(([name, answer]) => eksCluster(name, answer.at("cluster"), answers));
  return choice.requests ? [ccoctlCluster(answers, choice), ...clusters] : clusters;
}
