/*
 * The credential file that a workload's pods mount, and whether each container has file, token and variable.
 */

import { type Known, isKnown, match, orElse, shown } from "../../model/known";
import { type Tree, childOf, itemsOf, optionalText } from "../../model/tree";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { AccountQuestion } from "../cloud";
import type { CredentialFileFact } from "../read/component-facts";
import type { PodFact } from "../read/pods";
import type { Source } from "../read/source";
import { type ContainerFact, type ProjectedToken, containersOf, missingKey } from "../shared/pods";
import { type CredentialFile, readCredentialFile } from "./credential-file";

/** What was found. */
export interface MountedFile {
  /** Whether the file is right in itself. */
  readonly answer: Answer;
  /** The file; `undefined` where there is none that can be read. */
  readonly file: CredentialFile | undefined;
  /** Whether the pods have token, file and variable. */
  readonly pods: Answer;
  /** The audiences of the pods' tokens, each once; none where no pod was read. */
  readonly audiences: readonly Known<string>[];
  /** Where the file stands. */
  readonly source: Source | undefined;
}

const VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
/** The ConfigMap of a service account, where no pod says which one it mounts. */
const CONFIG_MAP = "google-credentials-";
const NOT_FOUND = "could not find default credentials";
/**
 * The longest lifetime that Google takes, in seconds.
 * Source: cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes, "Prepare your workload".
 */
const LONGEST = 86_400;

/** `undefined` for a workload that mounts none, and of which nothing says that it should. */
export function mountedFile({
  account,
  files,
  declared,
  fragment,
  ...question
}: AccountQuestion): MountedFile | undefined {
  // What pods need is no pod, but says as much of the token where no pod was read.
  const pods = question.pods.length > 0 || !fragment ? question.pods : [fragment];
  const name = nameOf(account.key);
  const fact =
    files.find(({ configMap }) => pods.some(({ spec }) => configMapsIn(spec).includes(nameOf(configMap)))) ??
    files.find(({ configMap }) => nameOf(configMap) === CONFIG_MAP + name);
  if (fact === undefined) return declared ? withoutFile(account.key) : undefined;
  const where = seen(`ConfigMap ${fact.configMap}`, fact.source);
  const unread = (answer: Answer): MountedFile => ({
    answer,
    file: undefined,
    pods: answer,
    audiences: [],
    source: fact.source,
  });
  return match(
    readCredentialFile(fact.text),
    (file) =>
      "problem" in file
        ? unread(
            broken(
              `${fact.name} ${file.problem}`,
              "write a credential file of type external_account",
              undefined,
              where,
            ),
          )
        : {
            answer: pass(
              `the credential file names ${file.email ? shown(file.email) : "the pool's principal"}`,
              where,
            ),
            file,
            source: fact.source,
            ...podsConfigured(pods, fact, file, question.program),
          },
    () => unread(unknown(`what ${fact.name} says is not known`, "name the finished ConfigMap", where)),
  );
}

function withoutFile(key: string): MountedFile {
  const answer = broken(
    `no ConfigMap with a credential file for ${key} was read`,
    "write the file into a ConfigMap that the pods mount",
    NOT_FOUND,
  );
  return { answer, file: undefined, pods: answer, audiences: [], source: undefined };
}

function nameOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

/** The ConfigMaps that a pod mounts. */
function configMapsIn(spec: Tree): readonly string[] {
  return itemsOf(childOf(spec, "volumes")).flatMap((volume) =>
    [volume, ...itemsOf(childOf(volume, "projected", "sources"))].map(
      (each) => orElse(optionalText(childOf(each, "configMap", "name")), () => undefined) ?? "",
    ),
  );
}

