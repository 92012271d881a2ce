/*
 * Messages of a bundle as observations: of events and states, which name their pod; of the pod's own log; and of the
 * kubelet's log, whose lines count for what they name.
 */

import type { Evidence } from "../../explain/answer";
import type { ExplainResult } from "../../explain";
import { grouped } from "../../model/grouped";
import { type Bundle, atLine, filesOf } from "../bundle";
import { escaped } from "../../explain/render/causes";
import { type FoundMessage, messagesIn, unquoted } from "../messages";
import { OF_PULLS, OF_WORKLOADS } from "../messages/row";
import { type Note, type Observation, type Seen, isPull } from "./observation";
import type { PodSeen, Said } from "./pods";

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
  const evidence = [where];
  const both: readonly Observation[] = [
    { links: broken, status: "fail", reason, fix, evidence, about, isState: isUnread },
    { links: holds, status: "pass", reason, fix: "", evidence, about },
  ];
  return both.filter(({ links }) => links.length > 0);
}

const SHOWN = 240;

function shown(all: string): string {
  const line = all.trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

/** A message, where it is, and the chains that it is about; `undefined` if it does not say whose it is. */
type SaidOf = readonly [message: FoundMessage, where: Evidence, about: About | undefined];

/** What events and states of pods, their own logs and those of kubelets say. */
export function messagesSeen(
  bundle: Bundle,
  pods: readonly PodSeen[],
  chains: readonly ExplainResult[],
): Seen {
  const all = [...podsSaid(pods), ...podLogSaid(bundle, pods), ...logSaid(bundle, pods, chains)];
  const notes = all.flatMap(([{ row }, where, about]): readonly Note[] => {
    if (about !== undefined && row.broken.length > 0) return [];
    const links = row.broken.length > 0 ? ` (${row.broken.join(", ")})` : "";
    const whose = about === undefined ? `${links}; the line does not say whose chain it is` : "";
    return [
      { reason: `${row.by}: ${row.means.replace(/\.$/, "")}${whose}`, fix: row.fix, evidence: [where] },
    ];
  });
  return {
    observations: all.flatMap(([message, where, about]) => (about ? observed(message, where, about) : [])),
    // A log repeats its lines: the first note of each kind is enough.
    notes: [...grouped(notes, ({ reason }) => reason).values()].flatMap(([first]) => first ?? []),
  };
}

/** The pull of an image by a pod's service account: that which the message quotes, or the container's. */
function pullOf({ account, images, containers }: PodSeen, { text, container }: Said): About | undefined {
  const quoted = images.filter((image) => exactly(image).test(text));
  const own = quoted.length > 0 ? quoted : [containers.get(container) ?? images].flat();
  if (quoted.length === 0 && own.length > 1) return undefined;
  return (chain) => isPull(chain) && chain.subject === account && own.includes(chain.target);
}

function podsSaid(pods: readonly PodSeen[]): readonly SaidOf[] {
  return pods.flatMap((pod) =>
    pod.said.flatMap((said) => {
      const where = { text: shown(said.text), source: { file: said.file.path, path: said.path } };
      return narrowest(messagesIn(said.text)).map((each) => [each, where, pullOf(pod, said)] as const);
    }),
  );
}

const POD = /^# (\S+\/\S+)\s*$/m;

/** What a pod's own log says, whose first line names the pod. */
function podLogSaid(bundle: Bundle, pods: readonly PodSeen[]): readonly SaidOf[] {
  return filesOf(bundle, "pod-log").flatMap((file) => {
    const [, key] = POD.exec(file.text) ?? [];
    const pod = pods.find((one) => one.key === key);
    return messagesIn(file.text).map((message) => {
      const about: About = (chain) =>
        !isPull(chain) && chain.subject === pod?.account && isOf(message, chain);
      return [message, atLine(file, message.line, shown(message.text)), pod && about] as const;
    });
  });
}

/** What lines of logs say of the pods, images and service accounts that they name. */
function logSaid(
  bundle: Bundle,
  pods: readonly PodSeen[],
  chains: readonly ExplainResult[],
): readonly SaidOf[] {
  const named = namesOf(pods, chains);
  return filesOf(bundle, "log").flatMap((file) =>
    file.text.split(/\r?\n/).flatMap((line, place) =>
      narrowest(messagesIn(line)).map((message) => {
        const plain = unquoted(line).replaceAll(POD_IN_JSON, 'pod="$2/$1"');
        const about = named.filter(({ name }) => name.test(plain)).map((each) => each.about);
        const isStated = statedIn(plain, pods);
        const isAbout: About = (chain) =>
          isOf(message, chain) && isStated(chain) && about.some((one) => one(chain));
        const where = atLine(file, place + 1, shown(line));
        return [message, where, about.length === 0 ? undefined : isAbout] as const;
      }),
    ),
  );
}

/** A message about links of workloads alone is about no pull, and the reverse. */
function isOf({ row: { broken } }: FoundMessage, chain: ExplainResult): boolean {
  const ids = chain.checks.map(({ id }) => id);
  if (broken.some((id) => OF_PULLS.includes(id))) return isPull(chain);
  const isOfWorkloads = broken.length > 0 && broken.every((id) => OF_WORKLOADS.includes(id));
  return isOfWorkloads ? !isPull(chain) : broken.length === 0 || broken.some((id) => ids.includes(id));
}

/** How the kubelet's log in JSON names a pod. */
const POD_IN_JSON = /"pod":\{"name":"([\w.-]+)","namespace":"([\w.-]+)"\}/g;
const OF_POD = /\bpod="?([\w.-]+\/[\w.-]+)/;
const OF_IMAGE = /\bimage[=:"\s]+([\w.-]+(?::\d+)?\/[\w./-]*\w)/i;

/** Whether a line is about no other pod and no other repository than the chain's, which it may name besides. */
function statedIn(line: string, pods: readonly PodSeen[]): About {
  const [key, image] = [OF_POD, OF_IMAGE].map((pattern) => pattern.exec(line)?.[1]);
  const pod = pods.find((each) => each.key === key);
  return (chain) => {
    const isOwn = key === undefined || (pod !== undefined && ofPod(pod, chain));
    if (!isPull(chain) || !isOwn) return isOwn;
    if (image !== undefined) return image === chain.target.replace(/[:@](?!.*\/).*$/, "");
    return key === undefined || pod?.images.length === 1;
  };
}

function ofPod(pod: PodSeen, chain: ExplainResult): boolean {
  return chain.subject === pod.account && (!isPull(chain) || pod.images.includes(chain.target));
}

interface Named {
  readonly name: RegExp;
  readonly about: About;
}

function exactly(name: string): RegExp {
  return new RegExp(String.raw`(?<![\w./-])${escaped(name)}(?![\w/-]|[.:@]\w)`);
}

/** How logs name chains: by pod, by image, by service account. */
function namesOf(pods: readonly PodSeen[], chains: readonly ExplainResult[]): readonly Named[] {
  const accounts = [...new Set(chains.map(({ subject }) => subject))];
  const targets = [...new Set(chains.filter(isPull).map(({ target }) => target))];
  return [
    ...pods.map((pod): Named => ({ name: exactly(pod.key), about: (chain) => ofPod(pod, chain) })),
    ...targets.map((target): Named => {
      return { name: exactly(target), about: (chain) => isPull(chain) && chain.target === target };
    }),
    ...accounts.flatMap((account) => {
      const about: About = ({ subject }) => subject === account;
      const user = `system:serviceaccount:${account.replace("/", ":")}`;
      return [account, user].map((name) => ({ name: exactly(name), about }));
    }),
  ];
}
