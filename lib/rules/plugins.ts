/*
 * What the released versions of the three image credential provider plugins can do.
 *
 * Read in the plugins' sources and tags: kubernetes/cloud-provider-aws (cmd/ecr-credential-provider),
 * kubernetes-sigs/cloud-provider-azure (cmd/acr-credential-provider), kubernetes/cloud-provider-gcp
 * (cmd/auth-provider-gcp). What no release proves is `unknown`, never a guess.
 */

import type { PluginFacts } from "../model/cluster";
import { compareVersions, parseVersion } from "../model/version";

/**
 * An ability that decides what may be written for a node.
 *
 * - `tokens`: uses the service account token of the request.
 * - `custom-pools`: Google only, exchanges tokens at a pool that is not the GKE or fleet pool.
 * - `unannotated-node-identity`: with a token but without its annotation it falls back to the node's identity.
 */
export type PluginAbility = "tokens" | "custom-pools" | "unannotated-node-identity";

/** An answer with its reason; `unknown` where no release or statement proves it. */
export interface PluginAnswer {
  /** Whether the plugin has the ability. */
  readonly outcome: "yes" | "no" | "unknown";
  /** Why, for people. */
  readonly reason: string;
}

interface Row {
  readonly from: string;
  readonly outcome: PluginAnswer["outcome"];
  readonly reason: string;
}

/** Per plugin and ability: from which version on an answer holds, newest last. */
const TABLE: Readonly<Record<string, Readonly<Partial<Record<PluginAbility, readonly Row[]>>>>> = {
  ecr: {
    tokens: [
      {
        from: "0.0",
        outcome: "no",
        reason: "before v1.34.0 it ignores the token and silently uses the node identity",
      },
      { from: "1.34.0", outcome: "yes", reason: "since v1.34.0 (cloud-provider-aws PR 1155)" },
    ],
    "unannotated-node-identity": [
      { from: "0.0", outcome: "no", reason: "before v1.35.0 a token without role ARN is an error" },
      { from: "1.35.0", outcome: "yes", reason: "since v1.35.0 it falls back (cloud-provider-aws PR 1281)" },
    ],
  },
  acr: {
    tokens: [
      {
        from: "0.0",
        outcome: "no",
        reason: "before v1.34.7 it ignores the token and silently uses the node identity",
      },
      {
        from: "1.34.7",
        outcome: "yes",
        reason: "since v1.34.7, v1.35.0 and v1.36.0 (cloud-provider-azure d82393af)",
      },
    ],
    "unannotated-node-identity": [
      { from: "0.0", outcome: "no", reason: "with a token it needs both annotations and never falls back" },
    ],
  },
  gcp: {
    tokens: [
      {
        from: "0.0",
        outcome: "no",
        reason: "before v36.2.2 it ignores the token and uses the node's service account",
      },
      {
        from: "36.2.2",
        outcome: "unknown",
        reason: "v36.2.2 to v36.2.4 have it in one of the two tag series only",
      },
      {
        from: "36.2.5",
        outcome: "yes",
        reason: "since v36.2.5 (cloud-provider-gcp PR 1202), for GKE and fleet pools",
      },
    ],
    "custom-pools": [
      {
        from: "0.0",
        outcome: "no",
        reason:
          "the shipped plugin exchanges tokens only at the GKE or fleet pool <project>.svc.id.goog; a custom pool needs a build with --sts-audience (cloud-provider-gcp PR 1248)",
      },
    ],
    "unannotated-node-identity": [
      { from: "0.0", outcome: "yes", reason: "without its annotation it uses the node's service account" },
    ],
  },
};

/**
 * Whether a plugin as stated has an ability.
 *
 * A stated ability wins over the table, since distributions backport; a version without patch level is
 * `unknown` where the answer changed within that minor.
 */
export function pluginCan(plugin: string, facts: PluginFacts, ability: PluginAbility): PluginAnswer {
  if (facts.abilities?.includes(ability)) return { outcome: "yes", reason: "stated in the cluster's facts" };
  const rows = TABLE[plugin]?.[ability] ?? [];
  if (rows.length === 0) return { outcome: "unknown", reason: `nothing is known of the plugin ${plugin}` };
  const [only] = rows;
  if (rows.length === 1 && only) return { outcome: only.outcome, reason: only.reason };
  const { version } = facts;
  if (version === undefined) return { outcome: "unknown", reason: "its version is not stated" };
  return answerFor(rows, version);
}

function answerFor(rows: readonly Row[], version: string): PluginAnswer {
  const { major, minor, patch } = parseVersion("version of an image credential provider", version);
  const row = rows.findLast(({ from }) => compareVersions(version, from) >= 0);
  const withinMinor = rows.some(({ from }) => {
    const change = parseVersion("version", from);
    return change.major === major && change.minor === minor && (change.patch ?? 0) > 0;
  });
  if (patch === undefined && withinMinor) {
    return {
      outcome: "unknown",
      reason: `the answer changed within ${major}.${minor}; state the patch level`,
    };
  }
  return row
    ? { outcome: row.outcome, reason: row.reason }
    : { outcome: "unknown", reason: "older than all known" };
}

/**
 * Registries that each plugin serves, as matchImages patterns; a pattern outside of them would hand tokens to
 * the plugin for images of somebody else.
 */
const REGISTRIES: Readonly<Record<string, readonly string[]>> = {
  ecr: [
    ...[
      "amazonaws.com",
      "amazonaws.com.cn",
      "amazonaws.eu",
      "c2s.ic.gov",
      "sc2s.sgov.gov",
      "cloud.adc-e.uk",
      "csp.hci.ic.gov",
    ].flatMap((suffix) => [`*.dkr.ecr.*.${suffix}`, `*.dkr.ecr-fips.*.${suffix}`]),
    ...["on.aws", "on.amazonwebservices.com.cn"].flatMap((suffix) => [
      `*.dkr-ecr.*.${suffix}`,
      `*.dkr-ecr-fips.*.${suffix}`,
    ]),
    "public.ecr.aws",
    "ecr-public.aws.com",
  ],
  acr: ["io", "cn", "de", "us"].flatMap((tld) => [`*.azurecr.${tld}`, `*.*.geo.azurecr.${tld}`]),
  gcp: ["container.cloud.google.com", "gcr.io", "*.gcr.io", "*.pkg.dev"],
};

/** The patterns of the registries that a plugin serves; empty for a plugin that is not known. */
export function registriesOf(plugin: string): readonly string[] {
  return REGISTRIES[plugin] ?? [];
}

/** True when each host that the pattern matches is also matched by one of the wider patterns. */
export function isWithin(pattern: string, wider: readonly string[]): boolean {
  const host = pattern.split("/")[0] ?? "";
  return wider.some((candidate) => covers(candidate.split("."), host.split(".")));
}

function covers(wide: readonly string[], narrow: readonly string[]): boolean {
  return wide.length === narrow.length && wide.every((part, index) => part === "*" || part === narrow[index]);
}
