/* What cdktf does anew for each resource and each token, and no test looks at. */

import { createRequire } from "node:module";
import { ValidateBinaryVersion } from "cdktf/lib/validations/validate-binary-version.js";

/** Runs once in each process, not for each file of tests. */
const { prototype } = ValidateBinaryVersion as { prototype: ValidateBinaryVersion & { isAsked?: true } };
if (!prototype.isAsked) {
  prototype.isAsked = true;

  // `terraform version` for every resource with an import block: one run answers all.
  const answers = new Map<string, string[]>();
  const { validate } = prototype;
  prototype.validate = function (this: ValidateBinaryVersion): string[] {
    const question = JSON.stringify(this);
    const answer = answers.get(question) ?? validate.call(this);
    answers.set(question, answer);
    return answer;
  };

  // Where each token was made, as text.
  const traces = createRequire(__filename)("cdktf/lib/tokens/private/stack-trace.js") as object;
  Object.assign(traces, { captureStackTrace: () => [] });
}
