/*
 * The credential file with which Google's client libraries exchange a token, and whether each container of a workload's
 * pods has the file, the token and the variable.
 * Source: https://google.aip.dev/auth/4117 ("External Account Credentials").
 */

import {
  type Known,
  andThen,
  is,
  isAbsent,
  isKnown,
  known,
  map,
  match,
  orElse,
  same,
  shown,
} from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { type Tree, childOf, itemsOf, optionalText, parsedTree } from "../../model/tree";
import {
  CONFIG_MAP_PREFIX,
  CREDENTIALS_VARIABLE,
  LIFETIME_MAX,
  PUBLIC_UNIVERSE,
  TOKEN_TYPE,
} from "../../rules/google/workload";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { AccountQuestion, AccountReading } from "../cloud";
import type { CredentialFileFact } from "../read/component-facts";
import type { PodFact } from "../read/pods";
import type { Source } from "../read/source";
import { type ContainerFact, type ProjectedToken, containersOf, missingKey } from "../shared/pods";
import { notSeen } from "../shared/words";
import { taken } from "./names";
import { type ProviderName, providerName } from "./pool";

export interface Credentials {
  readonly provider: Known<ProviderName | undefined>;
  /** `//iam.googleapis.com/projects/…/providers/<id>`. */
  readonly audience: Known<string>;
  readonly tokenPath: Known<string>;
  /** The service account to act as; `undefined` if the pool's principal acts itself. */
  readonly email: Known<string> | undefined;
  readonly universe: Known<string>;
}

/** A file, or what is wrong with it, as the end of a sentence that begins with its name. */
type ReadFile = Credentials | { readonly problem: string };

const IMPERSONATION =
  /^https:\/\/iamcredentials\.([^/]+)\/v1\/projects\/-\/serviceAccounts\/([^/:]+):generateAccessToken$/;

export function readCredentialFile(content: Known<string>): Known<ReadFile> {
  const document = parsedTree(content);
  if (isKnown(document)) return fileOf(document);
  return andThen(content, () => known({ problem: "is not JSON" }));
}

function fileOf(document: Tree): Known<ReadFile> {
  const field = (path: string, fallback = ""): Known<string> =>
    map(optionalText(childOf(document, ...path.split("."))), (text) => text || fallback);
  const universe = field("universe_domain", PUBLIC_UNIVERSE);
  const domain = orElse(universe, () => undefined);
  const exchange = domain && `https://sts.${domain}/v1/token`;
  const fixed: readonly (readonly [path: string, wanted: string | undefined, fallback?: string])[] = [
    ["type", "external_account"],
    ["subject_token_type", TOKEN_TYPE],
    ["token_url", exchange],
    ["credential_source.format.type", "text", "text"],
  ];
  if (is(field("type"), "service_account") === "yes")
    return known({ problem: "is a service account key, which does not expire" });
  for (const [path, wanted, fallback] of fixed) {
    const written = field(path, fallback);
    if (wanted !== undefined && is(written, wanted) === "no")
      return known({ problem: `has the ${path} ${shown(written) || "none"}, not ${wanted}` });
  }
  const [audience, tokenPath] = [field("audience"), field("credential_source.file")];
  const provider = providerName(audience);
  if (isAbsent(provider))
    return known({ problem: `has the audience ${shown(audience) || "none"}, which is not a pool provider` });
  if (is(tokenPath, "") === "yes") return known({ problem: "names no credential_source.file" });
  const url = field("service_account_impersonation_url");
  const file = { provider, audience, tokenPath, email: undefined, universe };
  return is(url, "") === "yes" ? known(file) : impersonating(url, file);
}

function impersonating(url: Known<string>, file: Credentials): Known<ReadFile> {
  return taken(url, IMPERSONATION, ([domain, email]): Known<ReadFile> => {
    const has = `has the service_account_impersonation_url ${shown(url)}`;
    if (domain === undefined || email === undefined)
      return known({ problem: `${has}, which names no service account` });
    return same(domain, file.universe) === "no"
      ? known({ problem: `${has}, which is not in ${shown(file.universe)}` })
      : known({ ...file, email });
  });
}

