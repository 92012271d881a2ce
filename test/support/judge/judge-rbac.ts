import { nodeMayRequestAudience } from "../../../lib/rules/rbac/evaluate";
import type { FinishedStack } from "../synth-output";
import { uses } from "./uses";

const NODE = "node-1";

/** Whether nodes may request the tokens, and no others. */
export function judgeRbac(stack: FinishedStack): readonly string[] {
  const { objects } = stack;
  return uses(stack).flatMap(({ subject: { namespace, name }, audience, title }) => {
    const may = (asked: string): boolean =>
      nodeMayRequestAudience({ objects, audience: asked, namespace, serviceAccount: name, node: NODE });
    const stranger = {
      objects,
      audience,
      namespace,
      serviceAccount: name,
      node: NODE,
      nodeGroups: ["system:authenticated"],
    };
    return [
      ...(may(audience) ? [] : [`${title}: nodes may not request tokens for ${audience}`]),
      ...(may(`${audience}.example`) ? [`${title}: nodes may request tokens for any audience`] : []),
      ...(nodeMayRequestAudience(stranger) ? [`${title}: others than nodes may request tokens`] : []),
    ];
  });
}
