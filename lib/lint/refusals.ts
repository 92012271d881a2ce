/*
 * What kubelets refuse of a CredentialProviderConfig: their own texts, each with the entry that it is about.
 */

import { type Source, below } from "../explain/read/source";
import { remembered } from "../model/once";
import { at } from "../model/parsed";
import { knownKubernetesMinors } from "../rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../rules/kubelet/validate-credential-provider-config";
import type { ConfigFact } from "./read";
import type { LintRule, Refusal, Spot } from "./rule";

/** Whether the gate is on is in no file that is read; rule tokens-off says so. */
const GATES = { KubeletServiceAccountTokenForCredentialProviders: true };
const HEADER = { apiVersion: "kubelet.config.k8s.io/v1", kind: "CredentialProviderConfig" };

/** What kubelets refuse. Entries are also judged one by one: a kubelet names no entry, and repeats no text. */
export function refusalsOf(config: ConfigFact, minors: readonly string[]): readonly Refusal[] {
  const { value, error, isEntry, title, source, entries } = config;
  if (error !== undefined) return [{ config, subject: title, message: error, minors: [...minors], source }];
  const whole = isEntry ? { ...HEADER, providers: [value] } : value;
  const refusals = new Map<string, Refusal>();
  const add = (minor: string, subject: string, message: string, place: Source): void => {
    const make = (): Refusal => ({ config, subject, message, minors: [], source: place });
    remembered(refusals, JSON.stringify([place, message]), make).minors.push(minor);
  };
  for (const kubelet of minors) {
    const options = { kubelet, featureGates: GATES };
    const ofWhole = validateCredentialProviderConfig(whole, options);
    const isOther = ofWhole.some(({ message }) => VERSION.test(message));
    const header = isOther ? HEADER : { ...HEADER, apiVersion: at(whole, "apiVersion") };
    const ofEntries = entries.flatMap(({ name, value: provider, source: place }) =>
      validateCredentialProviderConfig({ ...header, providers: [provider] }, options)
        // What does not decode is found with its place in the whole file.
        .filter(({ field }) => !field.includes("["))
        .map((issue) => ({ ...issue, name, place })),
    );
    for (const { value: provider, name, source: place } of entries)
      if ((provider["name"] ?? "") === "") add(kubelet, name, NAMELESS, below(place, "name"));
    for (const { field, message, name, place } of ofEntries)
      add(kubelet, name, message, below(place, field.replace(/^providers\.?/, "")));
    const known = new Set(ofEntries.map(({ message }) => message));
    for (const { field, message } of ofWhole)
      if (!known.has(message)) {
        const path = isEntry ? field.replace(/^providers(?:\[0\])?\.?/, "") : field;
        // The kubelet prints the whole document here, which may hold secrets.
        add(kubelet, title, message.replace(/(is missing) in [^]*/, "$1"), below(source, path));
      }
  }
  return [...refusals.values()];
}

/** `kubelet 1.34`, `kubelets 1.34 to 1.37`. */
export function kubeletWords(minors: readonly string[]): string {
  const [first = "", last = first] = [minors[0], minors.at(-1)];
  if (first === last) return `kubelet ${first}`;
  const [begin, end] = [first, last].map((minor) => knownKubernetesMinors.indexOf(minor));
  const isRange = (end ?? 0) - (begin ?? 0) === minors.length - 1;
  return `kubelets ${isRange ? `${first} to ${last}` : minors.join(", ")}`;
}

/** The minor after the newest of these; `undefined` if it is not known. */
export function nextMinor(minors: readonly string[]): string | undefined {
  const newest = minors.at(-1);
  return newest === undefined ? undefined : knownKubernetesMinors[knownKubernetesMinors.indexOf(newest) + 1];
}

/** The file is not of a kind and version that the kubelet decodes. */
const VERSION = /^no kind |^couldn't get version|^Object '|^unexpected GroupVersion|\(wrong Kind\)/;

