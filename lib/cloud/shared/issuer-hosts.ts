/*
 * The resources that publish the issuers of an app. A cloud may connect to the issuer's host when the trust is created,
 * so the documents must be served by then; a literal URL is not a reference from which Terraform could derive that
 * order.
 */

import type { ITerraformDependable } from "cdktf";
import type { IConstruct } from "constructs";
import { PerApp } from "./per-scope";

const published = new PerApp<{
  readonly host: IConstruct;
  readonly needs: readonly ITerraformDependable[];
}>();

/** Registers the construct that publishes an issuer, and what must exist before its documents can be reached. */
export function publishIssuer(host: IConstruct, url: string, needs: readonly ITerraformDependable[]): void {
  published.set(host, url, { host, needs: [...publishersOf(host, url), ...needs] });
}

/** Returns what must exist before an issuer's documents can be reached; empty if the app does not publish them. */
export function publishersOf(construct: IConstruct, url: string): readonly ITerraformDependable[] {
  return published.get(construct, url)?.needs ?? [];
}

export function issuerHost(construct: IConstruct, url: string): IConstruct | undefined {
  return published.get(construct, url)?.host;
}
