import type { Adoption, AdoptionChoice, AdoptionReader } from "../adoption";
import type { CommandAnswer } from "../answers";
import { ASK } from "./answers";
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
  read,
};

function read(answers: CommandAnswer, choice: AdoptionChoice): readonly Adoption[] {
  const clusters = answers
    .at(ASK.cluster)
    .entries()
    .map(([name, answer]) => gkeCluster(name, answer, answers));
  return choice.requests ? [ccoctlCluster(answers, choice, choice.requests), ...clusters] : clusters;
}
