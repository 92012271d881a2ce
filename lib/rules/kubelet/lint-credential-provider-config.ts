/*
 * What a kubelet accepts in a CredentialProviderConfig although it can never match, or does not mean what it seems to.
 * Patterns are compared with the result of `lookupRepository`: registry and path, without tag and digest.
 */

import { remembered } from "../../model/once";
import { isRecord } from "../../model/record";
import type { ConfigIssue } from "./decode-credential-provider-config";
import { quoted, textOf, textsOf, toBytes } from "./go-text";
import { parseSchemelessUrl } from "./go-url";

/**
 * What a kubelet accepts in a CredentialProviderConfig although it cannot work, or does not mean what it seems to:
 * dead or misleading `matchImages`, repeated entries, an empty name, blanks around an audience, variables without
 * name. Each message says why, and what to write instead. Fields include indices: `providers[0].matchImages[2]`.
 *
 * For documents that {@link validateCredentialProviderConfig} accepts; never throws on any document.
 */
export function lintCredentialProviderConfig(document: unknown): readonly ConfigIssue[] {
  const providers = isRecord(document) ? document["providers"] : undefined;
  if (!Array.isArray(providers)) return [];
  return providers.flatMap((provider, index) =>
    isRecord(provider) ? lintProvider(provider, `providers[${index}]`) : [],
  );
}

function lintProvider(provider: Readonly<Record<string, unknown>>, field: string): readonly ConfigIssue[] {
  const { name, env, tokenAttributes } = provider;
  const images = textsOf(provider["matchImages"]);
  const issues: ConfigIssue[] = [];
  const add = (path: string, message: string): void =>
    void issues.push({ field: `${field}.${path}`, message });
  if (textOf(name) === "")
    add(
      "name",
      "the name is empty, so the kubelet finds no executable and does not start; write the plugin's file name",
    );
  const firsts = new Map<string, number>();
  for (const [index, image] of images.entries()) {
    const first = remembered(firsts, image, () => index);
    const reasons =
      first < index
        ? [`it repeats ${field}.matchImages[${first}] and changes nothing; remove it`]
        : lintMatchImagesStrictly(image);
    for (const reason of reasons) add(`matchImages[${index}]`, reason);
  }
  if (isRecord(tokenAttributes) && /\s/.test(textOf(tokenAttributes["serviceAccountTokenAudience"])))
    add(
      "tokenAttributes.serviceAccountTokenAudience",
      "the audience contains blanks, but RBAC and the cloud compare it exactly; remove the blanks",
    );
  for (const [index, variable] of (Array.isArray(env) ? env : []).entries())
    if (!isRecord(variable) || !/^[^=\0]+$/.test(textOf(variable["name"])))
      add(
        `env[${index}].name`,
        "no variable can have this name, so the plugin never sees it; write a name without `=`",
      );
  return issues;
}

interface Pattern {
  readonly text: string;
  /** The text up to the first slash, with user and port. */
  readonly authority: string;
  /** The text from the first slash on, without query and fragment; may be empty. */
  readonly path: string;
  /** The authority without user and port. */
  readonly host: string;
}

type Lint = readonly [applies: (pattern: Pattern) => boolean, why: (pattern: Pattern) => string];

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;

/** Only the first that applies is reported; each assumes that those before it do not apply. */
const NEVER: readonly Lint[] = [
  [({ text }) => text === "", () => "it is empty and matches no image; write a registry host, or remove it"],
  [
    ({ text }) => SCHEME.test(text),
    ({ text }) =>
      `it starts with a scheme, which is read as the registry; write ${quoted(text.replace(SCHEME, ""))}`,
  ],
  [
    ({ text }) => "error" in parseSchemelessUrl(toBytes(text)),
    () => "it is not a host with optional port and path, so the kubelet refuses the whole file",
  ],
  [
    ({ host }) => host === "index.docker.io",
    ({ path }) =>
      `the kubelet looks up images of index.docker.io as docker.io; write ${quoted(`docker.io${path}`)}`,
  ],
  [
    ({ authority }) => authority.startsWith("[") && !/\]:\d+$/.test(authority),
    () => "brackets without port are read as a character class; an IPv6 registry needs a port: [::1]:5000",
  ],
  [
    ({ authority, host }) => !authority.startsWith("[") && host.split(".").includes(""),
    () => "a part of the host is empty, which no image's registry can have; remove the surplus dot",
  ],
  [
    ({ authority, host }) => /^[a-z0-9_-]+:?$/.test(authority) && host !== "localhost",
    ({ host }) =>
      `a first component without dot and port is read as a path on docker.io, never as a registry; write the ` +
      `registry's full host, or ${quoted(`docker.io/${host}/`)}`,
  ],
  [
    ({ path }) => /[*[\]]/.test(path),
    ({ authority, path }) =>
      `globs work only in the host; in the path they are plain characters, which no image path contains. The path is a prefix: ` +
      `write ${quoted(authority + path.slice(0, path.search(/[*[\]]/)))}`,
  ],
  [
    ({ path }) => /[:@]/.test(path),
    ({ authority, path }) =>
      `images are matched without tag and digest; write ${quoted(authority + path.slice(0, path.search(/[:@]/)))}`,
  ],
  [
    ({ path }) => /[^a-z0-9._/%-]|\/\/|^\/[._-]/.test(path),
    () => "its path has characters that no image path can have; a path consists of a-z, 0-9 and . _ - /",
  ],
];

/** Parts of a pattern that the kubelet ignores, or that do not mean what they seem to. */
const MISLEADING: readonly Lint[] = [
  [
    ({ text }) => text.includes("?"),
    () => "the text after the question mark is ignored; remove it. A question mark is not a glob here",
  ],
  [({ text }) => text.includes("#"), () => "the text after the # is ignored; remove it"],
  [
    ({ authority }) => authority.includes("@"),
    ({ authority, path }) =>
      `the user part is ignored; write ${quoted(authority.slice(authority.lastIndexOf("@") + 1) + path)}`,
  ],
  [
    ({ authority }) => authority.endsWith(":"),
    ({ authority, path }) => `an empty port means no port; write ${quoted(authority.slice(0, -1) + path)}`,
  ],
  [
    ({ host, path }) => host === "docker.io" && /^\/[^/]+$/.test(path) && !"/library/".startsWith(path),
    ({ path }) =>
      `it does not match the official image, which is looked up as docker.io/library${path}. ` +
      `Write this, or ${quoted(`docker.io${path}/`)} for the images of an organization`,
  ],
];

/**
 * Why a `matchImages` entry can never match an image, and what to write instead; empty if it can.
 *
 * Source: the algorithm of {@link imageMatches} applied to every form that {@link lookupRepository} can return.
 */
export function lintMatchImages(entry: string): readonly string[] {
  const pattern = readPattern(entry);
  const warning = NEVER.find(([applies]) => applies(pattern));
  return warning ? [warning[1](pattern)] : [];
}

/** Like {@link lintMatchImages}, but also reports an entry that matches something other than it seems to. */
export function lintMatchImagesStrictly(entry: string): readonly string[] {
  const dead = lintMatchImages(entry);
  const pattern = readPattern(entry);
  return dead.length > 0
    ? dead
    : MISLEADING.filter(([applies]) => applies(pattern)).map(([, why]) => why(pattern));
}

function readPattern(text: string): Pattern {
  const location = text.split(/[?#]/, 1)[0] ?? "";
  const slash = location.indexOf("/");
  const authority = slash < 0 ? location : location.slice(0, slash);
  const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
  return { text, authority, path: slash < 0 ? "" : location.slice(slash), host };
}