/** A reading of pods that mount a credential file. */
interface MountedFile extends Omit<AccountReading, "identity"> {
  /** The file; `undefined` if none can be read. */
  readonly file: Credentials | undefined;
  readonly source: Source | undefined;
}

const NOT_FOUND = "could not find default credentials";

/** Reads a workload's credential file; `undefined` if it mounts none and nothing declares that it should. */
export function mountedFile(question: AccountQuestion): MountedFile | undefined {
  const { account, files, declared, fragment } = question;
  // If no pod was read, the declared needs of pods tell as much about the token.
  const pods = question.pods.length > 0 || !fragment ? question.pods : [fragment];
  const mounted = pods.flatMap(({ spec }) => configMapsIn(spec));
  const fact =
    files.find(({ configMap }) => mounted.includes(namespacedName(configMap).name)) ??
    files.find(
      ({ configMap }) =>
        namespacedName(configMap).name === CONFIG_MAP_PREFIX + namespacedName(account.key).name,
    );
  const unread = (answer: Answer): MountedFile => {
    return { answer, file: undefined, pods: answer, audiences: [], source: fact?.source };
  };
  if (fact === undefined) {
    const reason = `no ConfigMap with a credential file for ${account.key} was read`;
    return declared
      ? unread(broken(reason, "write the file into a ConfigMap that the pods mount", NOT_FOUND))
      : undefined;
  }
  const where = seen(`ConfigMap ${fact.configMap}`, fact.source);
  return match(
    readCredentialFile(fact.text),
    (file) => {
      if ("problem" in file) {
        const remedy = "write a credential file of type external_account";
        return unread(broken(`${fact.name} ${file.problem}`, remedy, undefined, where));
      }
      const names = `the credential file names ${file.email === undefined ? "the pool's principal" : shown(file.email)}`;
      const judged = podsConfigured(pods, fact, file, question.program);
      return { answer: pass(names, where), file, source: fact.source, ...judged };
    },
    () => unread(unknown(`the value of ${fact.name} is not known`, "provide the finished ConfigMap", where)),
  );
}

function configMapsIn(spec: Tree): readonly string[] {
  const volumes = itemsOf(childOf(spec, "volumes"));
  return [...volumes, ...volumes.flatMap((each) => itemsOf(childOf(each, "projected", "sources")))].map(
    (each) => orElse(optionalText(childOf(each, "configMap", "name")), () => undefined) ?? "",
  );
}

function podsConfigured(
  pods: readonly PodFact[],
  fact: CredentialFileFact,
  file: Credentials,
  program: AccountQuestion["program"],
): Pick<MountedFile, "pods" | "audiences"> {
  if (pods.length === 0) {
    const needs = `its pods need ${CREDENTIALS_VARIABLE}, the file and the token at ${shown(file.tokenPath)}`;
    return { pods: notSeen(needs), audiences: [] };
  }
  const judged = pods.map((pod) => ({ pod, ...podJudged(pod, fact, file, program) }));
  // A token without an audience is for the API server.
  const audiences = judged
    .flatMap(({ tokens }) => tokens)
    .map(({ audience }) => map(audience, (text) => text ?? ""));
  const distinct = [...new Map(audiences.map((each) => [shown(each), each])).values()];
  return { pods: podsAnswer(judged), audiences: distinct };
}

function podsAnswer(judged: readonly (Judged & { readonly pod: PodFact })[]): Answer {
  const wrong = judged.find(({ problem }) => problem !== undefined);
  if (wrong) {
    const { title, source } = wrong.pod;
    const remedy = "give its pods the volume, the mount and the variable for the file";
    return broken(`${title} ${wrong.problem ?? ""}`, remedy, NOT_FOUND, seen(title, source));
  }
  const open = judged.find(({ isOpen }) => isOpen)?.pod;
  const where = judged.map(({ pod }) => seen(pod.title, pod.source));
  if (open === undefined) return pass("its pods have the file, the token and the variable", where);
  return unknown(
    `the value of ${CREDENTIALS_VARIABLE} in ${open.title} is known only inside the cluster`,
    `write ${CREDENTIALS_VARIABLE} and the path of the mount as literals`,
    seen(open.title, open.source),
  );
}

