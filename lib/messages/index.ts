/*
 * The tables of messages, one per area. Texts are for failures: the compiled entry loads a table when one is needed.
 */

export { explainMessages } from "./explain";
export { modelMessages } from "./model";
export { testingMessages } from "./testing";
