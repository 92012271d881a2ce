/** Refusals of the kubernetes area. */
export const kubernetesMessages = {};
