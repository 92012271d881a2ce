import { fail } from "../errors";
import type { ClusterFacts } from "../model/cluster";
import type { PullDeclaration } from "../model/pulls";
import type { Subject } from "../model/subject";
import { TokenAudienceGrant, type TokenAudienceGrantProps } from "../kubernetes";
import { checkedRoleName } from "../kubernetes/token-audience-grant";
import type { ClusterManifests } from "./cluster-manifests";
import { type ObjectKind, boolean, choice, object, optional, text } from "../model/shape";

/** How nodes get the permission to request service account tokens for the audiences of the pulls. */
export interface TokenAudienceSettings {
  /**
   * `namespaces` binds the role in each namespace that pulls; `cluster` binds it for all namespaces, including future
   * ones. `namespaces` is refused for an audience in mixed mode with one entry.
   *
   * @defaultValue - `cluster` for an audience in mixed mode with one entry, otherwise `namespaces`
   */
  readonly scope?: "namespaces" | "cluster";
  /**
   * Limits the grant to the service accounts that pull; refused for an audience in mixed mode with one entry.
   *
   * @defaultValue false
   */
  readonly limitToServiceAccounts?: boolean;
  /**
   * Name of the roles and bindings, to match existing objects; refused if there are several audiences.
   *
   * @defaultValue - derived from the audience
   */
  readonly roleName?: string;
}

export const TOKEN_AUDIENCE_SETTINGS: ObjectKind<TokenAudienceSettings> = object({
  scope: optional(choice(["namespaces", "cluster"])),
  limitToServiceAccounts: optional(boolean),
  roleName: optional(text),
});

const ORDER = { order: 10 } as const;

/** Checks the settings as far as they do not depend on the audiences. */
export function checkTokenAudience(settings: TokenAudienceSettings): void {
  if (settings.roleName !== undefined) checkedRoleName(settings.roleName);
}

/**
 * Writes one grant per audience; names are derived from the audience, so they are the same in each run.
 *
 * `everyAccount` holds the audiences for which kubelets request a token of every service account: a namespace without
 * the grant would lose all its pulls through that entry, even those with the node's identity. If a strict and a mixed
 * entry share an audience, the wider grant applies to both.
 */
export function writeTokenAudienceGrants(
  manifests: ClusterManifests,
  cluster: ClusterFacts,
  declared: readonly PullDeclaration[],
  everyAccount: ReadonlySet<string>,
  settings: TokenAudienceSettings = {},
): void {
  const grants = subjectsByAudience(declared);
  if (settings.roleName !== undefined && grants.length > 1) {
    const audiences = grants.map(([audience]) => audience).join(", ");
    fail("kubernetes-conflict", {
      problem: `\`roleName\` is set for several audiences, ${audiences}, so one role would overwrite the other`,
      value: settings.roleName,
      allowed: "`roleName` with one audience only",
      remedy: "leave `roleName` out: the names are then derived from the audiences",
    });
  }
  const comment = grants.flatMap(([audience]) =>
    everyAccount.has(audience) ? unlimitedComment(audience) : [],
  );
  const chart = manifests.chart("token-audience", { ...ORDER, comment });
  for (const [audience, subjects] of grants)
    new TokenAudienceGrant(chart, audience, {
      audience,
      apiServer: cluster.apiServer,
      ...(cluster.featureGates ? { featureGates: cluster.featureGates } : {}),
      ...(everyAccount.has(audience) ? unlimited(audience, settings) : limited(subjects, settings)),
      ...(settings.roleName === undefined ? {} : { roleName: settings.roleName }),
    });
}

type Extent = Pick<TokenAudienceGrantProps, "scope" | "namespaces" | "serviceAccounts">;

function unlimited(audience: string, { scope, limitToServiceAccounts }: TokenAudienceSettings): Extent {
  const setting = scope === "namespaces" ? "scope" : limitToServiceAccounts && "limitToServiceAccounts";
  if (setting)
    return fail("kubernetes-conflict", {
      problem: `the grant of audience ${audience} is narrowed by \`${setting}\` of \`tokenAudience\`, but in mixed mode with one entry the kubelet first requests a token of every service account: if that is refused, the pod does not get the node's credentials either`,
      allowed: "the whole cluster and all service accounts",
      remedy: `leave \`${setting}\` out, or use mode \`strict\``,
    });
  return { scope: "cluster" };
}

function limited(
  subjects: readonly Subject[],
  { scope = "namespaces", limitToServiceAccounts = false }: TokenAudienceSettings,
): Extent {
  if (limitToServiceAccounts) return { scope, serviceAccounts: subjects };
  if (scope === "cluster") return { scope };
  return { scope, namespaces: [...new Set(subjects.map(({ namespace }) => namespace))].sort() };
}

function unlimitedComment(audience: string): readonly string[] {
  return [
    `${audience} is granted for the whole cluster: in mixed mode the kubelet requests a token of every service account`,
    "that pulls from these hosts; if that is refused, the pod does not get the node's credentials either.",
  ];
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
