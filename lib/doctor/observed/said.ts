/*
 * Messages of a bundle as observations: of events and states, which name their pod; of the pod's own log; and of the
 * kubelet's log, whose lines count for what they name.
 */

import type { Evidence } from "../../explain/answer";
import type { ExplainResult } from "../../explain";
import { type Bundle, atLine, filesOf } from "../bundle";
import { type FoundMessage, messagesIn } from "../messages";
import { OF_WORKLOADS } from "../messages/row";
import { type Note, type Observation, type Seen, isPull } from "./observation";
import type { PodSeen } from "./pods";

type About = Observation["about"];

/** Of the messages in one text, those that leave the fewest links open: a wider one quotes them. */
function narrowest(messages: readonly FoundMessage[]): readonly FoundMessage[] {
  const [first] = messages;
  const least = first?.row.broken.length;
  return messages.filter(({ row: { broken } }) => broken.length === 0 || broken.length === least);
}

/** What a message proves broken, and what it proves to hold. */
function observed({ row }: FoundMessage, where: Evidence, about: About): readonly Observation[] {
  const { broken, holds, means, fix, isUnread = false } = row;
  const reason = `${row.by}: ${means.replace(/\.$/, "")}`;
  const all: Observation[] = [];
  if (broken.length > 0)
    all.push({
      links: broken,
      status: "fail",
      reason,
      fix,
      evidence: [where],
      about,
      isState: isUnread,
    });
  if (holds.length > 0) all.push({ links: holds, status: "pass", reason, fix: "", evidence: [where], about });
  return all;
}

/** A note for messages about no link. */
function noted({ row }: FoundMessage, where: Evidence): readonly Note[] {
  return row.broken.length > 0
    ? []
    : [{ reason: `${row.by}: ${row.means.replace(/\.$/, "")}`, fix: row.fix, evidence: [where] }];
}

const SHOWN = 240;

function shown(all: string): string {
  const line = all.trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

/** The pull of an image by a pod's service account; a message that quotes one of its images is about that one. */
function pullOf({ account, images }: PodSeen, said: string): About {
  const quoted = images.filter((image) => said.includes(image));
  return (chain) =>
    isPull(chain) &&
    chain.subject === account &&
    (quoted.length > 0 ? quoted : images).includes(chain.target);
}

function loginOf(account: string): About {
  return (chain) => !isPull(chain) && chain.subject === account;
}

/** What events and states of pods say. */
export function podsSaid(pods: readonly PodSeen[]): Seen {
  const each = pods.flatMap((pod) =>
    pod.said.flatMap(({ text, file, path }) =>
      narrowest(messagesIn(text)).map((message) => {
        const where = { text: shown(text), source: { file: file.path, path } };
        return [observed(message, where, pullOf(pod, text)), noted(message, where)] as const;
      }),
    ),
  );
  return { observations: each.flatMap(([all]) => all), notes: each.flatMap(([, notes]) => notes) };
}

const POD = /^# (\S+\/\S+)\s*$/m;

/** What a pod's own log says, whose first line names the pod. */
export function podLogSaid(bundle: Bundle, pods: readonly PodSeen[]): Seen {
  const each = filesOf(bundle, "pod-log").flatMap((file) => {
    const [, key] = POD.exec(file.text) ?? [];
    const pod = pods.find((one) => one.key === key);
    return messagesIn(file.text).map((message) => {
      const where = atLine(file, message.line, shown(message.text));
      return pod
        ? ([observed(message, where, loginOf(pod.account)), noted(message, where)] as const)
        : ([[], [whose(message, where)]] as const);
    });
  });
  return { observations: each.flatMap(([all]) => all), notes: each.flatMap(([, notes]) => notes) };
}

function whose({ row }: FoundMessage, where: Evidence): Note {
  const links = row.broken.length > 0 ? ` (${row.broken.join(", ")})` : "";
  return {
    reason: `${row.by}: ${row.means.replace(/\.$/, "")}${links}; the line does not say whose chain it is`,
    fix: row.fix,
    evidence: [where],
  };
}

/** What lines of logs say of the pods, images and service accounts that they name. */
export function logSaid(bundle: Bundle, pods: readonly PodSeen[], chains: readonly ExplainResult[]): Seen {
  const observations: Observation[] = [];
  const notes: Note[] = [];
  const named = namesOf(pods, chains);
  for (const file of filesOf(bundle, "log"))
    for (const [place, line] of file.text.split(/\r?\n/).entries())
      for (const message of narrowest(messagesIn(line))) {
        const where = atLine(file, place + 1, shown(line));
        const about = named.filter(({ name }) => name.test(line)).map((each) => each.about);
        if (about.length === 0) notes.push(whose(message, where));
        else {
          const isAbout: About = (chain) => isOf(message, chain) && about.some((one) => one(chain));
          observations.push(...observed(message, where, isAbout));
          notes.push(...noted(message, where));
        }
      }
  return { observations, notes: firstOfEach(notes) };
}

/** A message about links of workloads alone is about no pull, and the reverse. */
function isOf({ row: { broken } }: FoundMessage, chain: ExplainResult): boolean {
  const ids = chain.checks.map(({ id }) => id);
  const isOfWorkloads = broken.length > 0 && broken.every((id) => OF_WORKLOADS.includes(id));
  return isOfWorkloads ? !isPull(chain) : broken.length === 0 || broken.some((id) => ids.includes(id));
}

interface Named {
  readonly name: RegExp;
  readonly about: About;
}

function exactly(name: string): RegExp {
  const plain = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\w./-])${plain}(?![\w/-]|\.\w)`);
}

/** How logs name chains: by pod, by image, by service account. */
function namesOf(pods: readonly PodSeen[], chains: readonly ExplainResult[]): readonly Named[] {
  const accounts = [...new Set(chains.map(({ subject }) => subject))];
  const targets = [...new Set(chains.filter(isPull).map(({ target }) => target))];
  return [
    ...pods.map((pod) => ({
      name: exactly(pod.key),
      about: (chain: ExplainResult) =>
        chain.subject === pod.account && (!isPull(chain) || pod.images.includes(chain.target)),
    })),
    ...targets.map((target) => ({
      name: exactly(target),
      about: (chain: ExplainResult) => isPull(chain) && chain.target === target,
    })),
    ...accounts.flatMap((account) => {
      const about = (chain: ExplainResult): boolean => chain.subject === account;
      return [account, `system:serviceaccount:${account.replace("/", ":")}`].map((name) => ({
        name: exactly(name),
        about,
      }));
    }),
  ];
}

/** A log repeats its lines: the first note of each kind is enough. */
function firstOfEach(notes: readonly Note[]): readonly Note[] {
  const byReason = new Map<string, Note>();
  for (const note of notes) if (!byReason.has(note.reason)) byReason.set(note.reason, note);
  return [...byReason.values()];
}
