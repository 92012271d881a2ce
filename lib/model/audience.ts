import { fail } from "../errors";
import { literal } from "./late";
import { audienceInvalid } from "./problems";

const MAX = 256;
const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * Returns the audience after checking it.
 *
 * The kubelet accepts any non-empty text; the limits here are the narrowest of the clouds (Google allows 256
 * characters, Azure 600), without blanks, which no cloud uses and which are easily overlooked. An audience is written
 * to node files and RBAC, so it is never late.
 */
export function validateAudience(audience: string): string {
  literal(audience, "audience");
  if (typeof audience !== "string" || audience === "")
    return fail("audience-invalid", audienceInvalid(audience, "is empty"));
  if (!VISIBLE.test(audience))
    return fail("audience-invalid", audienceInvalid(audience, "has blanks or characters outside ASCII"));
  if (audience === "*")
    return fail(
      "audience-invalid",
      audienceInvalid(audience, "is a wildcard; in RBAC it would grant every audience"),
    );
  return audience.length <= MAX
    ? audience
    : fail("audience-invalid", audienceInvalid(audience, `is longer than ${MAX} characters`));
}
