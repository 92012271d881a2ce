/*
 * What the released versions of the three image credential provider plugins can do.
 *
 * Read in the plugins' sources and tags: kubernetes/cloud-provider-aws (cmd/ecr-credential-provider),
 * kubernetes-sigs/cloud-provider-azure (cmd/acr-credential-provider), kubernetes/cloud-provider-gcp
 * (cmd/auth-provider-gcp). What no release proves is `unknown`, never a guess.
 */

import type { PluginFacts } from "../model/cluster";
import type { CredentialProviderEnv } from "../model/image-credential-provider";
import { isRecord } from "../model/record";
import { compareVersions, minorOf, parseVersion } from "../model/version";
import { parseGoDuration } from "./kubelet/go-duration";
import { toBytes } from "./kubelet/go-text";
import { type GoUrl, parseSchemelessUrl } from "./kubelet/go-url";

/**
 * An ability that decides what may be written for a node.
 *
 * - `tokens`: uses the service account token of the request.
 * - `custom-pools`: Google only, exchanges tokens at a pool that is not the GKE or fleet pool.
 * - `unannotated-node-identity`: with a token but without its annotation it falls back to the node's identity.
 * - `eusc-hosts`: ECR only, reads the region in hosts of the European Sovereign Cloud, `*.amazonaws.eu`.
 */
export type PluginAbility = "tokens" | "custom-pools" | "unannotated-node-identity" | "eusc-hosts";

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

/** Rows of a change that was brought to several minors: not before the first, and in each from its patch level on. */
function backported(releases: readonly string[], before: string, since: string): readonly Row[] {
  const rows = releases.flatMap((from): readonly Row[] => [
    { from: from.replace(/\d+$/, "0"), outcome: "no", reason: before },
    { from, outcome: "yes", reason: since },
  ]);
  return [{ from: "0.0", outcome: "no", reason: before }, ...rows];
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
    "eusc-hosts": backported(
      ["1.30.10", "1.31.9", "1.32.6", "1.33.3", "1.34.2"],
      "it does not know hosts of amazonaws.eu and finds no region in them",
      "since v1.34.2 and v1.35.0, and the last patch levels before",
    ),
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
 * Names that releases and distributions give to each plugin's executable; what follows names a platform or a second
 * copy. Sources: the plugins' release pages, kOps, GKE, AKS, machine-config-operator.
 */
const EXECUTABLES: Readonly<Record<string, RegExp>> = {
  ecr: /^ecr-credential-provider(?![a-z0-9])/,
  acr: /^acr-credential-provider(?![a-z0-9])/,
  gcp: /^(?:auth-provider-gcp|gcp-credential-provider|gcr-credential-provider)(?![a-z0-9])/,
};

/** Whether an executable of that name is a plugin, as far as names tell. */
export function isPluginExecutable(plugin: string, name: string): boolean {
  return Object.hasOwn(EXECUTABLES, plugin) && EXECUTABLES[plugin]?.test(name) === true;
}

/** The abilities that the table knows for a plugin, sorted; none for a plugin that is not known. */
export function pluginAbilities(plugin: string): readonly string[] {
  return Object.keys(TABLE[plugin] ?? {}).sort();
}

/**
 * Variables that a plugin reads only for a service account without its annotation, with the reason why they have
 * no effect on others. Source: cloud-provider-aws, cmd/ecr-credential-provider/main.go (buildCredentialsProvider).
 */
const UNANNOTATED_ENV: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ecr: {
    AWS_ECR_ROLE_ARN:
      "the plugin reads it for service accounts without annotation, for which the kubelet does not ask this entry",
  },
};

/** Why a variable has no effect where the kubelet asks the plugin for annotated service accounts alone, or `undefined`. */
export function unannotatedEnvReason(plugin: string, name: string): string | undefined {
  const reasons = UNANNOTATED_ENV[plugin] ?? {};
  return Object.hasOwn(reasons, name) ? reasons[name] : undefined;
}

