/*
 * What a component was meant to get other than its request says.
 */

import { type Answer, type Evidence, seen } from "./answer";
import type { CloudAccess } from "./clouds/cloud-access";
import { named } from "./clouds/named";
import type { Json } from "./facts/access";

/** What was asked for and what was meant, both in the form of a request's provider part. */
export interface IntentFact {
  /** What the request asks for. */
  readonly asks: Json;
  /** What the component was meant to get. */
  readonly intends: Json;
  /** Why; empty where nobody says it. */
  readonly reason: string;
}

/** The answer, with what was narrowed or widened as evidence. */
export function withIntent(
  answer: Answer,
  cloud: Pick<CloudAccess, "inWords">,
  intent: IntentFact | undefined,
): Answer {
  if (intent === undefined || answer.status === "skipped") return answer;
  return { ...answer, evidence: [...answer.evidence, ...differences(cloud, intent)] };
}

function differences(
  cloud: Pick<CloudAccess, "inWords">,
  { asks, intends, reason }: IntentFact,
): readonly Evidence[] {
  const [asked, meant] = [cloud.inWords(asks), cloud.inWords(intends)];
  const [less, more] = [without(asked, meant), without(meant, asked)];
  const because = reason === "" ? "" : `, because: ${reason}`;
  return [
    ...(less.length > 0
      ? [seen(`asked for, and by design not granted: ${named(less)}${because}`, undefined)]
      : []),
    ...(more.length > 0
      ? [seen(`not asked for, and granted by design: ${named(more)}${because}`, undefined)]
      : []),
  ];
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return [...new Set(some)].filter((each) => !known.has(each));
}
