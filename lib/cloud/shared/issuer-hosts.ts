/*
 * The resources that publish the issuers of an app. A cloud may connect to the issuer's host when the trust is created,
 * so the documents must be served by then; a literal URL is not a reference from which Terraform could derive that
 * order.
 */

import type { ITerraformDependable } from "cdktf";
import type { IConstruct } from "constructs";
import { PerApp } from "./per-app";

const hosts = new PerApp<readonly ITerraformDependable[]>();

/** Registers what must exist before the documents of an issuer, given by its literal URL, can be reached. */
export function publishIssuer(host: IConstruct, url: string, needs: readonly ITerraformDependable[]): void {
  hosts.set(host, url, [...publishersOf(host, url), ...needs]);
}

/** Returns what must exist before an issuer's documents can be reached; empty if the app does not publish them. */
export function publishersOf(construct: IConstruct, url: string): readonly ITerraformDependable[] {
  return hosts.get(construct, url) ?? [];
}
