/** Refusals of the google area. */
export const googleMessages = {};
