/*
 * The credential file that a workload's pods mount, and whether they have what it speaks of.
 */

import { type Answer, broken, pass, seen } from "../../answer";
import { at, list, own, text } from "../../facts/access";
import type { CredentialFileFact } from "../../facts/component-facts";
import type { Source } from "../../facts/source";
import type { PodFact } from "../../facts/pod-fragments";
import type { AccountQuestion } from "../cloud-access";
import { type CredentialFile, readCredentialFile } from "./credential-file";

/** What was found. */
export interface MountedFile {
  /** Whether the file is right in itself. */
  readonly answer: Answer;
  /** The file; `undefined` where there is none that can be read. */
  readonly file: CredentialFile | undefined;
  /** Whether the pods have token, file and variable. */
  readonly pods: Answer;
  /** The audience of the pods' tokens; `undefined` where no pod was read. */
  readonly audience: string | undefined;
  /** Where the file stands. */
  readonly source: Source | undefined;
}

const VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
/** The ConfigMap of a service account, where no pod says which one it mounts. */
const CONFIG_MAP = "google-credentials-";

/** `undefined` for a workload that mounts none, and of which nobody says that it should. */
export function mountedFile(question: AccountQuestion): MountedFile | undefined {
  const { account, files, declared } = question;
  // What pods need is no pod, but says as much of the token where no pod was read.
  const pods = question.pods.length > 0 || !question.fragment ? question.pods : [question.fragment];
  const name = account.key.slice(account.key.indexOf("/") + 1);
  const fact =
    files.find(({ configMap }) => pods.some((pod) => configMapsOf(pod).includes(nameOf(configMap)))) ??
    files.find(({ configMap }) => nameOf(configMap) === CONFIG_MAP + name);
  if (fact === undefined) return declared ? withoutFile(account.key) : undefined;
  const { source } = fact;
  const where = seen(`ConfigMap ${fact.configMap}`, source);
  const file = readCredentialFile(fact.text);
  if ("problem" in file) {
    const answer = broken(
      `${fact.name} ${file.problem}`,
      "write a credential file of type external_account",
      undefined,
      where,
    );
    return { answer, file: undefined, pods: answer, audience: undefined, source };
  }
  return {
    answer: pass(`the credential file names ${file.email || "the pool's principal"}`, where),
    file,
    source,
    ...podsOf(pods, fact, file),
  };
}

function withoutFile(key: string): MountedFile {
  const answer = broken(
    `no ConfigMap with a credential file for ${key} was read`,
    "write the file into a ConfigMap that the pods mount",
    "could not find default credentials",
  );
  return { answer, file: undefined, pods: answer, audience: undefined, source: undefined };
}

function podsOf(
  pods: readonly PodFact[],
  fact: CredentialFileFact,
  file: CredentialFile,
): Pick<MountedFile, "pods" | "audience"> {
  if (pods.length === 0)
    return {
      pods: pass(
        `no pod of it was read; its pods need ${VARIABLE}, the file and the token at ${file.tokenPath}`,
      ),
      audience: undefined,
    };
  const judged = pods.map((pod) => ({ pod, ...podOf(pod, fact, file) }));
  const [wrong] = judged.filter(({ problem }) => problem !== undefined);
  const audience = judged.map((each) => each.audience).find((each) => each !== undefined);
  if (wrong)
    return {
      audience,
      pods: broken(
        `${wrong.pod.title} ${wrong.problem ?? ""}`,
        "give its pods the volume, mount and variable that belong to the file",
        "could not find default credentials",
        seen(wrong.pod.title, wrong.pod.source),
      ),
    };
  return {
    audience,
    pods: pass(
      "file, token and variable belong together",
      ...pods.map(({ title, source }) => seen(title, source)),
    ),
  };
}

interface Mount {
  readonly name: string;
  readonly path: string;
}

/** What one pod lacks, and the audience of the token at the file's path. */
function podOf(
  { spec }: PodFact,
  { configMap, name }: CredentialFileFact,
  { tokenPath }: CredentialFile,
): { readonly problem: string | undefined; readonly audience: string | undefined } {
  const containers = list(own(spec, "containers"));
  const mounts = containers
    .flatMap((container) => list(own(container, "volumeMounts")))
    .map((mount): Mount => ({ name: text(own(mount, "name")), path: text(own(mount, "mountPath")) }));
  const sources = list(own(spec, "volumes")).flatMap((volume) => {
    const paths = mounts.filter((mount) => mount.name === own(volume, "name")).map(({ path }) => path);
    const direct = own(volume, "configMap") === undefined ? [] : [volume];
    return [...list(at(volume, "projected", "sources")), ...direct].flatMap((source) =>
      paths.map((path) => ({ source, path })),
    );
  });
  const token = sources.find(
    ({ source, path }) => `${path}/${text(at(source, "serviceAccountToken", "path"))}` === tokenPath,
  );
  const file = sources.find(({ source }) => text(at(source, "configMap", "name")) === nameOf(configMap));
  const audience = text(at(token?.source, "serviceAccountToken", "audience")) || undefined;
  const variables = containers
    .flatMap((container) => list(own(container, "env")))
    .filter((variable) => own(variable, "name") === VARIABLE)
    .map((variable) => text(own(variable, "value")));
  if (file === undefined) return { problem: `does not mount the ConfigMap ${nameOf(configMap)}`, audience };
  if (token === undefined) return { problem: `has no token at ${tokenPath}`, audience };
  const expected = `${file.path}/${name}`;
  return variables.includes(expected)
    ? { problem: undefined, audience }
    : { problem: `does not set ${VARIABLE} to ${expected}`, audience };
}

/** The ConfigMaps that a pod mounts. */
function configMapsOf({ spec }: PodFact): readonly string[] {
  return list(own(spec, "volumes")).flatMap((volume) =>
    [volume, ...list(at(volume, "projected", "sources"))].map((each) => text(at(each, "configMap", "name"))),
  );
}

function nameOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
