import { SPECIAL } from "./error-kinds";
import type { ErrorCode } from "./errors";
import * as tables from "./messages";

/** All codes, sorted; for documentation and for exhaustive handling. */
export const errorCodes: readonly ErrorCode[] = [SPECIAL, ...Object.values(tables)]
  .flatMap((table) => Object.keys(table) as ErrorCode[])
  .sort();
