/*
 * User data for nodes of Amazon Linux 2023 on EKS, a MIME archive: cloud-init reads its own parts, nodeadm those of
 * type application/node.eks.aws.
 *
 * Sources: awslabs/amazon-eks-ami, nodeadm/internal/configprovider/mime.go (parts), nodeadm/internal/api/merge.go
 * (flags of all parts are joined, the last value wins), nodeadm/internal/kubelet/environment.go (they come after
 * nodeadm's own) and templates/al2023/runtime (nodeadm-run starts the kubelet after cloud-final);
 * aws/karpenter-provider-aws, pkg/providers/amifamily/bootstrap/nodeadm.go (its own part goes first) and mime.go (keeps
 * only Content-Type of a part's header, so no part may be encoded).
 */

import { stringify } from "yaml";
import { fail } from "../../errors";
import { LateEncoding, LateText, isLate } from "../../model/late";
import type { NodeSetup } from "../../model/node-file";
import { type Json, at, list, record, text, texts } from "../../model/parsed";
import { parsedYaml } from "../../model/parsed-yaml";
import { type ObjectKind, object, text as TEXT } from "../../model/shape";
import { CLOUD_INIT, CLOUD_INIT_FORM, keepsEarlierLists } from "./cloud-init";
import { type CarriedSetup, type NodeForm, flagsInTurn } from "./form";
import { BIN_FLAG, CONFIG_FLAG, NODEADM_PLACES } from "./host";

const { pluginDirectory: DIRECTORY } = NODEADM_PLACES;
/** nodeadm's own configuration, which it overwrites whenever a node boots. */
const OWN_CONFIG = `${DIRECTORY}/config.json`;

/** A part of user data. */
export interface UserDataPart {
  /** MIME type: `text/x-shellscript`, `text/cloud-config` or `application/node.eks.aws`, with parameters. */
  readonly contentType: string;
  /** The part's text, literal. */
  readonly content: string;
}

export const USER_DATA_PART: ObjectKind<UserDataPart> = object({ contentType: TEXT, content: TEXT });

