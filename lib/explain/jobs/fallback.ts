/*
 * What becomes of a pull besides the chain: pull secrets that are tried first, the node's identity, an anonymous pull.
 * A pull that works through the node's identity looks like success and is none.
 */

import { match, orElse } from "../../model/known";
import { compareVersions } from "../../model/version";
import { type AskedName, AskedNames } from "../../rules/asked-names";
import { credentialsInOrder } from "../../rules/kubelet/credential-order";
import { DOCKER_CONFIG_KEYS, readDockerConfig } from "../../rules/kubelet/docker-config";
import { pluginCan } from "../../rules/plugins";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { AskedRepository } from "../asked-image";
import type { CheckId } from "../check-ids";
import type { PluginCloud } from "../cloud";
import { kubeletVersion } from "../read/read-record";
import type { SecretFact } from "../read/component-facts";
import type { ClusterArtefacts } from "../read/facts";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import type { WorkloadFact } from "../read/pods";
import type { ServiceAccountFact } from "../read/service-accounts";
import { matchingEntries } from "./image-match";
import { TOKENS_SINCE, kubeletExits } from "./kubelet-configuration";
import { pluginRecord } from "./plugin-on-node";
import { mirrorEvidence, mirroredAs } from "./runtime";
import { audienceGranted } from "./token-request";

/** A pull whose links are judged. */
export interface EndedPull {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** The service account, `namespace/name`. */
  readonly key: string;
  /** The service account; `undefined` where it was not read. */
  readonly account: ServiceAccountFact | undefined;
  /** The workload, where one is asked about. */
  readonly workload: WorkloadFact | undefined;
  /** The repository; `undefined` where the image does not parse. */
  readonly repository: AskedRepository | undefined;
  /** The nodes; `undefined` where none were read. */
  readonly node: NodeConfiguration | undefined;
  /** The entry; `undefined` where none matches. */
  readonly entry: ProviderEntry | undefined;
  /** The entry's plugin; `undefined` for one that is not known. */
  readonly cloud: PluginCloud | undefined;
  /** The broken link; `undefined` where none is. */
  readonly failed: CheckId | undefined;
}

/** What becomes of the pull, and as whom: the chain, a pull secret, the node, or nothing. */
export interface Fallback {
  /** The answer of the check `otherwise`. */
  readonly answer: Answer;
  /** Words for `as` where the pull may work without the chain; `null` where it does not. */
  readonly as: string | null;
}

/** What happens besides the chain. */
export function fallbackOf(pull: EndedPull): Fallback {
  const { failed } = pull;
  const secrets = pullSecretsOf(pull);
  if (failed === "image-parses")
    return nothing({
      status: "fail",
      reason: "nothing is pulled",
      evidence: [],
      remedy: "correct the image's name",
    });
  const stopped = withoutKubelet(pull) ?? secrets.refusal;
  if (stopped) return nothing(stopped);
  if (failed === undefined)
    return nothing(secretsFirst(pull, secrets) ?? pass("not needed: every link holds"));
  const mirror = fromMirror(pull);
  if (mirror) return nothing(mirror);
  const served = secretsFirst(pull, secrets);
  if (served) return { answer: served, as: "pull secret" };
  const node = nodeIdentity(pull, failed) ?? answeredAnyway(pull);
  if (node) return { answer: node, as: node.status === "unknown" ? "node identity" : null };
  return nothing(anonymous(failed));
}

function nothing(answer: Answer): Fallback {
  return { answer, as: null };
}

/** A kubelet that refuses its CredentialProviderConfig exits: nothing is pulled by any means. */
function withoutKubelet({ failed, node, artefacts }: EndedPull): Answer | undefined {
  if (failed === undefined || !node || !kubeletExits(node, artefacts.cluster)) return undefined;
  return broken(
    "the kubelet does not start, so that the node runs no pod at all and pulls nothing",
    `repair ${failed}, and whatever else the kubelet refuses in the file`,
    "the node is NotReady; the pod stays Pending, or runs on nodes of another pool",
    seen(`nodes ${node.name}`, node.source),
  );
}

/** A mirror on another host is shown no credentials of the pod, neither a plugin's nor a pull secret's. */
function fromMirror({ artefacts: { mirrors }, repository }: EndedPull): Answer | undefined {
  const mirrored =
    repository &&
    repository.paths.worst(
      (path) => mirroredAs(mirrors, { host: repository.host, path }),
      (each) => (each?.elsewhere ? 1 : 0),
    )?.said;
  if (!mirrored?.elsewhere) return undefined;
  return unknown(
    `the mirror ${mirrored.mirrors.join(", ")} may serve the image, anonymously or by the nodes' global pull secret`,
    "do not take such a pull for success of the chain",
    ...mirrorEvidence(mirrored),
  );
}

