import type { EventEmitter } from "node:events";
import { errorCode } from "../artefact/synth-folder";

/**
 * Lets a reader of the output stop reading, as `head` does: what is written afterwards is lost, quietly, and the exit
 * code stays that of the command.
 */
export function allowClosedPipe(stream: EventEmitter): void {
  stream.on("error", (error: unknown) => {
    if (errorCode(error) !== "EPIPE") throw error;
  });
}