const BOUNDARY = "//";
const NODE_CONFIG = "application/node.eks.aws";
const CLOUD_CONFIG = "text/cloud-config";
/** EC2's limit before base64; EKS and Karpenter add parts of a few hundred bytes. */
const BYTES_MAX = 16_384;
const YAML = { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

/** The archive; further parts precede its own. */
export function nodeadmUserData(setup: NodeSetup, further: readonly UserDataPart[]): string | LateText {
  const flags = Object.entries(setup.kubeletFlags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([flag, value]) => `--${flag}=${value}`);
  const nodeConfig = {
    apiVersion: "node.eks.aws/v1alpha1",
    kind: "NodeConfig",
    spec: { kubelet: { flags } },
  };
  const files = cloudConfig(setup);
  const pieces = [
    `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${BOUNDARY}"\n\n`,
    ...further.map(checkedPart).map(({ contentType, content }) => part(contentType, content)),
    part(`${CLOUD_CONFIG}; charset="utf-8"`, "#cloud-config\n"),
    ...files,
    part(NODE_CONFIG, `---\n${stringify(nodeConfig, YAML)}`),
    `\n--${BOUNDARY}--\n`,
  ];
  const whole = pieces.every((piece) => typeof piece === "string") ? pieces.join("") : new LateText(pieces);
  if (typeof whole === "string") checkSize(whole);
  return whole;
}

function part(contentType: string, content: string): string {
  return `\n--${BOUNDARY}\nContent-Type: ${contentType}\n\n${content}`;
}

/** Encodes values known only after apply, so that none of them can break the surrounding YAML. */
function cloudConfig({ files, executables = [] }: NodeSetup): readonly (string | LateEncoding)[] {
  const { content } = CLOUD_INIT.document(files, executables);
  const config = record(list(content)[0]);
  const late: LateEncoding[] = [];
  const written = list(config["write_files"]).map((file) => {
    const body = record(file)["content"];
    if (typeof body !== "string" || !isLate(body)) return file;
    late.push(new LateEncoding("base64", body));
    return { ...record(file), encoding: "b64", content: `@late-${late.length - 1}@` };
  });
  const yaml = stringify({ ...config, write_files: written }, YAML);
  return yaml
    .split(/@late-(\d+)@/)
    .map((piece, place) => (place % 2 === 0 ? piece : (late[Number(piece)] ?? piece)));
}

function checkedPart(part: UserDataPart): UserDataPart {
  const { contentType, content } = part;
  const problem = isLate([contentType, content])
    ? "contains a value that Terraform knows only after apply"
    : !/^[a-z]+\/[a-z.+-]+(?:;[^\r\n]*)?$/i.test(contentType)
      ? "has a content type that is not valid"
      : new RegExp(`^--${BOUNDARY}`, "m").test(content)
        ? "contains a line that would end it"
        : undefined;
  return problem === undefined
    ? part
    : fail("node-invalid", {
        problem: `a further part of the user data ${problem}`,
        value: contentType,
        allowed: "text/x-shellscript, text/cloud-config, application/node.eks.aws; a literal text",
        remedy: "correct the part, or bring it to the nodes in another way",
      });
}

function checkSize(whole: string): void {
  const bytes = Buffer.byteLength(whole);
  if (bytes > BYTES_MAX)
    fail("node-limit", {
      problem: "the user data is longer than EC2 allows; the value is its length in bytes",
      value: bytes,
      allowed: `at most ${BYTES_MAX}`,
      remedy:
        "declare fewer registries per cluster, or put the files into the AMI and use new PlainCarrier()",
    });
}

interface ReadPart {
  readonly type: string;
  readonly body: string;
  /** An encoding that cannot be read here, such as `quoted-printable`, or a header that is not known. */
  readonly unread: string | undefined;
}

/** Without this header cloud-init does not recognise an archive (cloudinit/user_data.py, convert_string). */
const IS_MIME = /^mime-version:/im;

/** RFC 2045, section 6.2: encodings that leave the content unchanged. */
const PLAIN: readonly string[] = ["7bit", "8bit", "binary"];

function isHeader(head: string): boolean {
  return head.split("\n").every((line) => /^(?:\s|[\w-]+:|$)/.test(line));
}

/** The parts of an archive; `undefined` for any other text. */
function partsOf(archive: string): readonly ReadPart[] | undefined {
  const [head = "", ...rest] = archive.replaceAll("\r\n", "\n").split("\n\n");
  const boundary = /^content-type:\s*multipart\/[^\r\n]*boundary="?([^"\r\n;]+)"?/im.exec(head)?.[1];
  if (boundary === undefined || !IS_MIME.test(head) || !isHeader(head)) return undefined;
  const [, ...parts] = `\n${rest.join("\n\n")}`.split(`\n--${boundary}`);
  return parts
    .filter((each) => !each.startsWith("--"))
    .map((each) => {
      const [header = "", ...body] = each.replace(/^[ \t]*\n/, "").split("\n\n");
      const type = /^content-type:\s*([^;\s]+)/im.exec(header)?.[1] ?? "text/plain";
      const encoding = /^content-transfer-encoding:\s*(\S+)/im.exec(header)?.[1]?.toLowerCase() ?? "7bit";
      const content = body.join("\n\n");
      return {
        type: type.toLowerCase(),
        body: encoding === "base64" ? Buffer.from(content, "base64").toString() : content,
        unread:
          header.split("\n").find((line) => !/^\s|^$/.test(line) && !HEADERS.test(line)) ??
          (encoding === "base64" || PLAIN.includes(encoding) ? undefined : `encoding ${encoding}`),
      };
    });
}

/** The row of this form: a plain archive, or one in `userData` of Karpenter's EC2NodeClass. */
export const NODEADM_FORM: NodeForm = {
  id: "nodeadm",
  is: (document) => (partsOf(archiveIn(document)) ?? []).some(({ type }) => type === NODE_CONFIG),
  read: ([document]) => {
    const archive = archiveIn(document);
    const parts = partsOf(archive) ?? [];
    const setup = { ...carried(parts), problem: problemOf(archive, parts) };
    const family = isClass(document) ? otherAmiFamily(record(at(document, "spec"))) : undefined;
    return family === undefined
      ? setup
      : {
          ...setup,
          doubt: `what nodes of the AMI family ${family || "of its AMIs"} do with user data is not known`,
        };
  },
};

function archiveIn(document: unknown): string {
  return text(isClass(document) ? at(document, "spec", "userData") : document);
}

function isClass(document: unknown): boolean {
  const isOfKarpenter = text(at(document, "apiVersion")).startsWith("karpenter.k8s.aws/");
  return isOfKarpenter && at(document, "kind") === "EC2NodeClass";
}

const FAMILY = "AL2023";

/** What the spec of an EC2NodeClass names beside Amazon Linux 2023; empty if it names no family. */
export function otherAmiFamily(spec: Json): string | undefined {
  const aliases = list(spec["amiSelectorTerms"]).map((term) =>
    text(at(term, "alias")).split("@")[0]?.toUpperCase(),
  );
  const families = [text(spec["amiFamily"]), ...aliases].filter((family) => family);
  return families.length === 0 ? "" : families.find((family) => family !== FAMILY);
}

