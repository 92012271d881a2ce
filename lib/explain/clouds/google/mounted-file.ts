/*
 * The credential file that a workload's pods mount, and whether they have what it speaks of.
 */

import { type Answer, broken, pass, seen } from "../../answer";
import { at, list, own, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import type { PodFact } from "../../facts/pod-fragments";
import type { AccountQuestion } from "../cloud-access";
import { startedWith } from "../pod-containers";
import { type CredentialFile, readCredentialFile } from "./credential-file";
import { podsConfigured } from "./pods-configured";

/** What was found. */
export interface MountedFile {
  /** Whether the file is right in itself. */
  readonly answer: Answer;
  /** The file; `undefined` where there is none that can be read. */
  readonly file: CredentialFile | undefined;
  /** Whether the pods have token, file and variable. */
  readonly pods: Answer;
  /** The audiences of the pods' tokens, each once; empty where no pod was read. */
  readonly audiences: readonly string[];
  /** Where the file stands. */
  readonly source: Source | undefined;
}

/** The ConfigMap of a service account, where no pod says which one it mounts. */
const CONFIG_MAP = "google-credentials-";

/** `undefined` for a workload that mounts none, and of which nobody says that it should. */
export function mountedFile(question: AccountQuestion): MountedFile | undefined {
  const { account, files, declared } = question;
  // What pods need is no pod, but says as much of the token where no pod was read.
  const given = question.pods.length > 0 || !question.fragment ? question.pods : [question.fragment];
  const pods = startedWith(given, question.program);
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
    return { answer, file: undefined, pods: answer, audiences: [], source };
  }
  return {
    answer: pass(`the credential file names ${file.email || "the pool's principal"}`, where),
    file,
    source,
    ...podsConfigured(pods, fact, file),
  };
}

function withoutFile(key: string): MountedFile {
  const answer = broken(
    `no ConfigMap with a credential file for ${key} was read`,
    "write the file into a ConfigMap that the pods mount",
    "could not find default credentials",
  );
  return { answer, file: undefined, pods: answer, audiences: [], source: undefined };
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