/** What a kubelet says of an empty name, which its validation accepts. */
const NAMELESS = "plugin binary executable  did not exist";

type Row = Pick<LintRule, "id" | "question" | "remedy"> & {
  /** The kubelet's texts. */
  readonly texts: RegExp;
};

/** Rows by the kubelet's texts; a text that none of them has is of the last. */
const ROWS: readonly Row[] = [
  {
    id: "field-unknown",
    question: "Does the kubelet know every field?",
    texts: /^strict decoding error/,
    remedy:
      "correct or remove the field: names are case-sensitive, and tokenAttributes exists from 1.33 on, in v1 alone",
  },
  {
    id: "name-invalid",
    question: "Is the name of an entry a file name?",
    texts: /^providers\.name: Invalid|^plugin binary executable/,
    remedy: "write the file name of the plugin, without its folder",
  },
  {
    id: "name-repeated",
    question: "Has each entry its own name?",
    texts: /duplicate provider name|was registered twice|^providers\.name: Duplicate/,
    remedy: "give the second entry a link to, or a copy of, the plugin under another name",
  },
  {
    id: "protocol-invalid",
    question: "Does each entry name a version of the plugin protocol, and for tokens v1?",
    texts: /^providers\.apiVersion: |tokenAttributes is only supported for/,
    remedy: "write apiVersion: credentialprovider.kubelet.k8s.io/v1 in the entry",
  },
  {
    id: "match-images-invalid",
    question: "Has each entry patterns that the kubelet can read?",
    texts: /^providers(?:\.matchImages)?: /,
    remedy: "write host, host:port or host/path, with * within a part of the host",
  },
  {
    id: "cache-duration-invalid",
    question: "Does each entry say how long answers are cached?",
    texts: /^providers\.defaultCacheDuration: |^time: /,
    remedy: 'write a duration such as defaultCacheDuration: "10m"; "0s" caches nothing',
  },
  {
    id: "account-requirement-missing",
    question: "Does an entry with tokens say what becomes of pods without a service account?",
    texts: /requireServiceAccount: Required|requiredServiceAccountAnnotationKeys: Forbidden/,
    remedy:
      "write requireServiceAccount: true; false, without required keys, if the plugin is to run without a token too",
  },
  {
    id: "cache-type-invalid",
    question: "Has an entry with tokens a cacheType?",
    texts: /cacheType: /,
    remedy:
      "write cacheType: ServiceAccount, or Token if the plugin returns the token itself; 1.33 does not know the field",
  },
  {
    id: "config-invalid",
    question:
      "Is the file a CredentialProviderConfig that the kubelet can decode, with valid keys and values?",
    texts: /(?!)/,
    remedy:
      "correct what the kubelet names: kind CredentialProviderConfig of kubelet.config.k8s.io/v1, valid keys, quoted texts",
  },
];

const COMMON = {
  source: "kubernetes:pkg/credentialprovider/plugin/config.go and plugin.go",
  log: "Failed to register CRI auth plugins",
};

function rowOf({ message }: Refusal): Row | undefined {
  return ROWS.find(({ texts }) => texts.test(message)) ?? ROWS.at(-1);
}

function spotOf({ subject, message, minors, source }: Refusal): Spot {
  return { subject, what: `${kubeletWords(minors)}: ${message}`, source };
}

export const REFUSAL_RULES: readonly LintRule[] = [
  ...ROWS.map(({ id, question, remedy }): LintRule => ({
    ...COMMON,
    id,
    severity: "error",
    question,
    effect: "the kubelet does not start, and the node runs no pods",
    remedy,
    run: ({ refusals }) => refusals.filter((each) => rowOf(each)?.id === id).map(spotOf),
  })),
  {
    ...COMMON,
    id: "next-kubelet",
    severity: "warning",
    question: "Does the next kubelet accept the file too?",
    effect: "an upgrade stops at the first node, whose kubelet does not start",
    remedy: "change the file together with the kubelet, node by node",
    run: ({ next }) => next.map(spotOf),
  },
];
