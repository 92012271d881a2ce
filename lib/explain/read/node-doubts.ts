/*
 * What is on nodes beside the kubelet's configuration and may change it: files, units, flags and commands. What is listed
 * here does not; what anything else does is not known.
 */

import { posix } from "node:path";
import { known, orElse } from "../../model/known";
import { plainOf } from "../../model/tree";
import { type Kept, unitCommands, unitLines, unknownCommand } from "../../rules/node/commands";
import { isFeatureGate } from "../../rules/kubelet/feature-gates";
import { KUBELET_FILES } from "../../rules/node/forms";
import { words } from "../coverage/coverage";
import { unknownKey } from "../coverage/node-documents";
import { JUDGED } from "./config-files";
import { firstDocument } from "./documents";
import { nodeGateStatements } from "./node-gates";
import { OF_OPERATOR } from "./machine-configs";
import {
  BIN_FLAG,
  CONFIG_FLAG,
  type KubeletFlags,
  type NodeFact,
  type NodeFileFact,
  kubeletCommand,
  mayHold,
} from "./node-files";

/** What of a node's files is judged elsewhere. */
export interface Judged {
  /** Files that the kubelet or its plugins read. */
  readonly paths: readonly string[];
  readonly plugins: readonly string[];
  /** The recorded checksums of plugins, by name. */
  readonly checksums: ReadonlyMap<string, string>;
}

/** Beginnings of paths from which neither the kubelet nor systemd, cron, udev or the loader take commands. */
const HARMLESS = words(`
  /etc/NetworkManager/conf.d/ /etc/NetworkManager/system-connections/ /etc/apt/keyrings/ /etc/apt/sources.list
  /etc/audit/rules.d/ /etc/chrony /etc/default/grub /etc/default/locale /etc/docker/ /etc/environment /etc/hostname /etc/hosts /etc/iscsi/
  /etc/issue /etc/kubernetes/audit /etc/kubernetes/cloud /etc/kubernetes/pki/ /etc/localtime /etc/modprobe.d/
  /etc/modules-load.d/ /etc/motd /etc/multipath /etc/netplan/ /etc/ntp /etc/pki/ /etc/profile.d/ /etc/resolv
  /etc/rsyslog /etc/security/ /etc/ssh/ /etc/ssl/ /etc/sudoers.d/ /etc/sysconfig/chronyd /etc/sysconfig/network
  /etc/sysctl /etc/systemd/journald /etc/systemd/logind /etc/systemd/network/ /etc/systemd/resolved
  /etc/systemd/timesyncd /etc/vconsole.conf /etc/yum.repos.d/ /home/ /mnt/ /opt/ /root/ /srv/ /tmp/ /usr/local/
  /usr/share/ /var/cache/ /var/home/ /var/lib/longhorn /var/local /var/log/ /var/mnt/ /var/opt/ /var/srv/ /var/tmp/`);
/** Files of the runtime, which `jobs/runtime.ts` judges. */
const OF_RUNTIME =
  /^\/etc\/(?:containerd|containers|crio)\/|\/certs\.d\/|^\/etc\/rancher\/(?:k3s|rke2)\/registries\.yaml$/;
const PROGRAM = /\/(?:bash|containerd[^/]*|crio|k3s|kubelet|kubenswrapper|microshift|rke2|runc|sh)$/;
const UNIT = /^\/(?:etc|run|usr\/lib|lib|usr\/local\/lib)\/systemd\/system\//;
/** Units of kubelets and runtimes with their drop-ins and variables, and what packages of kubeadm add. */
const OF_KUBELET =
  /\/systemd\/system\/(?:(?:containerd|crio|k3s|k3s-agent|kubelet|microshift|rke2-agent|rke2-server)\.service(?:\.d\/[^/]+\.conf|\.env)?|service\.d\/[^/]+\.conf)$|^\/etc\/(?:default|sysconfig)\/kubelet$/;
