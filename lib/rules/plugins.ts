/*
 * The three image credential provider plugins, one row each.
 *
 * Read in the plugins' sources and tags: kubernetes/cloud-provider-aws (cmd/ecr-credential-provider),
 * kubernetes-sigs/cloud-provider-azure (cmd/acr-credential-provider), kubernetes/cloud-provider-gcp
 * (cmd/auth-provider-gcp). What no release proves is `unknown`, never a guess. Flags were tested with programs built
 * from the tags: ecr 1.34.1 and 1.36.0 (1.37.1 has the same sources), acr 1.36.5, gcp 36.2.5 and 36.3.8.
 */

import type { PluginFacts } from "../model/cluster";
import type { CredentialProviderEnv, PluginKey } from "../model/image-credential-provider";
import { isRecord } from "../model/record";
import { compareVersions, minorOf, parseVersion } from "../model/version";
import { NEWEST_KUBERNETES } from "./kubelet/feature-gates";
import { parseGoDuration } from "./kubelet/go-duration";
import { toBytes } from "./kubelet/go-text";
import { type GoUrl, parseSchemelessUrl } from "./kubelet/go-url";

/**
 * An ability of a plugin on which the configuration of a node depends.
 *
 * - `tokens`: uses the service account token of the request.
 * - `custom-pools`: Google only; exchanges tokens at a pool other than the GKE or fleet pool.
 * - `unannotated-node-identity`: falls back to the node's identity if it gets a token without its annotation.
 * - `eusc-hosts`: ECR only; recognises the region in hosts of the European Sovereign Cloud, `*.amazonaws.eu`.
 */
export type PluginAbility = "tokens" | "custom-pools" | "unannotated-node-identity" | "eusc-hosts";

/** An answer with its reason; `unknown` if no release or statement proves it. */
export interface PluginAnswer {
  /** Whether the plugin has the ability. */
  readonly outcome: "yes" | "no" | "unknown";
  /** The reason, for readers. */
  readonly reason: string;
}

interface Row {
  readonly from: string;
  readonly outcome: PluginAnswer["outcome"];
  readonly reason: string;
}

/**
 * How a flag's value is parsed. `print` is a `bool` that makes the plugin print something other than credentials; for
 * `unread` it is unknown here which values the plugin accepts.
 */
export type FlagKind = "string" | "level" | "bool" | "print" | "unread";

/** The flags of one plugin. */
export interface PluginFlags {
  readonly short: Readonly<Record<string, string>>;
  readonly kinds: Readonly<Record<string, FlagKind>>;
}

/** The known facts about a plugin. */
export interface Plugin {
  readonly executable: string;
  /** Names that releases and distributions use; a suffix names a platform or a second copy. */
  readonly executables: RegExp;
  readonly annotations: readonly [string, ...string[]];
  /**
   * The newest minor whose source was read; nothing is known about newer ones.
   */
  readonly newest: string;
  /** From which version on each answer applies, newest last. */
  readonly abilities: Readonly<Partial<Record<PluginAbility, readonly Row[]>>>;
  /** Registries that it serves, as matchImages patterns; a wider one would pass it tokens for other registries. */
  readonly registries: readonly string[];
  readonly flags: PluginFlags;
  /** Variables that it reads only for a service account without its annotation, and why they have no effect. */
  readonly unannotatedEnv: Readonly<Record<string, string>>;
  /** The variable that sets how long the kubelet caches its answer, whosever credentials it contains. */
  readonly answerDuration?: string;
}

/** Rows for a change that was backported: absent before the first minor, and in each minor from its patch level on. */
function backported(releases: readonly string[], before: string, since: string): readonly Row[] {
  const rows = releases.flatMap((from): readonly Row[] => [
    { from: from.replace(/\.\d+$/, ".0"), outcome: "no", reason: before },
    { from, outcome: "yes", reason: since },
  ]);
  return [{ from: "0.0", outcome: "no", reason: before }, ...rows];
}

