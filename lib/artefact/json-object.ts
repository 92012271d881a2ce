import { isRecord } from "../model/record";

/** Reads JSON text that must hold an object; `refuse` is called with the reason where it does not. */
export function jsonObject(text: string, refuse: (reason: string) => never): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return refuse("is not JSON");
  }
  return isRecord(document) ? document : refuse("is not a JSON object");
}
