/*
 * What mirrors of the nodes' runtime do to a pull. The kubelet hands over credentials for the host in the pod's image;
 * the runtime drops them for a mirror on another host.
 *
 * Source: containers/image issue 2949; openshift/runtime-utils, pkg/registries (`NeverContactSource` blocks the source
 * for tags and digests alike).
 */

import { type Answer, broken, seen, unknown } from "../answer";
import type { Repository } from "../clouds/cloud";
import type { KubernetesFacts } from "../facts/kubernetes-facts";
import { type MirrorRule, mirrorRulesOf } from "../facts/mirror-facts";

/** Mirrors that the runtime tries before a repository, or instead of it. */
export interface Mirrored {
  /** The rules. */
  readonly rules: readonly MirrorRule[];
  /** The mirrors, in their order, each once. */
  readonly mirrors: readonly string[];
  /** True where the repository itself is never contacted. */
  readonly blocked: boolean;
  /** True where a mirror is on another host, to which no credentials of the pod are shown. */
  readonly elsewhere: boolean;
}

/** The mirrors of a repository; `undefined` where no rule covers it. */
export function mirroredAs(
  { mirrors: rules }: Pick<KubernetesFacts, "mirrors">,
  { name, host }: Repository,
): Mirrored | undefined {
  if (rules.length === 0) return undefined;
  const covering = mirrorRulesOf(rules, name);
  if (covering.length === 0) return undefined;
  const mirrors = [...new Set(covering.flatMap((rule) => rule.mirrors))];
  return {
    rules: covering,
    mirrors,
    blocked: covering.some(({ blocksSource }) => blocksSource),
    elsewhere: mirrors.some((mirror) => mirror.split("/")[0] !== host),
  };
}

/** What follows for the pull where the source itself is never contacted; `undefined` where it is. */
export function withoutSource(
  { rules, mirrors, blocked, elsewhere }: Mirrored,
  { name, host }: Repository,
): Answer | undefined {
  if (!blocked) return undefined;
  const evidence = rules.map(({ title, place }) => seen(title, place));
  const where = mirrors.join(", ");
  if (!elsewhere)
    return unknown(
      `the runtime never pulls ${name} itself, only its mirror ${where}; whether the identity may read that is not judged`,
      `ask about the image by the mirror's name, or set mirrorSourcePolicy to AllowContactingSource`,
      ...evidence,
    );
  return broken(
    `the runtime never contacts ${host} for ${name}, only the mirror ${where}, and shows no credentials of the pod to another host`,
    "set mirrorSourcePolicy to AllowContactingSource, name the mirror in the pod, or give the nodes' global pull secret a login for the mirror",
    `event: registry ${rules[0]?.source ?? host} is blocked in /etc/containers/registries.conf or /etc/containers/registries.conf.d`,
    ...evidence,
  );
}

/** Words for a reason: where the runtime goes first. */
export function mirrorHint({ mirrors, elsewhere }: Mirrored): string {
  const shown = elsewhere ? "without the pod's credentials" : "with the same credentials";
  return `; the runtime tries the mirror ${mirrors.join(", ")} first, ${shown}`;
}