/** The plugins, by the key that clusters' facts and settings use. */
export const PLUGINS: Readonly<Record<PluginKey, Plugin>> & {
  /** Annotations with the client id and the tenant id. */
  readonly acr: { readonly annotations: readonly [string, string] };
} = {
  ecr: {
    executable: "ecr-credential-provider",
    executables: /^ecr-credential-provider(?![a-z0-9])/,
    annotations: ["eks.amazonaws.com/ecr-role-arn"],
    newest: NEWEST_KUBERNETES,
    abilities: {
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
        {
          from: "1.35.0",
          outcome: "yes",
          reason: "since v1.35.0 it falls back (cloud-provider-aws PR 1281)",
        },
      ],
      "eusc-hosts": backported(
        ["1.30.10", "1.31.9", "1.32.6", "1.33.3", "1.34.2"],
        "it does not know amazonaws.eu hosts and finds no region in them",
        "since v1.34.2 and v1.35.0, and the last patch levels before",
      ),
    },
    registries: [
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
    flags: { short: { h: "help", v: "version" }, kinds: { help: "print", version: "print" } },
    // Source: cmd/ecr-credential-provider/main.go (buildCredentialsProvider).
    unannotatedEnv: {
      AWS_ECR_ROLE_ARN:
        "the plugin reads it only for service accounts without annotation, for which the kubelet does not use this entry",
    },
  },
  acr: {
    executable: "acr-credential-provider",
    executables: /^acr-credential-provider(?![a-z0-9])/,
    annotations: ["kubernetes.azure.com/acr-client-id", "kubernetes.azure.com/acr-tenant-id"],
    // cloud-provider-azure has no v1.37.0 yet; its plugin is unchanged there since v1.36.5.
    newest: "1.36",
    abilities: {
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
    registries: ["io", "cn", "de", "us"].flatMap((tld) => [`*.azurecr.${tld}`, `*.*.geo.azurecr.${tld}`]),
    flags: {
      short: { h: "help", r: "registry-mirror", v: "v" },
      kinds: {
        help: "print",
        version: "print",
        v: "level",
        "registry-mirror": "string",
        "ib-sni-name": "string",

        "ib-default-client-id": "string",
        "ib-default-tenant-id": "string",
        "ib-apiserver-ip": "string",
        vmodule: "unread",
        "log-flush-frequency": "unread",
      },
    },
    unannotatedEnv: {},
  },
  gcp: {
    executable: "auth-provider-gcp",
    executables: /^(?:auth-provider-gcp|gcp-credential-provider|gcr-credential-provider)(?![a-z0-9])/,
    annotations: ["iam.gke.io/enable-wi-image-pull"],
    newest: "36.3",
    abilities: {
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
    registries: ["container.cloud.google.com", "gcr.io", "*.gcr.io", "*.pkg.dev"],
    flags: {
      short: { a: "authFlow", h: "help", v: "v" },
      kinds: {
        // Only builds of cloud-provider-gcp pull request 1248 have `sts-audience`.
        help: "print",
        authFlow: "string",
        "identity-provider": "string",
        "project-id": "string",

        "sts-audience": "string",
        v: "level",
        log_dir: "string",
        log_file: "string",
        logtostderr: "bool",
        alsologtostderr: "bool",
        legacy_stderr_threshold_behavior: "bool",
        one_output: "bool",
        add_dir_header: "bool",
        skip_headers: "bool",
        skip_log_headers: "bool",
        vmodule: "unread",
        stderrthreshold: "unread",
        alsologtostderrthreshold: "unread",
        log_backtrace_at: "unread",
        log_file_max_size: "unread",
      },
    },
    unannotatedEnv: {},
    // Google's plugin returns the metadata server's token as it is. It may expire sooner: that server returns a token
    // until five minutes before its end. Source: cmd/auth-provider-gcp/provider/provider.go (getCacheDuration).
    answerDuration: "KUBE_SIDECAR_CACHE_DURATION",
  },
};

/** The row of a plugin; `undefined` if the plugin is unknown. */
export function pluginRow(plugin: unknown): Plugin | undefined {
  const rows: Readonly<Record<string, Plugin>> = PLUGINS;
  return typeof plugin === "string" && Object.hasOwn(rows, plugin) ? rows[plugin] : undefined;
}

/** Whether an executable with that name is the plugin, as far as a name can show. */
export function isPluginExecutable(plugin: string, name: string): boolean {
  return pluginRow(plugin)?.executables.test(name) === true;
}

/** Why a variable has no effect if the kubelet runs the plugin only for annotated service accounts, or `undefined`. */
export function unannotatedEnvReason(plugin: string, name: string): string | undefined {
  return new Map(Object.entries(pluginRow(plugin)?.unannotatedEnv ?? {})).get(name);
}

/** The variable of an entry with which the node's own token would stay in the kubelet's cache after it expires. */
export function outlivingTokenEnv(
  plugin: string,
  env: readonly CredentialProviderEnv[],
): CredentialProviderEnv | undefined {
  const name = pluginRow(plugin)?.answerDuration;
  return env.find((each) => each.name === name && (parseGoDuration(each.value).nanoseconds ?? 0n) > 0n);
}

/**
 * Whether a plugin as stated has an ability.
 *
 * A stated ability overrides the table, since distributions backport. The answer is `unknown` for a version without
 * patch level if it changed within that minor, for a minor newer than all known ones, and for a pre-release of the
 * version that brought the change.
 */
export function pluginCan(plugin: string, facts: PluginFacts, ability: PluginAbility): PluginAnswer {
  // Callers without types may pass other types than declared.
  const stated: Partial<PluginFacts> = isRecord(facts) ? facts : {};
  if (Array.isArray(stated.abilities) && stated.abilities.includes(ability))
    return { outcome: "yes", reason: "stated in the cluster's facts" };
  const known = pluginRow(plugin);
  if (known === undefined)
    return {
      outcome: "unknown",
      reason: `nothing is known about the plugin ${typeof plugin === "string" ? plugin : typeof plugin}`,
    };
  const rows =
    typeof ability === "string" && Object.hasOwn(known.abilities, ability)
      ? (known.abilities[ability] ?? [])
      : [];
  const { version } = stated;
  const { newest } = known;
  if (version !== undefined && compareVersions(minorOf(VERSION, version), newest) > 0)
    return { outcome: "unknown", reason: `the newest known release is of v${newest}` };
  const [only] = rows;
  if (only === undefined) return { outcome: "unknown", reason: `for the plugin ${plugin} this is not known` };
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
 * True if every image that the pattern matches is also matched by one of the wider patterns; compares host and path as
 * the kubelet reads them. False for a pattern that cannot be read.
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
