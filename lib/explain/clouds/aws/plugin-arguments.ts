/*
 * Arguments and variables of entries of the ecr plugin. It is a command without flags, which refuses all of them, and
 * passes over words; kOps writes one. Source: kubernetes/cloud-provider-aws, cmd/ecr-credential-provider/main.go
 * (newCredentialProviderCommand).
 */

import { parseEcrHost } from "../../../rules/aws/ecr-host";
import { certainRefusal, parsedArguments } from "../../../rules/plugin-arguments";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { ClusterRecord } from "../../facts/cluster-record";
import type { ProviderEntry } from "../../facts/node-configuration";
import type { Repository } from "../cloud";

const KNOWN: readonly string[] = ["get-credentials"];
/** In the order in which the SDK looks at them; an empty one is none. */
const REGIONS: readonly string[] = ["AWS_REGION", "AWS_DEFAULT_REGION"];

const ELSEWHERE = [
  "sends its calls to an address of which it is not known whose it is",
  "leave it out; the plugin knows the addresses of AWS by the image's region",
] as const;
/**
 * Variables by which the SDK does something else, or nothing, and what that depends on stands in no file that is read.
 * One that names a role or its token (AWS_ROLE_ARN) does no harm: the plugin shows the service account's token itself.
 * Source: aws/aws-sdk-go-v2, config/config.go (resolveConfigLoaders) and config/env_config.go.
 */
const UNSETTLING: readonly (readonly [name: string, does: string, remedy: string])[] = [
  [
    "AWS_PROFILE",
    "has the plugin fail wherever the node's AWS configuration has no such profile (failed to get shared config profile), and follow it elsewhere",
    "leave it out; token mode needs no profile",
  ],
  ["AWS_ENDPOINT_URL", ...ELSEWHERE],
  ["AWS_ENDPOINT_URL_ECR", ...ELSEWHERE],
  ["AWS_ENDPOINT_URL_ECR_PUBLIC", ...ELSEWHERE],
  ["AWS_ENDPOINT_URL_STS", ...ELSEWHERE],
];
const REMEDY = "leave args out; the plugin needs none";

/** Whether arguments and variables of the entry suit the plugin. */
export function pluginArguments(
  { args, env, source }: ProviderEntry,
  { host }: Pick<Repository, "host">,
  { plugins = {} }: Pick<ClusterRecord, "plugins">,
): Answer {
  const where = seen("args of the entry", source);
  const refusal = certainRefusal("ecr", plugins["ecr"] ?? {}, parsedArguments("ecr", args));
  if (refusal) return broken(refusal.reason, REMEDY, `Error: ${refusal.log}`, where);
  const other = args.find((argument) => !KNOWN.includes(argument));
  if (other !== undefined)
    return unknown(`what the plugin does with the argument ${other} is not known`, REMEDY, where);
  const unsettled = UNSETTLING.find(([name]) => (env.get(name) ?? "") !== "");
  if (unsettled) {
    const [name, does, remedy] = unsettled;
    return unknown(`${name} of the entry ${does}`, remedy, seen("env of the entry", source));
  }
  const isPublic = parseEcrHost(host)?.kind === "public";
  if (!isPublic || REGIONS.some((name) => (env.get(name) ?? "") !== ""))
    return pass("the plugin knows the region of STS");
  return broken(
    "ECR Public names no region, and the entry sets no AWS_REGION, so the plugin finds no STS endpoint",
    "set AWS_REGION in the entry's env",
    "endpoint rule error, Invalid Configuration: Missing Region",
    seen("env of the entry", source),
  );
}
