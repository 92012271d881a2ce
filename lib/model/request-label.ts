import { at } from "../errors";
import type { RequestSource } from "./credentials-request";

/** What is known of where a request was written. */
export interface LabelledRequest {
  /** `metadata.name`. */
  readonly name: string;
  /**
   * File and number of the document.
   *
   * @defaultValue - not known: the request was made in code
   */
  readonly source?: RequestSource | undefined;
}

/** A request as refusals name it: file, number of the document, name. */
export function requestLabel({ source, name }: LabelledRequest): string {
  const { file, document } = source ?? {};
  const number = document === undefined ? undefined : `document ${document}`;
  return [file, number, `CredentialsRequest ${name}`].filter((part) => part !== undefined).join(", ");
}

/** Runs a check of a request, and puts file, document and name before the message of its refusal. */
export function ofRequest<T>(request: LabelledRequest, run: () => T): T {
  return at({ node: { path: requestLabel(request) } }, run);
}
