/*
 * Whether the Principal of a trust policy is the OIDC provider whose token is shown.
 * Source: "AWS JSON policy elements: Principal" and "… NotPrincipal" in the IAM user guide.
 */

import { isRecord } from "../../../model/record";
import { isLate } from "../../../model/late";
import { type Match, any, cannotTell, no, quoted, yes } from "./match";
import { type Statement, texts } from "./statements";

/** The kinds of principals that AWS defines. */
const TYPES: readonly string[] = ["AWS", "CanonicalUser", "Federated", "Service"];

/** The first kind of principal in an object that AWS does not define. */
export function undefinedType(principal: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(principal).find((type) => !TYPES.includes(type));
}

/** The guide has "*" and {"AWS": "*"} mean the same, everybody, and names no web identity among them. */
const EVERYBODY = cannotTell(
  "its Principal is everybody, of which AWS does not say whether it includes web identities",
);

/** Principal against the ARN of an OIDC provider. */
export function coversProvider({ principal }: Statement, providerArn: string): Match {
  if (!principal) return cannotTell("it has no Principal, which AWS refuses in a trust policy");
  if (principal.negated) return cannotTell("it has NotPrincipal, which AWS refuses in a trust policy");
  return names(principal.value, providerArn);
}

function names(principal: unknown, providerArn: string): Match {
  if (principal === "*") return EVERYBODY;
  if (!isRecord(principal)) return cannotTell("its Principal is neither * nor an object");
  const stray = undefinedType(principal);
  if (stray !== undefined)
    return cannotTell(`its Principal is of the kind ${quoted(stray)}, which AWS does not define`);
  return any(
    Object.entries(principal).flatMap(([type, value]) => ofType(type, value, providerArn)),
    `its Principal is not the OIDC provider ${quoted(providerArn)}`,
  );
}

function ofType(type: string, value: unknown, providerArn: string): Match[] {
  const values = texts(value);
  if (!values) return [cannotTell(`its Principal ${quoted(type)} is no text and no list of texts`)];
  return values.map((name) => {
    if (isLate(name) || name.includes("${"))
      return cannotTell("its Principal holds a Terraform reference that is known only after apply");
    // Other AWS principals never are a web identity.
    if (name === "*" && type === "AWS") return EVERYBODY;
    if (name === "*" && type === "Federated")
      return cannotTell("its Principal is Federated *, of which AWS does not say whom it lets in");
    return type === "Federated" && name === providerArn
      ? yes("it is for this OIDC provider")
      : no("another principal");
  });
}