/** The links whose break leaves the plugin running, or run without a token. */
const PLUGIN_RUNS: readonly CheckId[] = ["provider-on-node", "annotations-present"];

/** A static pod has no token, but its plugin runs where the entry does not insist on a service account. */
function pluginRuns({ workload, entry }: EndedPull, failed: CheckId): boolean {
  return (
    PLUGIN_RUNS.includes(failed) ||
    (failed === "service-account-present" &&
      workload?.isStatic === true &&
      entry?.tokenAttributes?.requireServiceAccount === false)
  );
}

/** Mixed mode in two entries: every entry that matches is run, one of them perhaps without a token. */
function secondEntry({ node, repository, entry }: EndedPull): Answer | undefined {
  if (!node || !repository || !entry) return undefined;
  const plain = matchingEntries(node, repository).find((each) => each !== entry && !each.tokenAttributes);
  return (
    plain &&
    unknown(
      `the entry ${plain.name} matches as well and runs its plugin with the node's identity`,
      "do not take such a pull for success of the chain",
      seen(plain.name, plain.source),
    )
  );
}

function nodeIdentity(pull: EndedPull, failed: CheckId): Answer | undefined {
  const second = secondEntry(pull);
  const { cloud, entry, artefacts, account } = pull;
  if (second || !cloud || !entry || !pluginRuns(pull, failed)) return second;
  const facts = pluginRecord(artefacts.cluster, cloud.plugin);
  const withToken = asksForToken(pull, failed);
  const isSkipped =
    entry.tokenAttributes?.requiredKeys.some((key) => !account?.annotations.has(key)) ?? false;
  if (withToken && account && isSkipped) return undefined;
  const refused = withToken ? withoutAudience(pull) : undefined;
  if (refused) return refused;
  if (failed === "annotations-present") {
    const { outcome, reason } = pluginCan(cloud.plugin, facts, "unannotated-node-identity");
    if (outcome === "no") return undefined;
    return unknown(
      `the plugin falls back to the node's identity: ${reason}`,
      "require the annotation keys, so that a missing one stops the pull",
      seen("entry", entry.source),
    );
  }
  return !withToken || pluginCan(cloud.plugin, facts, "tokens").outcome === "no"
    ? unknown(
        "the plugin runs with the node's identity; whether that may pull is not known",
        "do not take such a pull for success of the chain",
        seen("entry", entry.source),
      )
    : undefined;
}

/** Whether the kubelet requests a token before it runs the plugin: of every pod with a service account. */
function asksForToken({ entry, artefacts }: EndedPull, failed: CheckId): boolean {
  const version = kubeletVersion(artefacts.cluster);
  const isTokenKubelet = version === undefined || compareVersions(version, TOKENS_SINCE) >= 0;
  return entry?.tokenAttributes !== undefined && isTokenKubelet && failed !== "service-account-present";
}

/** Where the API server refuses the token the kubelet does not run the plugin, `requireServiceAccount: false` or not. */
function withoutAudience({ entry, ...pull }: EndedPull): Answer | undefined {
  if (!entry?.tokenAttributes) return undefined;
  const { status, reason, remedy, log, evidence } = audienceGranted(pull, entry.tokenAttributes.audience);
  return status === "fail"
    ? broken(
        `the kubelet requests a token of the service account before it runs the plugin, and is refused, so that the pod does not get the node's credentials either: ${reason}`,
        `${remedy}; in mixed mode for the whole cluster, with a ClusterRoleBinding`,
        log,
        ...evidence,
      )
    : undefined;
}

/** A plugin may succeed without the token, by its arguments. */
function answeredAnyway({ failed, cloud, entry, node }: EndedPull): Answer | undefined {
  return failed === "provider-on-node" && entry && node ? cloud?.answersAnyway?.(entry, node) : undefined;
}

/** Only a plugin that got as far as credentials keeps the kubelet from an anonymous attempt. */
function anonymous(failed: CheckId): Answer {
  const reason =
    failed === "repository-permitted"
      ? "the registry refuses the identity; with credentials there is no anonymous attempt"
      : "the kubelet gets no credentials and pulls anonymously, which a private registry refuses";
  return {
    status: "fail",
    reason,
    evidence: [],
    remedy: `repair ${failed}`,
    log: `${SILENT} at default verbosity; event 401 or 403 of the registry`,
  };
}

