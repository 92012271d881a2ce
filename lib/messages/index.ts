/*
 * The tables of messages, one per area. Texts are for failures: the compiled entry loads a table when one is needed.
 */

export { componentsMessages } from "./components";
export { googleMessages } from "./google";
export { kubeletMessages } from "./kubelet";
export { kubernetesMessages } from "./kubernetes";
export { modelMessages } from "./model";
export { nodeMessages } from "./node";
export { openidMessages } from "./openid";
export { openshiftMessages } from "./openshift";