function podsConfigured(
  pods: readonly PodFact[],
  fact: CredentialFileFact,
  file: CredentialFile,
  program: AccountQuestion["program"],
): Pick<MountedFile, "pods" | "audiences"> {
  if (pods.length === 0) {
    const reason = `no pod of it was read; its pods need ${VARIABLE}, the file and the token at ${shown(file.tokenPath)}`;
    return { pods: { status: "skipped", reason, evidence: [], remedy: "" }, audiences: [] };
  }
  const judged = pods.map((pod) => ({ pod, ...podJudged(pod, fact, file, program) }));
  const byText = new Map(
    judged.flatMap(({ tokens }) =>
      tokens.map(({ audience }) => [shown(audience), audience as Known<string>] as const),
    ),
  );
  const audiences = [...byText.values()];
  const wrong = judged.find(({ problem }) => problem !== undefined);
  if (wrong)
    return {
      audiences,
      pods: broken(
        `${wrong.pod.title} ${wrong.problem ?? ""}`,
        "give its pods the volume, mount and variable that belong to the file",
        NOT_FOUND,
        seen(wrong.pod.title, wrong.pod.source),
      ),
    };
  const open = judged.find(({ isOpen }) => isOpen);
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
  readonly isOpen: boolean;
  /** The tokens at the file's path. */
  readonly tokens: readonly ProjectedToken[];
}

function wrong(problem: string, tokens: readonly ProjectedToken[] = []): Judged {
  return { problem, isOpen: false, tokens };
}

/** A container that sets the variable needs file and token as well; one that does not has nothing to do with them. */
function podJudged(
  { spec }: PodFact,
  fact: CredentialFileFact,
  file: CredentialFile,
  program: AccountQuestion["program"],
): Judged {
  const name = nameOf(fact.configMap);
  const missing = missingKey(spec, name, fact.keys);
  if (missing !== undefined)
    return wrong(`mounts the key ${missing}, which the ConfigMap ${name} does not have, and does not start`);
  const all = containersOf(spec, (configMap) => (configMap === name ? fact.keys : [])).map((container) => ({
    container,
    variable: program.get(VARIABLE) ?? container.variable(VARIABLE),
    paths: pathsOf(container, name, fact.name),
    tokens: tokensAt(container, file.tokenPath),
  }));
  const set = all.filter(
    ({ variable, container, paths }) =>
      orElse(variable, () => "open") !== undefined || (container.hasMore && paths.length > 0),
  );
  if (set.length === 0) {
    const mounting = all.find(({ paths }) => paths.length > 0);
    return mounting
      ? wrong(`does not set ${VARIABLE} to ${mounting.paths[0] ?? ""}`, mounting.tokens)
      : wrong(`does not mount the ConfigMap ${name} with its key ${fact.name}`);
  }
  const judged = set.map((each) =>
    containerJudged(each, `the ConfigMap ${name} with its key ${fact.name}`, file),
  );
  return {
    problem: judged.find(({ problem }) => problem !== undefined)?.problem,
    isOpen: judged.some(({ isOpen }) => isOpen),
    tokens: judged.flatMap(({ tokens }) => tokens),
  };
}

interface Seen {
  readonly container: ContainerFact;
  readonly variable: Known<string | undefined>;
  /** Where the credential file is. */
  readonly paths: readonly string[];
  readonly tokens: readonly ProjectedToken[];
}

function containerJudged(
  { container, variable, paths, tokens }: Seen,
  needed: string,
  { tokenPath }: CredentialFile,
): Judged {
  const where = container.name === "" ? "" : ` in the container ${container.name}`;
  const text = orElse(variable, () => undefined);
  if (text === undefined || container.isOpen || !isKnown(tokenPath))
    return { problem: undefined, isOpen: true, tokens };
  const [path] = paths;
  if (path === undefined) return wrong(`does not mount ${needed}${where}`, tokens);
  if (tokens.length === 0) return wrong(`has no token at ${shown(tokenPath)}${where}`);
  if (!paths.includes(text)) return wrong(`does not set ${VARIABLE} to ${path}${where}`, tokens);
  const long = tokens.find(({ expirationSeconds }) => expirationSeconds > LONGEST);
  return long
    ? wrong(
        `asks for a token of ${long.expirationSeconds} seconds; Google takes none over ${LONGEST}`,
        tokens,
      )
    : { problem: undefined, isOpen: false, tokens };
}

function pathsOf({ files }: ContainerFact, configMap: string, key: string): readonly string[] {
  return files.filter(({ of }) => of?.configMap === configMap && of.key === key).map(({ path }) => path);
}

function tokensAt({ files }: ContainerFact, path: Known<string>): readonly ProjectedToken[] {
  const at = orElse(path, () => undefined);
  return files.flatMap((each) => (each.path === at && each.token ? [each.token] : []));
}
