/*
 * The tables of messages, one per area. Texts are for failures: the compiled entry loads a table when one is needed.
 */

export { azureMessages } from "./azure";
export { componentsMessages } from "./components";
export { explainMessages } from "./explain";
export { fleetMessages } from "./fleet";
export { fleetAccessMessages } from "./fleet-access";
export { kubeletMessages } from "./kubelet";
export { kubernetesMessages } from "./kubernetes";
export { modelMessages } from "./model";
export { nodeMessages } from "./node";
export { openidMessages } from "./openid";
export { openshiftMessages } from "./openshift";
export { testingMessages } from "./testing";
