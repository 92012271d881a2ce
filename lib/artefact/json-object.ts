import { isRecord } from "../model/record";
import { isDeeper } from "./nesting";

/** Keeps readers of the object from overflowing the stack. */
const DEPTH_MAX = 200;

/** Reads JSON text that must hold an object; calls `refuse` with the reason if it does not. */
export function jsonObject(text: string, refuse: (reason: string) => never): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return refuse("is not JSON");
  }
  if (isDeeper(document, DEPTH_MAX)) return refuse(`is nested deeper than ${DEPTH_MAX} levels`);
  return isRecord(document) ? document : refuse("is not a JSON object");
}
