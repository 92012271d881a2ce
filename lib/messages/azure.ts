/** Refusals of the azure area. */
export const azureMessages = {};
