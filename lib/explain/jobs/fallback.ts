/*
 * What becomes of a pull without the chain: pull secrets that are tried first, the node's identity, an anonymous pull.
 * A pull that works through the node's identity looks like success but is not.
 */

import { type Ternary, is, match, or, orElse } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { compareVersions } from "../../model/version";
import { type AskedName, AskedNames } from "../../rules/asked-names";
import {
  type DockerConfig,
  credentialsInOrder,
  DOCKER_CONFIG_KEYS,
  readDockerConfig,
} from "../../rules/kubelet/registry-credentials";
import type { PluginAbility } from "../../model/plugin";
import { pluginCan } from "../../rules/plugins";
import { type Pattern, literalPattern, prefixPattern } from "../../rules/wildcard";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import type { AskedRepository } from "../asked-image";
import type { CheckId } from "../check-ids";
import type { SecretFact } from "../read/component-facts";
import { kubeletVersion } from "../read/read-record";
import type { ProviderEntry } from "../read/node-configuration";
import { INTERNAL_REGISTRY_SECRET } from "../read/service-accounts";
import { matchingEntries } from "./image-match";
import {
  TOKENS_SINCE,
  configurationRead,
  configurationValid,
  kubeletExits,
  pluginRecord,
} from "./provider-on-node";
import type { PullFacts } from "./pull-questions";
import { mirrorEvidence, mirroredAs } from "./runtime";
import { audienceGranted } from "./token-request";

/** What becomes of the pull, and as whom: the chain, a pull secret, the node, or nothing. */
export interface Fallback {
  readonly answer: Answer;
  /** Words for `as` if the pull may work without the chain; `null` if it does not. */
  readonly as: string | null;
  /** Whether the node's identity or a pull secret, which served the image without a chain, is still used for it. */
  readonly serves: Ternary;
}

/** `as` of a pull that the node's identity serves. */
export const NODE_IDENTITY = "node identity";

/** `as` of a pull that everyone may make. */
export const ANONYMOUS = "anonymous";

/** What happens without the chain; `failed` is its broken link, if any; `isCertain` whether all before it hold. */
export function fallbackOf(pull: PullFacts, failed: CheckId | undefined, isCertain: () => boolean): Fallback {
  const nothing = (answer: Answer, serves: Ternary = "no"): Fallback => ({ answer, as: null, serves });
  const secrets = pullSecretsOf(pull, pull.image.repository);
  if (failed === "image-parses")
    return nothing(broken("nothing is pulled", "correct the image's name", undefined));
  const stopped = (failed && withoutKubelet(pull, failed)) ?? secrets.refusal;
  if (stopped) return nothing(stopped);
  const evidence = seen(
    `imagePullSecrets ${secrets.names.join(", ")}`,
    pull.puller.workload?.source ?? pull.puller.account?.source,
  );
  // A pull secret with a key for the image is tried before the plugins' answers; the plugins run nevertheless.
  const [first] = secrets.tried;
  const tried = `the pull secrets ${secrets.tried.join(", ")}`;
  const plain = tokenLess(pull);
  const serves = plain && kubeletStarts(pull) ? "yes" : "no";
  if (failed === undefined)
    return nothing(
      first ? pass(`${tried} are tried first`, evidence) : pass("not needed: every link holds"),
      first ? or(serves, "unknown") : serves,
    );
  const mirror = fromMirror(pull);
  if (mirror) return nothing(mirror, "unknown");
  const node = nodeIdentity(pull, failed, plain) ?? answeredAnyway(pull, failed);
  const byNode =
    node?.status === "unknown" ? or(serves, isCertain() ? withoutToken(pull, failed) : "unknown") : serves;
  if (first !== undefined) {
    const answer = unknown(`${tried} may serve the image`, "remove them once the chain holds", evidence);
    return { answer, as: "pull secret", serves: or(byNode, "unknown") };
  }
  const as = node?.status === "unknown" ? NODE_IDENTITY : null;
  return byAll(pull, failed, as) ?? { answer: node ?? anonymous(failed), as, serves: byNode };
}

