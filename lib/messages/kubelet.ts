/** Refusals of the kubelet area. */
export const kubeletMessages = {};