/** Settings of the kubelet's unit that do not change what it runs and sees. Source: systemd.unit(5), systemd.exec(5). */
const SETTING =
  /^(?:\[\w+\]|(?:Accounting|After|Alias|Before|Condition\w+|CPU\w+|Delegate|Description|Documentation|Kill\w+|Limit\w+|Memory\w+|Nice|OOM\w+|RemainAfterExit|Requires|Restart\w*|Slice|Standard(?:Error|Output)|StartLimit\w+|SyslogIdentifier|Tasks\w+|Timeout\w+|Type|WantedBy|Wants)\s*=.*|Exec\w+\s*=.*|KUBELET_\w+=.*|Environment\s*=\s*["']?(?:(?:https?|no)_proxy|\w*KUBELET\w*|DAEMON_ARGS)=.*)$/i;
const STARTS = /^(?:\/usr\/local\/bin\/kubenswrapper\s+)?\/\S*\/kubelet(?:\s|$)/;
const SECOND_NAME = /^#!\/bin\/sh\nexec \/[\w.+-]+ "\$@"\n$/;
const EXECUTABLE = 0o111;
const SHOWN = 80;

/** Why it is not known whether the kubelet runs with what was read; a clause. */
export function nodeDoubt(node: NodeFact, judged: Judged, kubelet: string | undefined): string | undefined {
  const stated = orElse<KubeletFlags | undefined, undefined>(node.flags ?? known(undefined), () => undefined);
  const command = stated ? undefined : kubeletCommand(node);
  const flags = stated ?? command?.flags ?? new Map();
  const unstarted = flagDoubt([...flags.keys()]) ?? gateDoubt(node, kubelet);
  if (unstarted !== undefined) return unstarted;
  const valueOf = (name: string): string | undefined =>
    orElse<string | undefined, undefined>(flags.get(name) ?? known(undefined), () => undefined);
  const [directory, folder] = [valueOf(BIN_FLAG), valueOf(CONFIG_FLAG)];
  const kept: Kept = { files: [...node.files.keys()], directory };
  const place: Place = { ...judged, directory, folder, kept, isWhole: stated !== undefined };
  for (const [path, file] of node.files) {
    const doubt = fileDoubt(path, file, place);
    if (doubt !== undefined) return doubt;
  }
  const modes = new Map([...node.files].map(([path, { mode }]) => [path, mode]));
  const host = KUBELET_FILES.find(({ isRead }) => kept.files.some(isRead));
  return (
    host?.refused?.(modes, directory ?? "") ??
    commandDoubt(node.commands ?? [], kept) ??
    placeDoubt(judged.plugins, kept)
  );
}

function flagDoubt(flags: readonly string[]): string | undefined {
  const unknown = flags.find((flag) => unknownKey("flags", { [flag]: "" }) !== undefined);
  return unknown && `what the kubelet flag --${unknown} does is not known`;
}

function gateDoubt(node: NodeFact, kubelet: string | undefined): string | undefined {
  const gates = nodeGateStatements(node).flatMap((each) => [...each.gates.keys()]);
  const gate = gates.find((each) => !isFeatureGate(each, kubelet));
  return gate === undefined
    ? undefined
    : `${kubelet !== undefined && isFeatureGate(gate) ? `kubelet ${kubelet} does not have` : "no known kubelet has"} the feature gate ${gate}, with which it would not start`;
}

/** A plugin that the document brings, but into another folder than the kubelet's. */
function placeDoubt(plugins: readonly string[], { files, directory }: Kept): string | undefined {
  if (directory === undefined) return undefined;
  const path = files.find((each) => plugins.includes(posix.basename(each)));
  return path === undefined ||
    plugins.every(
      (each) =>
        files.includes(`${directory}/${each}`) || !files.some((file) => posix.basename(file) === each),
    )
    ? undefined
    : `${path} is not in the folder ${directory}, from which the kubelet runs plugins`;
}

function commandDoubt(commands: readonly string[], kept: Kept): string | undefined {
  const command = commands.map((each) => unknownCommand(each, kept)).find((each) => each !== undefined);
  return (
    command && `what the command ${JSON.stringify(command.slice(0, SHOWN))} does to the kubelet is not known`
  );
}

interface Place extends Judged {
  readonly directory: string | undefined;
  readonly folder: string | undefined;
  readonly kept: Kept;
  /** True if the document states the kubelet's flags, so that no unit may. */
  readonly isWhole: boolean;
}

function fileDoubt(path: string, file: NodeFileFact, place: Place): string | undefined {
  const { paths, plugins, checksums, directory, folder, kept } = place;
  const content = orElse(file.content, () => undefined);
  const isAbove = (inner: string): boolean => inner.startsWith(`${path}/`);
  if ([...kept.files, directory ?? "", folder ?? ""].some(isAbove))
    return `${path} may lead to other files than those that were read`;
  if (paths.includes(path) || (folder !== undefined && path.startsWith(`${folder}/`))) return undefined;
  if (directory !== undefined && path.startsWith(`${directory}/`))
    return plugins.some((each) => path === `${directory}/${each}`)
      ? pluginDoubt(path, file, content?.replaceAll(`exec ${directory}/`, "exec /"), checksums)
      : undefined;
  const keyDoubt = (form: string): string | undefined => {
    const key = unknownKey(form, plainOf(firstDocument(file.content).value, ""));
    return key && `what ${key} in ${path} does to the kubelet is not known`;
  };
  const host = KUBELET_FILES.find(({ isRead }) => isRead(path));
  if (host) return keyDoubt(host.id);
  if (file.owner !== undefined && OF_OPERATOR.test(file.owner)) return undefined;
  const what = `what ${path} does to the kubelet is not known`;
  if (OF_KUBELET.test(path))
    return content === undefined || isOddUnit(path, content, place) ? what : undefined;
  if (UNIT.test(path)) return content === undefined || isOddOther(content, place) ? what : undefined;
  if (OF_RUNTIME.test(path)) return undefined;
  if (HARMLESS.some((each) => path.startsWith(each)) && !PROGRAM.test(path)) return undefined;
  return mayHold(file.content, "KubeletConfiguration") ? keyDoubt("KubeletConfiguration") : what;
}

function pluginDoubt(
  path: string,
  { mode = 0, sha256 }: NodeFileFact,
  content: string | undefined,
  checksums: Judged["checksums"],
): string | undefined {
  if ((mode & EXECUTABLE) === 0) return `${path} is not executable`;
  const recorded = checksums.get(posix.basename(path));
  if (sha256 !== undefined && recorded !== undefined && sha256 !== recorded)
    return `${path} is downloaded ${sha256 === "" ? "without the checksum that is" : "with another checksum than is"} recorded for the plugin`;
  return content === undefined || SECOND_NAME.test(content)
    ? undefined
    : `what the plugin ${path} does is not known`;
}

/** True if a unit of the kubelet, or a file with its variables, does more than start it with flags that are read. */
function isOddUnit(path: string, content: string, { isWhole, kept }: Place): boolean {
  const lines = unitLines(content);
  const flags = [...content.matchAll(/--([a-z][\w-]*)/g)].map(([, name = ""]) => name);
  const isRead = !isWhole && path.includes("/systemd/");
  const starts = lines.flatMap((line) => /^ExecStart\s*=\s*(.+)/.exec(line)?.[1] ?? []);
  const others = unitCommands(lines.filter((line) => !/^ExecStart\s*=/.test(line)).join("\n"));
  return (
    !lines.every((line) => SETTING.test(line)) ||
    (isWhole && starts.length > 0) ||
    !starts.every((each) => STARTS.test(each)) ||
    flags.some(
      (flag) => unknownKey("flags", { [flag]: "" }) !== undefined || (!isRead && JUDGED.includes(flag)),
    ) ||
    commandDoubt(others, kept) !== undefined
  );
}

/** True if another unit runs what is not understood, or mounts something over what was read. */
function isOddOther(content: string, { kept }: Place): boolean {
  const lines = unitLines(content);
  const where = lines.flatMap((line) => /^Where\s*=\s*(\S+)/.exec(line)?.[1] ?? []);
  const folders = [...kept.files, kept.directory ?? ""];
  return (
    commandDoubt(unitCommands(content), kept) !== undefined ||
    where.some((each) => folders.some((path) => `${path}/`.startsWith(`${each}/`)))
  );
}
