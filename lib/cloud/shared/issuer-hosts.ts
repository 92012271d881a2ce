/*
 * What publishes the issuers of an app. Makers of identities are given an issuer's URL; a cloud that connects to the
 * host while it makes its trust must find it served, and a literal URL is not a reference that would tell the order.
 */

import type { ITerraformDependable } from "cdktf";
import type { IConstruct } from "constructs";
import { PerApp } from "./per-app";

const hosts = new PerApp<readonly ITerraformDependable[]>();

/** States what must exist for the documents of an issuer, by its literal URL, to be reachable. */
export function publishIssuer(host: IConstruct, url: string, needs: readonly ITerraformDependable[]): void {
  hosts.set(host, url, [...publishersOf(host, url), ...needs]);
}

/** What must exist before the documents of an issuer can be reached; nothing where the app does not publish them. */
export function publishersOf(construct: IConstruct, url: string): readonly ITerraformDependable[] {
  return hosts.get(construct, url) ?? [];
}
