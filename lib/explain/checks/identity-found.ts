import { type Answer, broken, seen } from "../answer";
import type { AccessCheck, AccessContext } from "./access-check";
import { missing } from "./check";

/** Is the identity declared? */
export const identityFound: AccessCheck = {
  id: "identity-found",
  asks: "Is the identity that is named among the resources?",
  why: "A cloud answers the same for an identity that does not exist and for one that may not be used.",
  run: (context) => {
    const { identity } = context;
    if (!identity) return missing("the identity");
    return (identity.found.status === "unknown" && ofOtherOutputs(identity.label, context)) || identity.found;
  },
};

/** An identity that `bind` was given, and that is none of what the state has in its place. */
function ofOtherOutputs(
  label: string,
  { artefacts: { misfilled }, secret, account }: AccessContext,
): Answer | undefined {
  const found = [...misfilled].find(([text]) => label === text || label.endsWith(` ${text}`));
  if (!found) return undefined;
  const [filled, stated] = found;
  const source = (secret ?? account)?.source;
  return broken(
    `${filled} was filled in, and the state has ${stated} there: the outputs were of another cluster, or old`,
    "run bind again with the outputs of this state",
    undefined,
    ...(source ? [seen(secret ? "Secret" : "service account", source)] : []),
  );
}
