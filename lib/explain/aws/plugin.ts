/*
 * The image credential provider for ECR. Its command refuses every flag and ignores other arguments; kOps writes one.
 * Source: kubernetes/cloud-provider-aws, cmd/ecr-credential-provider/main.go.
 */

import { type Known, all, is, match, shown, whyNot, whyText } from "../../model/known";
import { ecrPublicHost, parseEcrHost } from "../../rules/aws/registry";
import { ecrRoleAnnotation } from "../../rules/aws/pull";
import { certainRefusal, parsedArguments } from "../../rules/plugin-arguments";
import { pluginCan } from "../../rules/plugins";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { RegistryPlugin, PullIdentity, PullQuestion } from "../cloud";
import type { ClusterFacts } from "../read/cluster-record";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import { LIST_IT, handedOver, notListed } from "../shared/handed-annotations";

const PLUGIN = "ecr";
const KNOWN: readonly string[] = ["get-credentials"];
/** In the order in which the SDK reads them; an empty variable is ignored. */
const REGIONS: readonly string[] = ["AWS_REGION", "AWS_DEFAULT_REGION"];
/** An annotation for other programs, often written here by mistake. */
const OTHER_ANNOTATION = "eks.amazonaws.com/role-arn";
const DEFAULT_ROLE = "AWS_ECR_ROLE_ARN";

/**
 * Variables that make the SDK behave differently, or fail, depending on files that explain does not read. Those that
 * name a role or its token (AWS_ROLE_ARN) do no harm: the plugin presents the service account's token itself.
 * Source: aws/aws-sdk-go-v2, config/config.go (resolveConfigLoaders) and config/env_config.go.
 */
const UNSETTLING: readonly (readonly [names: readonly string[], does: string, remedy: string])[] = [
  [
    ["AWS_PROFILE"],
    "makes the plugin use that profile of the node's AWS configuration, and fail if it does not exist (failed to get shared config profile)",
    "remove it; token mode needs no profile",
  ],
  [
    ["", "_ECR", "_ECR_PUBLIC", "_STS"].map((service) => `AWS_ENDPOINT_URL${service}`),
    "sends its calls to an address whose owner is not known",
    "remove it; the plugin derives the addresses of AWS from the image's region",
  ],
];
const REMEDY = "remove args; the plugin needs none";
const WITHOUT_ROLE = "no arn provided, cannot assume role using ServiceAccountToken";

/** `identityOf` judges the role that the plugin is given; `undefined` if it is given none. */
export function ecrPlugin(
  identityOf: (role: Known<string> | undefined, question: PullQuestion) => PullIdentity,
): RegistryPlugin {
  return {
    plugin: PLUGIN,
    annotationKeys: [ecrRoleAnnotation],
    // Anyone may pull from public repositories; a login raises the limits. Source: the Amazon ECR Public user guide.
    readByAll: ({ host }) =>
      host === ecrPublicHost ? seen("registry of public repositories", undefined) : undefined,
    needs: () => ["tokens"],
    arguments: argumentsAnswer,
    annotations: annotationsAnswer,
    puller: (question) => identityOf(roleOf(question), question),
  };
}

function argumentsAnswer(
  { args, env, source }: ProviderEntry,
  _node: NodeConfiguration,
  host: string,
  { plugins = {} }: Pick<ClusterFacts, "plugins">,
): Answer {
  const where = seen("args of the entry", source);
  const read = match<readonly string[], readonly string[] | Answer>(
    all(args),
    (texts) => texts,
    (why) => unknown(`an argument of the plugin is known only after apply: ${whyText(why)}`, REMEDY, where),
  );
  if ("status" in read) return read;
  const refusal = certainRefusal(PLUGIN, plugins[PLUGIN] ?? {}, parsedArguments(PLUGIN, read));
  if (refusal) return broken(refusal.reason, REMEDY, `Error: ${refusal.log}`, where);
  const other = read.find((argument) => !KNOWN.includes(argument));
  if (other !== undefined)
    return unknown(`what the plugin does with the argument ${other} is not known`, REMEDY, where);
  for (const [names, does, remedy] of UNSETTLING) {
    const name = names.find((each) => isSet(env.get(each)));
    if (name) return unknown(`${name} of the entry ${does}`, remedy, seen("env of the entry", source));
  }
  const isPublic = parseEcrHost(host)?.kind === "public";
  if (!isPublic || REGIONS.some((name) => isSet(env.get(name))))
    return pass("the plugin knows the region of STS");
  return broken(
    "ECR Public names no region, and the entry sets no AWS_REGION, so the plugin finds no STS endpoint",
    "set AWS_REGION in the entry's env",
    "endpoint rule error, Invalid Configuration: Missing Region",
    seen("env of the entry", source),
  );
}

function annotationsAnswer(question: PullQuestion): Answer {
  const { account, entry } = question;
  const role = roleOf(question);
  const where = seen("annotations of the service account", account.source);
  if (role !== undefined && is(role, "") !== "yes") {
    const why = whyNot(role);
    return why === undefined || why.kind === "apply"
      ? pass(
          () => `the plugin gets the role ${shown(role)}`,
          () => where,
        )
      : unknown(whyText(why), "keep the annotation in one document", where);
  }
  const confused = account.annotations.has(OTHER_ANNOTATION)
    ? `; it has ${OTHER_ANNOTATION}, which the plugin does not read`
    : "";
  const isPresent = account.annotations.has(ecrRoleAnnotation);
  const isListed = !isPresent || role !== undefined;
  const reason = !isPresent
    ? `the service account has no ${ecrRoleAnnotation}${confused}`
    : isListed
      ? `${ecrRoleAnnotation} is empty`
      : notListed(ecrRoleAnnotation);
  return broken(
    reason,
    isListed ? `annotate it with ${ecrRoleAnnotation}` : LIST_IT,
    withoutRoleLog(question),
    where,
    seen("tokenAttributes", entry.source),
  );
}

function isSet(value: Known<string> | undefined): boolean {
  return value !== undefined && is(value, "") !== "yes";
}

/**
 * The role that the plugin assumes: the annotation if the entry lists its key, or the entry's default if it is absent.
 * Source: kubernetes:pkg/credentialprovider/plugin/plugin.go, `serviceAccountAnnotations`.
 */
function roleOf(question: PullQuestion): Known<string> | undefined {
  return handedOver(question, ecrRoleAnnotation) ?? question.entry.env.get(DEFAULT_ROLE);
}

/** A plugin that falls back succeeds, and the kubelet drops what a successful plugin logs. */
function withoutRoleLog({ cluster: { plugins = {} } }: PullQuestion): string {
  const falls = pluginCan(PLUGIN, plugins[PLUGIN] ?? {}, "unannotated-node-identity").outcome === "yes";
  return falls ? `${SILENT}: the plugin writes "${WITHOUT_ROLE}" and succeeds as the node` : WITHOUT_ROLE;
}
