/*
 * Arguments and variables of entries of the ecr plugin. It is a command without flags, which refuses all of them, and
 * passes over words; kOps writes one. Source: kubernetes/cloud-provider-aws, cmd/ecr-credential-provider/main.go
 * (newCredentialProviderCommand).
 */

import { parseEcrHost } from "../../../rules/aws/ecr-host";
import { pluginCan } from "../../../rules/plugins";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { ClusterRecord } from "../../facts/cluster-record";
import type { ProviderEntry } from "../../facts/node-configuration";
import type { Repository } from "../cloud";

const KNOWN: readonly string[] = ["get-credentials"];
/** Those that every command has print something else than credentials. */
const FLAG = /^--(?!help\b|version\b)[^=-][^=]*/;
const REMEDY = "leave args out; the plugin needs none";

/** Whether arguments and variables of the entry suit the plugin. */
export function pluginArguments(
  { args, env, source }: ProviderEntry,
  { host }: Pick<Repository, "host">,
  { plugins = {} }: Pick<ClusterRecord, "plugins">,
): Answer {
  const where = seen("args of the entry", source);
  const other = args.find((argument) => !KNOWN.includes(argument));
  const [flag] = FLAG.exec(other ?? "") ?? [];
  if (flag !== undefined && isReleaseKnown(plugins["ecr"]?.version))
    return broken(`the plugin has no flag ${flag}, and exits`, REMEDY, `Error: unknown flag: ${flag}`, where);
  if (other !== undefined)
    return unknown(`what the plugin does with the argument ${other} is not known`, REMEDY, where);
  const isPublic = parseEcrHost(host)?.kind === "public";
  if (!isPublic || env.has("AWS_REGION")) return pass("the plugin knows the region of STS");
  return broken(
    "ECR Public names no region, and the entry sets no AWS_REGION, so the plugin finds no STS endpoint",
    "set AWS_REGION in the entry's env",
    "endpoint rule error, Invalid Configuration: Missing Region",
    seen("env of the entry", source),
  );
}

/** The releases that use tokens are those of which it is known that they have no flags. */
function isReleaseKnown(version: string | undefined): boolean {
  return version !== undefined && pluginCan("ecr", { version }, "tokens").outcome === "yes";
}
