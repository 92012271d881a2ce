/*
 * What pull secrets do to a pull: which of them the kubelet tries before a plugin's credentials, and one that it cannot
 * decode.
 */

import { credentialsInOrder } from "../../rules/kubelet/credential-order";
import { DOCKER_CONFIG_KEYS, readDockerConfig } from "../../rules/kubelet/docker-config";
import { type Answer, broken, seen } from "../answer";
import type { SecretFact } from "../facts/component-facts";
import { isLateText } from "../facts/terraform";
import type { PullContext } from "./check";

/** The pull secrets of a pod and its service account. */
export interface PullSecrets {
  /** Their names, the pod's first. */
  readonly names: readonly string[];
  /** Names of those that the kubelet tries for the image, or may try; first those that were not read. */
  readonly tried: readonly string[];
  /** Why the kubelet pulls nothing because of one of them; `undefined` where it pulls. */
  readonly refusal: Answer | undefined;
}

type Part = Pick<PullContext, "workload" | "account" | "artefacts" | "namespace" | "repository">;

/** Reads the pull secrets. Source: kubernetes:pkg/credentialprovider/secrets/secrets.go. */
export function pullSecretsOf(context: Part): PullSecrets {
  const { workload, account, artefacts, namespace, repository } = context;
  // Most service accounts have none, and there are many.
  if ((workload?.pullSecrets.length ?? 0) + (account?.pullSecrets.length ?? 0) === 0) return NONE;
  const names = [...new Set([...(workload?.pullSecrets ?? []), ...(account?.pullSecrets ?? [])])];
  const read = names.map((name) => {
    const secret = artefacts.secrets.get(`${namespace}/${name}`);
    return { name, secret, ...contentOf(secret) };
  });
  const open = read.filter(({ registries }) => registries === undefined).map(({ name }) => name);
  const keys = read.flatMap(({ name, registries = [] }) =>
    registries.map((registry) => ({ name, registry })),
  );
  const matching = credentialsInOrder(repository?.name ?? "", { imagePullSecrets: keys }).map(
    ({ name }) => name,
  );
  const wrong = read.find(({ problem }) => problem !== undefined);
  return {
    names,
    tried: [...new Set([...open, ...matching])],
    refusal: wrong && refused(wrong.name, wrong.problem ?? "", wrong.secret),
  };
}

const NONE: PullSecrets = { names: [], tried: [], refusal: undefined };

/** What SOPS encrypts, and what Argo CD's Vault plugin or Helm fill in before the object is applied. */
const UNFINISHED = /^ENC\[|<path:|\{\{/;

/** The registries that a Secret has credentials for; `undefined` where that is not known. */
function contentOf(secret: SecretFact | undefined): {
  readonly registries?: readonly string[] | undefined;
  readonly problem?: string | undefined;
} {
  if (secret === undefined) return {};
  const { type, value } = secret;
  const key = Object.hasOwn(DOCKER_CONFIG_KEYS, type) ? DOCKER_CONFIG_KEYS[type] : undefined;
  if (key === undefined) return { registries: [] };
  const content = value(key);
  if (content === undefined || isLateText(content)) return {};
  const read = readDockerConfig(type, content);
  return read.problem !== undefined && UNFINISHED.test(content) ? {} : read;
}

function refused(name: string, problem: string, secret: SecretFact | undefined): Answer {
  return broken(
    `the kubelet cannot decode the pull secret ${name}: ${problem}; it pulls nothing for the pod, whoever else has credentials`,
    "mend the Secret, or take it from imagePullSecrets",
    "ErrImagePull with the error of the JSON decoder",
    seen(`Secret ${name}`, secret?.source),
  );
}
