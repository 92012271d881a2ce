import { fail } from "../../errors";
import { literal } from "../../model/late";
import { isRecord } from "../../model/record";

/** An object of a document whose members are still unknown. */
export type CheckedRecord = Readonly<Record<string, unknown>>;

/** Reads parts of one CredentialsRequest; every refusal names the request and the path in it. */
export class RequestReader {
  /** The request, as refusals name it. */
  readonly where: string;

  constructor(where: string) {
    this.where = where;
  }

  /**
   * An object, with no other members than the known ones where these are given.
   *
   * Throws `credentials-request-invalid` or `credentials-request-field-unknown`.
   */
  record(path: string, value: unknown, known?: readonly string[]): CheckedRecord {
    if (!isRecord(value)) return fail("credentials-request-invalid", this.where, path, value, "an object");
    const foreign = known && Object.keys(value).find((key) => !known.includes(key));
    return known === undefined || foreign === undefined
      ? value
      : fail(
          "credentials-request-field-unknown",
          this.where,
          path === "document" ? foreign : `${path}.${foreign}`,
          known,
        );
  }

  /** A literal text of a form; throws `credentials-request-invalid` or `late-value`. */
  text(path: string, value: unknown, form: (text: string) => boolean, allowed: string): string {
    const text = literal(value, `${path} of ${this.where}`);
    return typeof text === "string" && form(text)
      ? text
      : fail("credentials-request-invalid", this.where, path, value, allowed);
  }

  /** Refuses any other value than one; throws `credentials-request-invalid`. */
  equal(path: string, value: unknown, expected: string): void {
    if (value !== expected) fail("credentials-request-invalid", this.where, path, value, expected);
  }
}