function byAll(pull: PullFacts, failed: CheckId, as: string | null): Fallback | undefined {
  const open = readAnyway(pull, failed);
  if (open === undefined) return undefined;
  const reason = "everyone may read the repository, so the pull works without the chain";
  return { answer: unknown(reason, NO_SUCCESS, open), as: as ?? ANONYMOUS, serves: "yes" };
}

/** Where everyone is allowed to read the repository; a pull with refused credentials is not anonymous. */
export function readAnyway(
  { image: { repository }, readByAll }: PullFacts,
  failed: CheckId,
): Evidence | undefined {
  return failed === "repository-permitted" || !repository ? undefined : readByAll(repository);
}

/** The entry that runs its plugin for the image as nodes do without tokens. */
function tokenLess({ node, image: { repository } }: PullFacts): ProviderEntry | undefined {
  return node && repository && matchingEntries(node, repository).find((each) => !each.tokenAttributes);
}

function kubeletStarts({ node, artefacts: { cluster } }: PullFacts): boolean {
  return (
    node !== undefined &&
    configurationRead(node).status === "pass" &&
    configurationValid(node, cluster).status === "pass"
  );
}

/** A plugin may succeed without the token, by its arguments. */
function answeredAnyway({ cloud, entry, node }: PullFacts, failed: CheckId): Answer | undefined {
  return failed === "provider-on-node" && entry && node ? cloud?.answersAnyway?.(entry, node) : undefined;
}

/**
 * Whether the plugin of the entry in token mode certainly answers with the node's identity, if that was not ruled out:
 * for a static pod, or as a fallback for a service account without its annotation.
 */
function withoutToken(pull: PullFacts, failed: CheckId): Ternary {
  const { artefacts, cloud, entry, puller } = pull;
  if (failed === NOT_PRESENT && puller.workload?.isStatic) return kubeletStarts(pull) ? "yes" : "unknown";
  if (failed !== "annotations-present" || !cloud || !entry?.tokenAttributes) return "unknown";
  const facts = pluginRecord(artefacts.cluster, cloud.plugin);
  const isGranted = audienceGranted(artefacts, puller, entry.tokenAttributes.audience).status === "pass";
  return isGranted && pluginCan(cloud.plugin, facts, NODE_ABILITY).outcome === "yes" ? "yes" : "unknown";
}

/** A kubelet that refuses its CredentialProviderConfig exits: nothing is pulled by any means. */
function withoutKubelet({ node, artefacts }: PullFacts, failed: CheckId): Answer | undefined {
  if (!node || !kubeletExits(node, artefacts.cluster)) return undefined;
  return broken(
    "the kubelet does not start, so the node runs no pod at all and pulls nothing",
    `repair ${failed}, and whatever else the kubelet refuses in the file`,
    "the node is NotReady; the pod stays Pending, or runs on nodes of another pool",
    seen(`nodes ${node.name}`, node.source),
  );
}

/** A mirror on another host receives no credentials of the pod, neither a plugin's nor a pull secret's. */
function fromMirror({ artefacts: { mirrors }, host, image: { repository } }: PullFacts): Answer | undefined {
  const mirrored = repository?.paths.worst(
    (path) => mirroredAs(mirrors, { host, path }),
    (each) => (each?.elsewhere ? 1 : 0),
  )?.said;
  if (!mirrored?.elsewhere) return undefined;
  return unknown(
    `the mirror ${mirrored.mirrors.join(", ")} may serve the image, anonymously or with the nodes' global pull secret`,
    NO_SUCCESS,
    mirrorEvidence(mirrored),
  );
}

const NO_SUCCESS = "do not take such a pull as proof that the chain works";