/**
 * The variable by which a plugin states how long the kubelet keeps its answer, whosever credentials they are. Google's
 * answers the metadata server's token as it is, which may end sooner: that server hands one out until five minutes
 * before its end. Source: cloud-provider-gcp, cmd/auth-provider-gcp/provider/provider.go (getCacheDuration).
 */
const ANSWER_DURATION: Readonly<Record<string, string>> = { gcp: "KUBE_SIDECAR_CACHE_DURATION" };

/** The variable among those of an entry by which the node's own token would outlive its end in the kubelet's cache. */
export function outlivingTokenEnv(
  plugin: string,
  env: readonly CredentialProviderEnv[],
): CredentialProviderEnv | undefined {
  const name = Object.hasOwn(ANSWER_DURATION, plugin) ? ANSWER_DURATION[plugin] : undefined;
  return env.find((each) => each.name === name && (parseGoDuration(each.value).nanoseconds ?? 0n) > 0n);
}

/** The newest minor of each plugin whose source was read; of a newer one nothing is known. */
const NEWEST: Readonly<Record<string, string>> = { ecr: "1.36", acr: "1.36", gcp: "36.3" };

/**
 * Whether a plugin as stated has an ability.
 *
 * A stated ability wins over the table, since distributions backport; a version without patch level is `unknown`
 * where the answer changed within that minor, and so are a minor that is newer than all known ones and a pre-release
 * of the version that brought the change.
 */
export function pluginCan(plugin: string, facts: PluginFacts, ability: PluginAbility): PluginAnswer {
  // What has another type than declared, a caller without types may hand over.
  const stated: Partial<PluginFacts> = isRecord(facts) ? facts : {};
  if (Array.isArray(stated.abilities) && stated.abilities.includes(ability))
    return { outcome: "yes", reason: "stated in the cluster's facts" };
  const known = typeof plugin === "string" && Object.hasOwn(TABLE, plugin) ? TABLE[plugin] : undefined;
  if (known === undefined)
    return {
      outcome: "unknown",
      reason: `nothing is known of the plugin ${typeof plugin === "string" ? plugin : typeof plugin}`,
    };
  const rows = typeof ability === "string" && Object.hasOwn(known, ability) ? (known[ability] ?? []) : [];
  const { version } = stated;
  const newest = NEWEST[plugin] ?? "0.0";
  if (version !== undefined && compareVersions(minorOf(VERSION, version), newest) > 0)
    return { outcome: "unknown", reason: `the newest release that is known is of v${newest}` };
  const [only] = rows;
  if (only === undefined)
    return { outcome: "unknown", reason: `nothing is known of the plugin ${plugin} in this regard` };
  if (rows.length === 1) return { outcome: only.outcome, reason: only.reason };
  if (version === undefined) return { outcome: "unknown", reason: "its version is not stated" };
  return answerFor(rows, version);
}

const VERSION = "version of an image credential provider";
const PRE_RELEASE = /^[^+]*-/;

function answerFor(rows: readonly Row[], version: string): PluginAnswer {
  const { major, minor, patch } = parseVersion(VERSION, version);
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
  if (row && PRE_RELEASE.test(version) && compareVersions(version, row.from) === 0)
    return {
      outcome: "unknown",
      reason: `the answer changed with v${row.from}, and this is a pre-release of it`,
    };
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

/**
 * True when each image that the pattern matches is also matched by one of the wider patterns; host and path are
 * those that the kubelet reads in them. False for a pattern that it cannot read.
 */
export function isWithin(pattern: string, wider: readonly string[]): boolean {
  const narrow = parseSchemelessUrl(toBytes(pattern));
  if ("error" in narrow) return false;
  return wider.some((candidate) => {
    const wide = parseSchemelessUrl(toBytes(candidate));
    return !("error" in wide) && covers(wide, narrow);
  });
}

function covers(wide: GoUrl, narrow: GoUrl): boolean {
  const [outer, inner] = [wide.host.split("."), narrow.host.split(".")];
  const hosts =
    outer.length === inner.length && outer.every((part, index) => part === "*" || part === inner[index]);
  return hosts && narrow.path.startsWith(wide.path);
}
