import type { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import type { TerraformProvider } from "cdktf";
import type { IConstruct } from "constructs";
import { fail } from "../../errors";
import { isRecord } from "../../model/record";
import { universeDomain } from "../../rules/google/workload";
import { DefaultProvider } from "../shared/default-provider";

const defaults = new DefaultProvider<GoogleProvider>("google");

/** Where something is declared. */
export interface UniversePlace {
  /**
   * Domain of Google Cloud's APIs.
   *
   * @defaultValue "googleapis.com"
   */
  readonly universeDomain?: string | undefined;
  /**
   * The Terraform provider.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider | undefined;
}

/**
 * The domain of the APIs, which everything that is declared is in: that of the provider, where the provider states one.
 *
 * Throws `google-universe-invalid`, `google-universe-mismatch` and `late-value`.
 */
export function universeIn(scope: IConstruct, place: UniversePlace): string {
  const universe = universeDomain(place.universeDomain);
  const provider: unknown = place.provider ?? defaults.of(scope);
  const stated = isRecord(provider) ? provider["universeDomainInput"] : undefined;
  // A late one has "${" too, as an expression that somebody writes out.
  if (typeof stated !== "string" || stated.includes("${") || stated === universe) return universe;
  return fail("google-universe-mismatch", universe, stated);
}