/** The links whose break leaves the plugin running, or run without a token. */
const NOT_PRESENT: CheckId = "service-account-present";
const NODE_ABILITY: PluginAbility = "unannotated-node-identity";
const PLUGIN_RUNS: readonly CheckId[] = ["provider-on-node", "annotations-present"];

function nodeIdentity(
  pull: PullFacts,
  failed: CheckId,
  plain: ProviderEntry | undefined,
): Answer | undefined {
  const { cloud, entry, artefacts, node, image, puller } = pull;
  const { repository } = image;
  if (!node || !repository || !entry) return undefined;
  // Mixed mode in two entries: every entry that matches runs, perhaps one of them without a token.
  if (plain && plain !== entry)
    return unknown(
      `the entry ${plain.name} also matches, and runs its plugin with the node's identity`,
      NO_SUCCESS,
      seen(plain.name, plain.source),
    );
  // A static pod has no token, but its plugin runs if the entry does not require a service account.
  const isStatic = puller.workload?.isStatic && entry.tokenAttributes?.requireServiceAccount === false;
  if (!cloud || !(PLUGIN_RUNS.includes(failed) || (failed === NOT_PRESENT && isStatic))) return undefined;
  const facts = pluginRecord(artefacts.cluster, cloud.plugin);
  const withToken = asksForToken(pull, failed);
  const isSkipped =
    entry.tokenAttributes?.requiredKeys.some((key) => !puller.account?.annotations.has(key)) ?? false;
  if (withToken && puller.account && isSkipped) return undefined;
  const refused = withToken ? withoutAudience(pull) : undefined;
  if (refused) return refused;
  const where = seen("entry", entry.source);
  if (failed === "annotations-present") {
    const { outcome, reason } = pluginCan(cloud.plugin, facts, NODE_ABILITY);
    if (outcome === "no") return undefined;
    return unknown(
      `the plugin falls back to the node's identity: ${reason}`,
      "require the annotation keys, so that a missing one stops the pull",
      where,
    );
  }
  return !withToken || pluginCan(cloud.plugin, facts, "tokens").outcome === "no"
    ? unknown(
        "the plugin runs with the node's identity; whether that may pull is not known",
        NO_SUCCESS,
        where,
      )
    : undefined;
}

/** Whether the kubelet requests a token before it runs the plugin, as it does for every pod with a service account. */
function asksForToken({ entry, artefacts }: PullFacts, failed: CheckId): boolean {
  const version = kubeletVersion(artefacts.cluster);
  const isTokenKubelet = version === undefined || compareVersions(version, TOKENS_SINCE) >= 0;
  return entry?.tokenAttributes !== undefined && isTokenKubelet && failed !== NOT_PRESENT;
}

/** If the API server refuses the token, the kubelet does not run the plugin, whatever `requireServiceAccount` says. */
function withoutAudience({ entry, artefacts, puller }: PullFacts): Answer | undefined {
  if (!entry?.tokenAttributes) return undefined;
  const granted = audienceGranted(artefacts, puller, entry.tokenAttributes.audience);
  const { status, reason, remedy, log, evidence } = granted;
  if (status !== "fail") return undefined;
  return broken(
    `the kubelet requests a token of the service account before it runs the plugin, and the API server refuses it, so the pod does not get the node's credentials either: ${reason}`,
    `${remedy}; in mixed mode for the whole cluster, with a ClusterRoleBinding`,
    log,
    evidence,
  );
}

/** The kubelet pulls anonymously unless a plugin returned credentials. */
function anonymous(failed: CheckId): Answer {
  return broken(
    failed === "repository-permitted"
      ? "the registry refuses the identity; with credentials there is no anonymous attempt"
      : "the kubelet gets no credentials and pulls anonymously, which a private registry refuses",
    `repair ${failed}`,
    `${SILENT} at default verbosity; event 401 or 403 of the registry`,
  );
}

