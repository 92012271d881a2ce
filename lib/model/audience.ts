import { fail } from "../errors";
import { literal } from "./late";

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
  const reason =
    typeof audience !== "string" || audience === ""
      ? "is empty"
      : !VISIBLE.test(audience)
        ? "has blanks or characters outside ASCII"
        : audience === "*"
          ? "is a wildcard; in RBAC it would grant every audience"
          : audience.length > MAX && `is longer than ${MAX} characters`;
  if (reason === false) return audience;
  return fail("audience-invalid", {
    problem: `audience ${reason}`,
    value: audience,
    allowed: "1 to 256 visible characters without blanks, for example sts.amazonaws.com",
    remedy: "write the audience once, as the cloud's trust expects it",
  });
}
