import { fail } from "../errors";
import type { ClusterFacts } from "../model/cluster";
import type { PullDeclaration } from "../model/pulls";
import type { Subject } from "../model/subject";
import { TokenAudienceGrant } from "../kubernetes";
import { checkedRoleName } from "../kubernetes/token-audience-rules";
import type { Manifests } from "./manifests";
import { type ObjectKind, boolean, choice, object, optional, text } from "../model/shape";

/** How nodes get the permission to request service account tokens for the audiences of the pulls. */
export interface TokenAudienceSettings {
  /**
   * `namespaces` binds in each namespace that pulls; `cluster` binds once for all, also for namespaces to come.
   *
   * @defaultValue "namespaces"
   */
  readonly scope?: "namespaces" | "cluster";
  /**
   * Limits the grant to the service accounts that pull.
   *
   * @defaultValue false
   */
  readonly limitToServiceAccounts?: boolean;
  /**
   * Name of the roles and bindings, for reproducing existing objects; with several audiences it is refused.
   *
   * @defaultValue - derived from the audience
   */
  readonly roleName?: string;
}

/** The kind of {@link TokenAudienceSettings}. */
export const TOKEN_AUDIENCE_SETTINGS: ObjectKind<TokenAudienceSettings> = object({
  scope: optional(choice(["namespaces", "cluster"])),
  limitToServiceAccounts: optional(boolean),
  roleName: optional(text),
});

const ORDER = { order: 10 } as const;

/** Throws `role-name-invalid` or `late-value`, whatever the audiences. */
export function checkTokenAudience(settings: TokenAudienceSettings): void {
  if (settings.roleName !== undefined) checkedRoleName(settings.roleName);
}

/**
 * Writes one grant per audience; the names follow from the audience, so that they are the same in each run.
 *
 * Throws `role-name-shared`, and what the grant throws.
 */
export function writeTokenAudienceGrants(
  manifests: Manifests,
  cluster: ClusterFacts,
  declared: readonly PullDeclaration[],
  settings: TokenAudienceSettings = {},
): void {
  const chart = manifests.chart("token-audience", ORDER);
  const grants = subjectsByAudience(declared);
  if (settings.roleName !== undefined && grants.length > 1) {
    fail(
      "role-name-shared",
      settings.roleName,
      grants.map(([audience]) => audience),
    );
  }
  for (const [audience, subjects] of grants) {
    const namespaces = [...new Set(subjects.map(({ namespace }) => namespace))].sort();
    new TokenAudienceGrant(chart, audience, {
      audience,
      apiServer: cluster.apiServer,
      ...(cluster.featureGates ? { featureGates: cluster.featureGates } : {}),
      scope: settings.scope ?? "namespaces",
      ...(settings.limitToServiceAccounts
        ? { serviceAccounts: subjects }
        : settings.scope === "cluster"
          ? {}
          : { namespaces }),
      ...(settings.roleName === undefined ? {} : { roleName: settings.roleName }),
    });
  }
}

function subjectsByAudience(
  declared: readonly PullDeclaration[],
): readonly (readonly [string, readonly Subject[]])[] {
  const byAudience = new Map<string, Subject[]>();
  for (const { provider, grants } of declared) {
    const subjects = byAudience.get(provider.audience) ?? [];
    byAudience.set(provider.audience, [...subjects, ...grants.map(({ subject }) => subject)]);
  }
  return [...byAudience].sort(([a], [b]) => (a < b ? -1 : 1));
}
