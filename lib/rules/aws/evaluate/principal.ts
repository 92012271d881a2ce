/*
 * Whether the Principal of a trust policy is the OIDC provider whose token is shown.
 * Source: "AWS JSON policy elements: Principal" in the IAM user guide.
 */

import { isRecord } from "../../../model/record";
import { isLate } from "../../../model/late";
import { type Match, any, cannotTell, no, not, quoted, yes } from "./match";
import { type Statement, texts } from "./statements";

/** Principal or NotPrincipal against the ARN of an OIDC provider. */
export function coversProvider({ principal }: Statement, providerArn: string): Match {
  if (!principal) return cannotTell("it has no Principal, which AWS refuses in a trust policy");
  const found = names(principal.value, providerArn);
  if (!principal.negated) return found;
  return not(found, found.holds ? "it excepts this OIDC provider" : "it is for every other OIDC provider");
}

function names(principal: unknown, providerArn: string): Match {
  if (principal === "*") return yes("it is for everybody");
  if (!isRecord(principal)) return cannotTell("its Principal is neither * nor an object");
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
    // {"AWS": "*"} is defined to mean the same as "*"; other AWS principals never are a web identity.
    if (name === "*" && type === "AWS") return yes("it is for everybody");
    if (name === "*" && type === "Federated")
      return cannotTell("its Principal is Federated *, of which AWS does not say whom it lets in");
    return type === "Federated" && name === providerArn
      ? yes("it is for this OIDC provider")
      : no("another principal");
  });
}