interface Judged {
  /** What is wrong, as the end of a sentence; `undefined` if nothing is. */
  readonly problem: string | undefined;
  readonly isOpen: boolean;
  /** The tokens at the file's path. */
  readonly tokens: readonly ProjectedToken[];
}

function wrong(problem: string, tokens: readonly ProjectedToken[] = []): Judged {
  return { problem, isOpen: false, tokens };
}

interface Mounts {
  readonly container: ContainerFact;
  readonly variable: Known<string | undefined>;
  readonly paths: readonly string[];
  readonly tokens: readonly ProjectedToken[];
}

/** A container that sets the variable also needs the file and the token; any other container needs neither. */
function podJudged(
  { spec }: PodFact,
  fact: CredentialFileFact,
  file: Credentials,
  program: AccountQuestion["program"],
): Judged {
  const name = namespacedName(fact.configMap).name;
  const missing = missingKey(spec, name, fact.keys);
  if (missing !== undefined)
    return wrong(`mounts the key ${missing}, which the ConfigMap ${name} lacks, so it does not start`);
  const at = orElse(file.tokenPath, () => undefined);
  // The program runs in the main containers, not in init containers.
  const first = itemsOf(childOf(spec, "initContainers")).length;
  const containers = containersOf(spec, (configMap) => (configMap === name ? fact.keys : [])).map(
    (container, place): Mounts => ({
      container,
      variable:
        (place < first ? undefined : program.get(CREDENTIALS_VARIABLE)) ??
        container.variable(CREDENTIALS_VARIABLE),
      paths: container.files.flatMap(({ path, of }) =>
        of?.configMap === name && of.key === fact.name ? [path] : [],
      ),
      tokens: container.files.flatMap(({ path, token }) => (path === at && token ? [token] : [])),
    }),
  );
  const set = containers.filter(
    ({ variable, container, paths }) => !isAbsent(variable) || (container.hasMore && paths.length > 0),
  );
  const needed = `mount the ConfigMap ${name} with its key ${fact.name}`;
  if (set.length === 0) {
    const { paths: [path] = [], tokens } = containers.find(({ paths }) => paths.length > 0) ?? {};
    return path === undefined
      ? wrong(`does not ${needed}`)
      : wrong(`does not set ${CREDENTIALS_VARIABLE} to ${path}`, tokens);
  }
  const judged = set.map((each) => containerJudged(each, needed, file));
  return {
    problem: judged.find(({ problem }) => problem !== undefined)?.problem,
    isOpen: judged.some(({ isOpen }) => isOpen),
    tokens: judged.flatMap(({ tokens }) => tokens),
  };
}

function containerJudged(
  { container, variable, paths, tokens }: Mounts,
  needed: string,
  { tokenPath }: Credentials,
): Judged {
  const where = container.name === "" ? "" : ` in the container ${container.name}`;
  const text = orElse(variable, () => undefined);
  if (text === undefined || container.isOpen || !isKnown(tokenPath))
    return { problem: undefined, isOpen: true, tokens };
  const [path] = paths;
  if (path === undefined) return wrong(`does not ${needed}${where}`, tokens);
  if (tokens.length === 0) return wrong(`has no token at ${shown(tokenPath)}${where}`);
  if (!paths.includes(text)) return wrong(`does not set ${CREDENTIALS_VARIABLE} to ${path}${where}`, tokens);
  const seconds = tokens.reduce((most, each) => Math.max(most, each.expirationSeconds), 0);
  if (seconds > LIFETIME_MAX)
    return wrong(`requests a token for ${seconds} seconds; Google accepts at most ${LIFETIME_MAX}`, tokens);
  return { problem: undefined, isOpen: false, tokens };
}