/** Go's mime/multipart requires the last boundary; nodeadm/internal/api/bridge/decode.go requires group and kind. */
function problemOf(archive: string, parts: readonly ReadPart[]): string | undefined {
  if (!/\n--[^\n]+--[ \t]*(?:\r?\n|$)/.test(archive))
    return "nodeadm refuses user data without its last boundary";
  if (Buffer.byteLength(archive) > BYTES_MAX) return `EC2 refuses user data of more than ${BYTES_MAX} bytes`;
  const isConfig = ({ body }: ReadPart): boolean => {
    const config = parsed(body);
    return at(config, "kind") === "NodeConfig" && at(config, "apiVersion") === "node.eks.aws/v1alpha1";
  };
  return parts.filter(({ type }) => type === NODE_CONFIG).every(isConfig)
    ? undefined
    : `nodeadm refuses a part of type ${NODE_CONFIG} that is not a NodeConfig`;
}

const SCRIPT = "text/x-shellscript";
/** Other headers may change how cloud-init reads a part. Source: cloudinit/user_data.py and cloudinit/handlers. */
const HEADERS = /^(?:mime-version|content-(?:type|transfer-encoding|disposition|description)):/i;

function carried(parts: readonly ReadPart[]): CarriedSetup {
  const configs = parts.filter(({ type }) => type === CLOUD_CONFIG).map(({ body }) => parsed(body));
  const setups = configs.map((config) => CLOUD_INIT_FORM.read([config]));
  const nodeConfigs = parts.filter(({ type }) => type === NODE_CONFIG).map(({ body }) => parsed(body));
  const kubelets = nodeConfigs.map((config) => record(at(config, "spec", "kubelet")));
  const flags = kubelets.flatMap((kubelet) => texts(kubelet["flags"]));
  const gates = kubelets.map((kubelet) => record(at(kubelet, "config", "featureGates")));
  const containerd = nodeConfigs.map((config) => text(at(config, "spec", "containerd", "config"))).join("\n");
  const files = setups.flatMap((setup) => setup.files.map((file) => ({ ...file, at: [] })));
  return {
    files: [...files, ...(containerd === "" ? [] : [{ ...RUNTIME, content: containerd } as const])],
    flags: { [CONFIG_FLAG]: OWN_CONFIG, [BIN_FLAG]: DIRECTORY, ...flagsOf(flags) },
    configuration: { featureGates: Object.assign({}, ...gates) as object },
    doubt:
      partDoubt(parts, configs) ??
      (files.some(({ path }) => path === OWN_CONFIG)
        ? `nodeadm overwrites ${OWN_CONFIG} when a node boots`
        : undefined),
    commands: [
      ...setups.flatMap((setup) => setup.commands ?? []),
      ...parts.filter(({ type }) => type === SCRIPT).map(({ body }) => body),
    ],
    parts: [
      ...configs.map((config) => ["cloud-init", config] as const),
      ...nodeConfigs.map((config) => ["NodeConfig", config] as const),
    ],
  };
}

const RUNTIME = { path: "/etc/containerd/config.toml", encoding: "plain", at: [] } as const;

function partDoubt(parts: readonly ReadPart[], configs: readonly unknown[]): string | undefined {
  const isRead = ({ type, body }: ReadPart): boolean =>
    (type === CLOUD_CONFIG && !/^\s*(?:## template|#cloud-config-)/i.test(body)) ||
    type === NODE_CONFIG ||
    (type === SCRIPT && /^#!\/bin\/(?:ba)?sh(?: -[eux]+)?\s*$/m.test(body.split("\n")[0] ?? ""));
  const encoded = parts.find(({ unread }) => unread !== undefined);
  if (encoded) return `a part with the ${encoded.unread} cannot be read here`;
  const replaced = ["write_files", "runcmd"].find((key) =>
    configs
      .filter((config) => record(config)[key] !== undefined)
      .some((config, place) => place > 0 && !keepsEarlierLists(config)),
  );
  if (replaced !== undefined)
    return `${replaced} of a later part replaces earlier ones, because its merge_how does not append`;
  const several = parts.find(
    ({ type, body }) => type !== SCRIPT && /^---\s[^]*^---\s/m.test(`---\n${body.replace(/^---\s/, "")}`),
  );
  if (several) return `a part of type ${several.type} has several documents`;
  const other = parts.find((part) => !isRead(part));
  return other && `the effect of a part of type ${other.type} on the files is unknown`;
}

function parsed(body: string): unknown {
  const [document] = parsedYaml(body, { version: "1.1" });
  return document?.errors.length === 0 ? document.toJS({ maxAliasCount: 100 }) : undefined;
}

/** Splits entries at blanks, at which nodeadm joins them: a flag and its value may be two entries. */
function flagsOf(entries: readonly string[]): Readonly<Record<string, unknown>> {
  const words = entries.join(" ").split(/\s+/);
  return flagsInTurn(
    words.flatMap((word, index): readonly (readonly [string, string])[] => {
      const [, flag = "", value = words[index + 1]] = /^--?([^=-][^=]*)(?:=(.*))?$/.exec(word) ?? [];
      return flag === "" ? [] : [[flag, value ?? ""]];
    }),
  );
}
