/** Refusals of the openshift area. */
export const openshiftMessages = {};
