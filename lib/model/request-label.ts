import { at } from "../errors";
import type { CredentialsRequest } from "./credentials-request";

/** A request as refusals name it: file, number of the document, name. */
export function requestLabel({ source, name }: Pick<CredentialsRequest, "source" | "name">): string {
  const { file, document } = source;
  const number = document === undefined ? undefined : `document ${document}`;
  return [file, number, `CredentialsRequest ${name}`].filter((part) => part !== undefined).join(", ");
}

/** Runs a check of a request, and puts file, document and name before the message of its refusal. */
export function ofRequest<T>(request: Pick<CredentialsRequest, "source" | "name">, run: () => T): T {
  return at({ node: { path: requestLabel(request) } }, run);
}
