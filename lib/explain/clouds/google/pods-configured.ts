/*
 * Whether the pods of a workload have token, credential file and variable, each container by itself.
 */

import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { CredentialFileFact } from "../../facts/component-facts";
import type { PodFact } from "../../facts/pod-fragments";
import { notSeen } from "../not-seen";
import { type ContainerFact, type ProjectedToken, containersOf, missingKey } from "../pod-containers";
import type { CredentialFile } from "./credential-file";

const VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
/**
 * The longest lifetime that Google takes, in seconds.
 * Source: cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes, "Prepare your workload".
 */
const LONGEST = 86_400;

/** The answer of all pods, and the audiences of their tokens. */
export interface PodsAnswer {
  /** Whether they have everything. */
  readonly pods: Answer;
  /** The audiences of their tokens, each once. */
  readonly audiences: readonly string[];
}

/** Judges every pod; with none there is nothing to judge. */
export function podsConfigured(
  pods: readonly PodFact[],
  fact: CredentialFileFact,
  file: CredentialFile,
): PodsAnswer {
  if (pods.length === 0)
    return {
      pods: notSeen(`its pods need ${VARIABLE}, the file and the token at ${file.tokenPath}`),
      audiences: [],
    };
  const judged = pods.map((pod) => ({ pod, ...podJudged(pod, fact, file) }));
  const audiences = [...new Set(judged.flatMap(({ tokens }) => tokens.map(({ audience }) => audience)))];
  const wrong = judged.find(({ problem }) => problem !== undefined);
  const open = judged.find(({ isOpen }) => isOpen);
  if (wrong)
    return {
      audiences,
      pods: broken(
        `${wrong.pod.title} ${wrong.problem ?? ""}`,
        "give its pods the volume, mount and variable that belong to the file",
        "could not find default credentials",
        seen(wrong.pod.title, wrong.pod.source),
      ),
    };
  if (open)
    return {
      audiences,
      pods: unknown(
        `what ${VARIABLE} is in ${open.pod.title} is known only in the cluster`,
        `write ${VARIABLE} and the path of the mount as literals`,
        seen(open.pod.title, open.pod.source),
      ),
    };
  const places = pods.map(({ title, source }) => seen(title, source));
  return { audiences, pods: pass("file, token and variable belong together", ...places) };
}

interface Judged {
  /** What is wrong, the end of a sentence; `undefined` where nothing is. */
  readonly problem: string | undefined;
  /** True where it cannot be told. */
  readonly isOpen: boolean;
  /** The tokens at the file's path. */
  readonly tokens: readonly ProjectedToken[];
}

/** A container that sets the variable needs file and token as well; one that does not is somebody else's. */
function podJudged({ spec }: PodFact, fact: CredentialFileFact, file: CredentialFile): Judged {
  const name = fact.configMap.slice(fact.configMap.indexOf("/") + 1);
  const containers = containersOf(spec, (configMap) => (configMap === name ? fact.keys : []));
  const missing = missingKey(spec, name, fact.keys);
  if (missing !== undefined)
    return wrong(`mounts the key ${missing}, which the ConfigMap ${name} does not have, and does not start`);
  const set = containers.filter(
    (each) => each.variable(VARIABLE) !== undefined || (each.hasMore && hasFile(each, name, fact)),
  );
  if (set.length === 0) return withoutVariable(containers, name, fact, file);
  const judged = set.map((container) => containerJudged(container, name, fact, file));
  return {
    problem: judged.find(({ problem }) => problem !== undefined)?.problem,
    isOpen: judged.some(({ isOpen }) => isOpen),
    tokens: judged.flatMap(({ tokens }) => tokens),
  };
}

function withoutVariable(
  containers: readonly ContainerFact[],
  name: string,
  fact: CredentialFileFact,
  { tokenPath }: CredentialFile,
): Judged {
  const mounts = containers.find((each) => hasFile(each, name, fact));
  const path = mounts?.files.find((each) => isFile(each.of, name, fact))?.path;
  const tokens = tokensAt(mounts, tokenPath);
  return path === undefined
    ? wrong(`does not mount the ConfigMap ${name} with its key ${fact.name}`)
    : { ...wrong(`does not set ${VARIABLE} to ${path}`), tokens };
}

function containerJudged(
  container: ContainerFact,
  name: string,
  fact: CredentialFileFact,
  { tokenPath }: CredentialFile,
): Judged {
  const value = container.variable(VARIABLE);
  const tokens = tokensAt(container, tokenPath);
  const where = container.name === "" ? "" : ` in the container ${container.name}`;
  const files = container.files.filter((each) => isFile(each.of, name, fact)).map(({ path }) => path);
  if (value === "open" || value === undefined || container.isOpen)
    return { problem: undefined, isOpen: true, tokens };
  const [path] = files;
  if (path === undefined)
    return { ...wrong(`does not mount the ConfigMap ${name} with its key ${fact.name}${where}`), tokens };
  if (tokens.length === 0) return wrong(`has no token at ${tokenPath}${where}`);
  if (!files.includes(value.text)) return { ...wrong(`does not set ${VARIABLE} to ${path}${where}`), tokens };
  const lifetime = tokens.map(lifetimeProblem).find((each) => each !== undefined);
  return { problem: lifetime, isOpen: false, tokens };
}

function lifetimeProblem({ expirationSeconds: seconds }: ProjectedToken): string | undefined {
  return seconds > LONGEST
    ? `asks for a token of ${seconds} seconds; Google takes none over ${LONGEST}`
    : undefined;
}

function tokensAt(container: ContainerFact | undefined, path: string): readonly ProjectedToken[] {
  return (container?.files ?? []).flatMap((each) => (each.path === path && each.token ? [each.token] : []));
}

function hasFile({ files }: ContainerFact, configMap: string, fact: CredentialFileFact): boolean {
  return files.some((each) => isFile(each.of, configMap, fact));
}

function isFile(
  of: ContainerFact["files"][number]["of"],
  configMap: string,
  { name }: CredentialFileFact,
): boolean {
  return of?.configMap === configMap && of.key === name;
}

function wrong(problem: string): Judged {
  return { problem, isOpen: false, tokens: [] };
}
