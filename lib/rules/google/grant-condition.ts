/*
 * Whether a grant with a condition counts. Sources: cloud.google.com/iam/docs/conditions-attribute-reference and
 * .../conditions-resource-attributes, "Resource name format".
 */

import type { Ternary } from "../../model/known";
import type { CelExpression } from "./cel-evaluation";
import { type AskedText, UNKNOWN_CLAIM } from "./cel-variables";

/** What a condition may say of the resource that is asked for. */
export interface AskedResource {
  /** `projects/<project>/locations/<location>/repositories/<repository>`, or one of such names. */
  readonly name: string | AskedText;
  /** `artifactregistry.googleapis.com`. */
  readonly service: string;
  /** `artifactregistry.googleapis.com/Repository`. */
  readonly type: string;
}

/** Of a repository in Artifact Registry. */
export function askedRepository(name: string | AskedText): AskedResource {
  const service = "artifactregistry.googleapis.com";
  return { name, service, type: `${service}/Repository` };
}

const REQUEST = { time: UNKNOWN_CLAIM, host: UNKNOWN_CLAIM, path: UNKNOWN_CLAIM, auth: UNKNOWN_CLAIM };

/** Whether the condition is met; when a request comes, and what resource it asks for where none is given, is not known. */
export function conditionMet(condition: CelExpression, resource?: AskedResource): Ternary {
  const { name, service, type } = resource ?? {
    name: UNKNOWN_CLAIM,
    service: UNKNOWN_CLAIM,
    type: UNKNOWN_CLAIM,
  };
  const answer = condition.evaluate({ resource: { name, service, type }, request: REQUEST });
  // What fails to be evaluated is not met.
  if (answer.kind === "error") return "no";
  return answer.kind === "unknown" || typeof answer.value !== "boolean"
    ? "unknown"
    : answer.value
      ? "yes"
      : "no";
}
