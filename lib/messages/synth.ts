/** Refusals of the synth area. */
export const synthMessages = {};
