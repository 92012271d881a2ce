import { compareVersions } from "../../model/version";
import { pluginCan } from "../../rules/plugins";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import { kubeletVersion } from "../facts/cluster-record";
import { audienceGranted } from "./audience-granted";
import type { CheckId, PullCheck, PullContext } from "./check";
import { mirroredAs } from "./mirrors";
import { TOKENS_SINCE, kubeletExits } from "./provider-configuration";
import { pullSecretsOf } from "./otherwise-secrets";
import { matchingEntries } from "./provider-matches-image";

/** What happens when a link is broken? */
export const otherwise: PullCheck = {
  id: "otherwise",
  asks: "What happens when a link is broken: a pull secret, the node's identity, or an anonymous pull?",
  why: "A pull that works through the node's identity looks like success and is none.",
  run: (context) => {
    const { failed } = context;
    const { refusal } = pullSecretsOf(context);
    if (refusal && failed !== "image-parses") return withoutKubelet(context) ?? refusal;
    if (failed === undefined) return pullSecrets(context) ?? pass("not needed: every link holds");
    if (failed === "image-parses")
      return { status: "fail", reason: "nothing is pulled", evidence: [], remedy: "mend the image's name" };
    return (
      withoutKubelet(context) ??
      fromMirror(context) ??
      pullSecrets(context) ??
      nodeIdentity(context, failed) ??
      answeredAnyway(context) ??
      anonymous(failed)
    );
  },
};

/** Words for `as`, where a pull works without the chain. */
export function insteadOf(context: PullContext): string | null {
  if (context.failed === undefined || context.failed === "image-parses") return null;
  const { tried, refusal } = pullSecretsOf(context);
  if (refusal || withoutKubelet(context) || fromMirror(context)) return null;
  if (tried.length > 0) return "pull secret";
  const { status } = nodeIdentity(context, context.failed) ?? answeredAnyway(context) ?? {};
  return status === "unknown" ? "node identity" : null;
}

/** A kubelet that refuses its CredentialProviderConfig exits: nothing is pulled by any means. */
function withoutKubelet({ failed, node, artefacts }: PullContext): Answer | undefined {
  if (failed === undefined || !node || !kubeletExits(node, artefacts.cluster)) return undefined;
  return broken(
    "the kubelet does not start, so that the node runs no pod at all and pulls nothing",
    `mend ${failed}, and whatever else the kubelet refuses in the file`,
    "the node is NotReady; the pod stays Pending, or runs on nodes of another pool",
    seen(`nodes ${node.name}`, node.source),
  );
}

/** A plugin may succeed without the token, by what else it is told. */
function answeredAnyway({ failed, cloud, entry, node }: PullContext): Answer | undefined {
  return failed === "provider-on-node" && entry && node ? cloud?.answersAnyway?.(entry, node) : undefined;
}

/** A mirror on another host is shown no credentials of the pod, neither a plugin's nor a pull secret's. */
function fromMirror({ artefacts, repository }: PullContext): Answer | undefined {
  const mirrored = repository && mirroredAs(artefacts, repository);
  if (!mirrored?.elsewhere) return undefined;
  return unknown(
    `the mirror ${mirrored.mirrors.join(", ")} may serve the image, anonymously or by the nodes' global pull secret`,
    "do not take such a pull for success of the chain",
    ...mirrored.rules.map(({ title, place }) => seen(title, place)),
  );
}

/** Pull secrets are tried before what plugins answer, where one has a key for the image; plugins are run all the same. */
function pullSecrets(context: PullContext): Answer | undefined {
  const { names, tried } = pullSecretsOf(context);
  if (tried.length === 0) return undefined;
  const source = context.workload?.source ?? context.account?.source;
  const evidence = [seen(`imagePullSecrets ${names.join(", ")}`, source)];
  return context.failed === undefined
    ? { status: "pass", reason: `the pull secrets ${tried.join(", ")} are tried first`, evidence, remedy: "" }
    : unknown(
        `the pull secrets ${tried.join(", ")} may serve the image`,
        "remove them once the chain holds",
        ...evidence,
      );
}

/** The links whose break leaves the plugin running, or run without a token. */
const PLUGIN_RUNS: readonly CheckId[] = ["provider-on-node", "annotations-present"];

/** A static pod has no token, but its plugin runs where the entry does not insist on a service account. */
function pluginRuns({ workload, entry }: PullContext, failed: CheckId): boolean {
  return (
    PLUGIN_RUNS.includes(failed) ||
    (failed === "service-account-present" &&
      workload?.isStatic === true &&
      entry?.tokenAttributes?.requireServiceAccount === false)
  );
}

/** Mixed mode: every entry that matches is run, one of them perhaps without a token. */
function secondEntry({ node, repository, entry }: PullContext): Answer | undefined {
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

function nodeIdentity(context: PullContext, failed: CheckId): Answer | undefined {
  const second = secondEntry(context);
  const { cloud, entry, artefacts, account } = context;
  if (second || !cloud || !entry || !pluginRuns(context, failed)) return second;
  const { plugins = {} } = artefacts.cluster;
  const facts = plugins[cloud.plugin] ?? {};
  const withToken = asksForToken(context, failed);
  const skipped = entry.tokenAttributes?.requiredKeys.some((key) => !account?.annotations.has(key)) ?? false;
  if (withToken && account && skipped) return undefined;
  const refused = withToken ? withoutAudience(context) : undefined;
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
function asksForToken({ entry, artefacts }: PullContext, failed: CheckId): boolean {
  const version = kubeletVersion(artefacts.cluster);
  const tokensKnown = version === undefined || compareVersions(version, TOKENS_SINCE) >= 0;
  return entry?.tokenAttributes !== undefined && tokensKnown && failed !== "service-account-present";
}

/** Where the API server refuses the token the kubelet does not run the plugin, `requireServiceAccount: false` or not. */
function withoutAudience(context: PullContext): Answer | undefined {
  const { status, reason, remedy, log, evidence } = audienceGranted.run(context);
  return status === "fail"
    ? broken(
        `the kubelet requests a token of the service account before it runs the plugin, and is refused, so that the pod does not get the node's credentials either: ${reason}`,
        `${remedy}; in mixed mode for the whole cluster, with a ClusterRoleBinding`,
        log,
        ...evidence,
      )
    : undefined;
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
    remedy: `mend ${failed}`,
    log: `${SILENT} at default verbosity; event 401 or 403 of the registry`,
  };
}
