/*
 * What is granted to principals that the files do not declare, and to everyone.
 */

import { grouped } from "../../model/grouped";
import { seen } from "../answer";
import type { Cloud } from "../cloud";
import type { Finding } from "../findings";
import { named } from "../shared/words";

type Found = Omit<Finding, "id" | "severity">;

const EVERYONE: readonly string[] = ["*", "allAuthenticatedUsers", "allUsers", "everyone"];

/** One finding for each principal, or for each name of everyone. */
export function grantedToOthers(clouds: readonly Cloud[], isEveryone: boolean): readonly Found[] {
  const own = new Set(clouds.flatMap(({ identities }) => identities.flatMap(({ names }) => names)));
  const others = clouds
    .flatMap(({ granted }) => granted)
    .filter(({ to, isOwn }) => !isOwn && !own.has(to) && EVERYONE.includes(to) === isEveryone);
  return [...grouped(others, ({ to }) => to)].flatMap(([to, all]): readonly Found[] => {
    const rights = all.flatMap((each) => each.rights());
    if (rights.length === 0) return [];
    const texts = [...new Set(rights.map(({ text }) => text))].sort();
    return [
      {
        ...{ stack: "", subject: to, target: "" },
        reason: `${isEveryone ? "anyone" : "a principal that is not declared here"} is granted ${named(texts)}`,
        evidence: rights.map(({ text, source }) => seen(text, source)),
        remedy: isEveryone
          ? "remove the grant if its resource is not meant to be public"
          : "check that this principal is intended, and that it needs the grant",
      },
    ];
  });
}
