import { AREAS, KINDS, SPECIAL } from "./error-kinds";
import type { ErrorCode } from "./errors";

/** All codes, sorted; for documentation and for exhaustive handling. */
export const errorCodes: readonly ErrorCode[] = [
  ...Object.keys(AREAS).flatMap((area) => Object.keys(KINDS).map((kind) => `${area}-${kind}` as ErrorCode)),
  ...(Object.keys(SPECIAL) as ErrorCode[]),
].sort();
