/** Refusals of the aws area. */
export const awsMessages = {};