/** The pull secrets of a pod and its service account. */
interface PullSecrets {
  /** Their names, the pod's first. */
  readonly names: readonly string[];
  /** Names of those that the kubelet tries for the image, or may try; first those that were not read. */
  readonly tried: readonly string[];
  /** Why the kubelet pulls nothing because of one of them; `undefined` where it pulls. */
  readonly refusal: Answer | undefined;
}

const NONE: PullSecrets = { names: [], tried: [], refusal: undefined };

/** Whether a pull secret keeps the kubelet from pulling at all. */
export function refusedBySecret(
  pull: Pick<EndedPull, "artefacts" | "key" | "account" | "workload">,
): boolean {
  return pullSecretsOf({ ...pull, repository: undefined }).refusal !== undefined;
}

/** Reads the pull secrets. Source: kubernetes:pkg/credentialprovider/secrets/secrets.go. */
function pullSecretsOf({
  workload,
  account,
  artefacts,
  key,
  repository,
}: Pick<EndedPull, "artefacts" | "key" | "account" | "workload" | "repository">): PullSecrets {
  // Most service accounts have none, and there are many.
  if ((workload?.pullSecrets.length ?? 0) + (account?.pullSecrets.length ?? 0) === 0) return NONE;
  const names = [...new Set([...(workload?.pullSecrets ?? []), ...(account?.pullSecrets ?? [])])];
  const [namespace] = key.split("/");
  const read = names.map((name) => {
    const secret = artefacts.secrets.get(`${namespace}/${name}`);
    return { name, secret, ...contentOf(secret) };
  });
  const open = read.filter(({ registries }) => registries === undefined).map(({ name }) => name);
  const keys = read.flatMap(({ name, registries = [] }) =>
    registries.map((registry) => ({ name, registry })),
  );
  const asked = repository?.paths ?? AskedNames.one("");
  const matching = (path: AskedName): readonly string[] =>
    credentialsInOrder(`${repository?.host ?? ""}/${path.example}`, { imagePullSecrets: keys }).map(
      ({ name }) => name,
    );
  const wrong = read.find(({ problem }) => problem !== undefined);
  return {
    names,
    tried: [...new Set([...open, ...(asked.worst(matching, ({ length }) => length)?.said ?? [])])],
    refusal: wrong && refused(wrong.name, wrong.problem ?? "", wrong.secret),
  };
}

/** Pull secrets are tried before what plugins answer, where one has a key for the image; plugins are run all the same. */
function secretsFirst(
  { failed, workload, account }: EndedPull,
  { names, tried }: PullSecrets,
): Answer | undefined {
  if (tried.length === 0) return undefined;
  const evidence = [seen(`imagePullSecrets ${names.join(", ")}`, workload?.source ?? account?.source)];
  return failed === undefined
    ? { status: "pass", reason: `the pull secrets ${tried.join(", ")} are tried first`, evidence, remedy: "" }
    : unknown(
        `the pull secrets ${tried.join(", ")} may serve the image`,
        "remove them once the chain holds",
        ...evidence,
      );
}

/** What SOPS encrypts, and what Argo CD's Vault plugin or Helm fill in before the object is applied. */
const UNFINISHED = /^ENC\[|<path:|\{\{/;

/** The registries that a Secret has credentials for; `undefined` where that is not known. */
function contentOf(secret: SecretFact | undefined): {
  readonly registries?: readonly string[] | undefined;
  readonly problem?: string | undefined;
} {
  const type = secret && orElse(secret.type, () => undefined);
  if (secret === undefined || type === undefined) return {};
  const key = Object.hasOwn(DOCKER_CONFIG_KEYS, type) ? DOCKER_CONFIG_KEYS[type] : undefined;
  if (key === undefined) return { registries: [] };
  return match(
    secret.value(key),
    (content) => {
      if (content === undefined) return {};
      const read = readDockerConfig(type, content);
      return read.problem !== undefined && UNFINISHED.test(content) ? {} : read;
    },
    () => ({}),
  );
}

function refused(name: string, problem: string, secret: SecretFact | undefined): Answer {
  return broken(
    `the kubelet cannot decode the pull secret ${name}: ${problem}; it pulls nothing for the pod, whoever else has credentials`,
    "correct the Secret, or take it from imagePullSecrets",
    "ErrImagePull with the error of the JSON decoder",
    seen(`Secret ${name}`, secret?.source),
  );
}