/** The pull secrets of a pod and its service account. */
interface PullSecrets {
  /** The pod's first. */
  readonly names: readonly string[];
  /** The ones that the kubelet tries for the image, or may try; first those that were not read. */
  readonly tried: readonly string[];
  /** Why one of them keeps the kubelet from pulling; `undefined` if none does. */
  readonly refusal: Answer | undefined;
}

const NONE: PullSecrets = { names: [], tried: [], refusal: undefined };

/** Whether a pull secret keeps the kubelet from pulling at all. */
export function refusedBySecret(pull: PullFacts): boolean {
  return pullSecretsOf(pull, undefined).refusal !== undefined;
}

/** Reads the pull secrets. Source: kubernetes:pkg/credentialprovider/secrets/secrets.go. */
function pullSecretsOf(
  { artefacts, puller: { workload, account, key } }: PullFacts,
  repository: AskedRepository | undefined,
): PullSecrets {
  // Most service accounts have none, and there are many.
  if ((workload?.pullSecrets.length ?? 0) + (account?.pullSecrets.length ?? 0) === 0) return NONE;
  const internal = account?.annotations.get(INTERNAL_REGISTRY_SECRET);
  const names = [...new Set([...(workload?.pullSecrets ?? []), ...(account?.pullSecrets ?? [])])].filter(
    (name) => internal === undefined || is(internal, name) !== "yes",
  );
  const read = names.map((name) => {
    const secret = artefacts.secrets.get(`${namespacedName(key).namespace}/${name}`);
    return { name, secret, content: contentOf(secret) };
  });
  const open = read.filter(({ content }) => content === undefined).map(({ name }) => name);
  const keys = read.flatMap(({ name, content }) =>
    (content?.registries ?? []).map((registry) => ({ name, registry })),
  );
  const paths = repository?.paths ?? AskedNames.one("");
  const matching = (path: AskedName): readonly string[] => {
    // A key may have a path, which is a prefix: names with and without it are tried.
    for (const { registry } of keys) path.matches(belowKey(registry));
    return credentialsInOrder(`${repository?.host ?? ""}/${path.example}`, { imagePullSecrets: keys }).map(
      ({ name }) => name,
    );
  };
  const wrong = read.find(({ content }) => content?.problem !== undefined);
  return {
    names,
    tried: [...new Set([...open, ...(paths.worst(matching, ({ length }) => length)?.said ?? [])])],
    refusal:
      wrong &&
      broken(
        `the kubelet cannot decode the pull secret ${wrong.name}: ${wrong.content?.problem}; it pulls nothing for the pod, even if other credentials exist`,
        "correct the Secret, or remove it from imagePullSecrets",
        "ErrImagePull with the error of the JSON decoder",
        seen(`Secret ${wrong.name}`, wrong.secret?.source),
      ),
  };
}

/** The paths that begin with what follows the host in a key. */
function belowKey(registry: string): Pattern {
  const [, ...path] = registry.replace(/^https?:\/\//, "").split("/");
  return prefixPattern(literalPattern(path.join("/")));
}

/** Texts that SOPS encrypted, or that Argo CD's Vault plugin or Helm fill in before the object is applied. */
const UNFINISHED = /^ENC\[|<path:|\{\{/;

/** The registries that a Secret has credentials for; `undefined` if they are not known. */
function contentOf(secret: SecretFact | undefined): DockerConfig | undefined {
  const type = secret && orElse(secret.type, () => undefined);
  if (secret === undefined || type === undefined) return undefined;
  const key = Object.hasOwn(DOCKER_CONFIG_KEYS, type) ? DOCKER_CONFIG_KEYS[type] : undefined;
  if (key === undefined) return { registries: [], problem: undefined };
  return match(
    secret.value(key),
    (content) => {
      const read = content === undefined ? undefined : readDockerConfig(type, content);
      return content !== undefined && read?.problem !== undefined && UNFINISHED.test(content)
        ? undefined
        : read;
    },
    () => undefined,
  );
}
