/*
 * The tables of messages, one per area. Texts are for failures: the compiled entry loads a table when one is needed.
 */

export { modelMessages } from "./model";
