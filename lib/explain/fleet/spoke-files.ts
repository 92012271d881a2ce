/*
 * The API servers of a self-managed spoke have one AuthenticationConfiguration, whoever writes it: of two stacks that
 * each write one, the spoke has only one.
 */

import { isDeepStrictEqual } from "node:util";
import { type Answer, seen, unknown } from "../answer";
import { own, text } from "../facts/access";
import type { ClusterArtefacts } from "../facts/facts";
import { profileProviders } from "../../rules/fleet/resolve-exec";
import type { AuthenticatorFact } from "../facts/spoke-facts";
import { profileDocument } from "./profile-document";

/** What the stacks that were read write for API servers, by the address of these. */
export class SpokeFiles {
  readonly #byServer = new Map<string, Map<string, readonly AuthenticatorFact[]>>();

  /** Notes every recorded spoke that takes the hub's own tokens. */
  constructor(clusters: readonly ClusterArtefacts[], selfManaged: string) {
    for (const { stack, cluster, fleet, spokes } of clusters)
      for (const { profile: key, cloud } of cluster.fleet?.spokes ?? []) {
        const profile = fleet.profiles.find((each) => each.key === key);
        if (cloud !== selfManaged || !profile) continue;
        for (const provider of profileProviders(profileDocument(profile)).values()) {
          const server = text(own(own(provider, "cluster"), "server"));
          const written = spokes.of(profile.name).authenticators;
          if (server === "" || written.length === 0) continue;
          const stacks = this.#byServer.get(server) ?? new Map<string, readonly AuthenticatorFact[]>();
          this.#byServer.set(server, stacks.set(stack, written));
        }
      }
  }

  /** The answer where another stack writes a file that does not have all of this one's entries. */
  contested(server: string, stack: string, written: readonly AuthenticatorFact[]): Answer | undefined {
    const others = [...(this.#byServer.get(server) ?? [])].filter(([name]) => name !== stack);
    const [first] = others.filter(([, theirs]) => !written.every((entry) => isAmong(entry, theirs)));
    if (!first) return undefined;
    const [name, [entry]] = first;
    return unknown(
      `the stack ${name} writes another AuthenticationConfiguration for the same API servers, and only one of the files can be there`,
      "put the entries of both hubs into both files (additionalAuthenticators)",
      ...[...written.slice(0, 1), ...(entry ? [entry] : [])].map((each) =>
        seen("AuthenticationConfiguration", each.source),
      ),
    );
  }
}

function isAmong(entry: AuthenticatorFact, others: readonly AuthenticatorFact[]): boolean {
  return others.some((other) => isDeepStrictEqual({ ...other, source: entry.source }, entry));
}
