import type { Adoption, AdoptionChoice, AdoptionReader } from "../adoption";
import type { CommandAnswer } from "../answers";
import { ASK } from "./answers";
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
  read,
};

function read(answers: CommandAnswer, choice: AdoptionChoice): readonly Adoption[] {
  const clusters = answers
    .at(ASK.cluster)
    .entries()
    .map(([name, answer]) => aksCluster(name, answer, answers));
  return choice.requests ? [ccoctlCluster(answers, choice, choice.requests), ...clusters] : clusters;
}
