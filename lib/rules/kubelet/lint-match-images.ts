/*
 * Patterns that the kubelet accepts and that can never match, or match less than they seem to. The kubelet compares
 * with what `lookupRepository` gives: registry and path of an image, without tag and digest, in the spelling of
 * distribution/reference.
 */

import { quoted, toBytes } from "./go-text";
import { parseSchemelessUrl } from "./go-url";

interface Pattern {
  readonly text: string;
  /** Up to the first slash; with user and port. */
  readonly authority: string;
  /** From the first slash on, without query and fragment; may be empty. */
  readonly path: string;
}

type Lint = readonly [applies: (pattern: Pattern) => boolean, why: (pattern: Pattern) => string];

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;

const FORM: readonly Lint[] = [
  [({ text }) => text === "", () => "it is empty and matches no image; write a registry host, or remove it"],
  [
    ({ text }) => SCHEME.test(text),
    ({ text }) =>
      `it starts with a scheme, which is read as the registry; write ${quoted(text.replace(SCHEME, ""))}`,
  ],
  [
    ({ text }) => "error" in parseSchemelessUrl(toBytes(text)),
    () => "it is not a host with optional port and path, and the kubelet refuses the whole file",
  ],
];

/** The first of these is enough; each presumes that the form is right. */
const NEVER: readonly Lint[] = [
  [
    ({ authority }) => hostOf(authority) === "index.docker.io",
    ({ path }) =>
      `the kubelet looks images of index.docker.io up as docker.io; write ${quoted(`docker.io${path}`)}`,
  ],
  [
    ({ authority }) => authority.startsWith("[") && !/\]:\d+$/.test(authority),
    () => "brackets without port are read as a character class; an IPv6 registry needs a port: [::1]:5000",
  ],
  [
    ({ authority }) => !authority.startsWith("[") && hostOf(authority).split(".").includes(""),
    () => "a part of the host is empty, and no image has such a registry; remove the surplus dot",
  ],
  [
    ({ authority }) => /^[a-z0-9_-]+:?$/.test(authority) && hostOf(authority) !== "localhost",
    ({ authority }) =>
      `a first component without dot and port is read as a path on docker.io, never as a registry; write the ` +
      `registry's full host, or ${quoted(`docker.io/${hostOf(authority)}/`)}`,
  ],
  [
    ({ path }) => /[*[\]]/.test(path),
    ({ authority, path }) =>
      `globs count only in the host; in the path they are plain characters that no image has. The path is a prefix: ` +
      `write ${quoted(authority + path.slice(0, path.search(/[*[\]]/)))}`,
  ],
  [
    ({ path }) => /[:@]/.test(path),
    ({ authority, path }) =>
      `images are matched without tag and digest; write ${quoted(authority + path.slice(0, path.search(/[:@]/)))}`,
  ],
  [
    ({ path }) => /[^a-z0-9._/%-]|\/\/|^\/[._-]/.test(path),
    () => "its path has characters that no image path has: those are a-z, 0-9 and . _ - / in lower case",
  ],
];

/** What the kubelet ignores, or what means something else than it seems to. */
const MISLEADING: readonly Lint[] = [
  [
    ({ text }) => text.includes("?"),
    () => "what follows the question mark is ignored; remove it. A question mark is no glob here",
  ],
  [({ text }) => text.includes("#"), () => "what follows the # is ignored; remove it"],
  [
    ({ authority }) => authority.includes("@"),
    ({ authority, path }) =>
      `the user part is ignored; write ${quoted(authority.slice(authority.lastIndexOf("@") + 1) + path)}`,
  ],
  [
    ({ authority }) => authority.endsWith(":"),
    ({ authority, path }) => `the empty port counts as none; write ${quoted(authority.slice(0, -1) + path)}`,
  ],
  [
    ({ authority, path }) =>
      hostOf(authority) === "docker.io" && /^\/[^/]+$/.test(path) && !"/library/".startsWith(path),
    ({ path }) =>
      `it does not match the official image: that is looked up as docker.io/library${path}. ` +
      `Write that, or ${quoted(`docker.io${path}/`)} for the images of an organization`,
  ],
];

/**
 * Why a `matchImages` entry can never match an image, and what to write instead; empty for one that can.
 *
 * Source: the algorithm of {@link imageMatches} applied to every form that {@link lookupRepository} can give.
 */
export function lintMatchImages(pattern: string): readonly string[] {
  const read = readPattern(pattern);
  const form = firstOf(FORM, read);
  return form.length > 0 ? form : firstOf(NEVER, read);
}

/** As {@link lintMatchImages}, and also for an entry that matches, but not what it seems to say. */
export function lintMatchImagesStrictly(pattern: string): readonly string[] {
  const dead = lintMatchImages(pattern);
  const read = readPattern(pattern);
  return dead.length > 0 ? dead : MISLEADING.filter(([applies]) => applies(read)).map(([, why]) => why(read));
}

function firstOf(lints: readonly Lint[], pattern: Pattern): readonly string[] {
  const found = lints.find(([applies]) => applies(pattern));
  return found ? [found[1](pattern)] : [];
}

function readPattern(text: string): Pattern {
  const location = text.split(/[?#]/, 1)[0] ?? "";
  const slash = location.indexOf("/");
  return {
    text,
    authority: slash < 0 ? location : location.slice(0, slash),
    path: slash < 0 ? "" : location.slice(slash),
  };
}

/** Without user and port. */
function hostOf(authority: string): string {
  return authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
}
