import { isRecord } from "../model/record";
import { isDeeper } from "./nesting";

/** No reader of the object needs to fear its depth. */
const DEPTH_MAX = 200;

/** Reads JSON text that must hold an object; `refuse` is called with the reason where it does not. */
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
