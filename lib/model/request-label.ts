import { at } from "../errors";
import type { RequestSource } from "./credentials-request";

export interface LabelledRequest {
  /** `metadata.name`. */
  readonly name: string;
  /**
   * File and number of the document.
   *
   * @defaultValue - unknown: the request was created in code
   */
  readonly source?: RequestSource | undefined;
}

/** Returns the label of a request in errors: file, number of the document, name. */
export function requestLabel({ source, name }: LabelledRequest): string {
  const { file, document } = source ?? {};
  const number = document === undefined ? undefined : `document ${document}`;
  return [file, number, `CredentialsRequest ${name}`].filter((part) => part !== undefined).join(", ");
}

/** Runs a check of a request; the message of an error begins with file, document and name. */
export function ofRequest<T>(request: LabelledRequest, run: () => T): T {
  return at({ node: { path: requestLabel(request) } }, run);
}
