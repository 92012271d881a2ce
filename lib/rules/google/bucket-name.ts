import { fail } from "../../errors";
import { literal } from "../../model/late";

/** https://cloud.google.com/storage/docs/buckets, "Bucket name requirements"; names with dots need a verified domain. */
const NAME = /^(?!goog)(?!.*(?:google|g00gle))[a-z0-9](?=[a-z0-9_-]{2,62}$)[a-z0-9_-]*[a-z0-9]$/;

/** Returns the name of a bucket; throws `google-bucket-invalid` or `late-value`. */
export function bucketName(value: string): string {
  const given = literal(value, "name of a bucket");
  return typeof given === "string" && NAME.test(given) ? given : fail("google-bucket-invalid", given);
}
