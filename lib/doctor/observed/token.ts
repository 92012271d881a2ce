/*
 * What was seen of a token's claims, of the cluster's keys and its discovery document, from inside and from outside,
 * and of clocks.
 *
 * Sources: RFC 7517 and 7519; kubernetes/kubernetes, pkg/serviceaccount/jwt.go; OpenID Connect Discovery 1.0, §4.3:
 * the issuer in the document must be exactly the one in the token.
 */

import { basename } from "node:path";
import { fail } from "../../errors";
import type { ExplainResult } from "../../explain";
import { type Json, at, parsedJson, record, text } from "../../model/parsed";
import { type Bundle, type BundleFile, atLine, filesOf, inFile, jsonIn } from "../bundle";
import { type Note, type Observation, type Seen, stateBroken } from "./observation";

interface Claims {
  readonly file: BundleFile;
  readonly header: Json;
  readonly payload: Json;
  /** When they were collected, in seconds; `undefined` if that is not in the file. */
  readonly now: number | undefined;
}

function claimsIn(file: BundleFile): Claims | undefined {
  const lines = file.text.trim().split(/\r?\n/);
  const objects = lines.map((line) => record(parsedJson(line)));
  const payload = objects.find((each) => "iss" in each);
  const now = Number(lines[0]);
  if (payload === undefined) return undefined;
  return {
    file,
    header: objects.find((each) => "alg" in each) ?? {},
    payload,
    now: Number.isInteger(now) ? now : undefined,
  };
}

interface KeySet {
  readonly file: BundleFile;
  /** Moduli or curve points by key id; `undefined` if the file is no key set. */
  readonly keys: ReadonlyMap<string, string> | undefined;
}

function keySetOf(file: BundleFile): KeySet {
  const keys = at(jsonIn(file), "keys");
  if (!Array.isArray(keys)) return { file, keys: undefined };
  const rows = keys.map((key) => [text(at(key, "kid")), text(at(key, "n")) || text(at(key, "x"))] as const);
  return { file, keys: new Map(rows) };
}

const PUBLISH =
  "publish the discovery document and the key set of the API server where clouds read them, each key before it signs";

/** A pool that got the keys itself, or an issuer whose keys are not read from the internet. */
const UPLOADED = /"jwks_?json"\s*:\s*"[^"]/i;

/** What clouds see of the issuer, against what the API server has; about every chain, since all need it. */
export function keysSeen(bundle: Bundle): Seen {
  const times = [...clockNotes(bundle), ...tokenNotes(bundle)];
  const uploaded = filesOf(bundle, "explain").find((file) => UPLOADED.test(file.text));
  if (uploaded) {
    const notCompared = note(
      "keys were uploaded to the cloud, so those that are published were not compared with the API server's",
      "compare the key ids of jwks-inside.json with the uploaded ones",
      inFile(uploaded, "jwksJson"),
    );
    return { observations: [], notes: [notCompared, ...times] };
  }
  const observations = [...discoveryOutside(bundle), ...keysOutside(bundle)];
  return { observations, notes: [...movedKeys(bundle), ...times] };
}

function note(reason: string, fix: string, ...evidence: Note["evidence"]): Note {
  return { reason, fix, evidence };
}

function everyChain({ checks }: ExplainResult): boolean {
  return checks.some(({ id }) => id === "issuer-trusted");
}

function unpublished(reason: string, ...evidence: Note["evidence"]): Observation {
  return stateBroken("issuer-trusted", everyChain, { reason, fix: PUBLISH, evidence });
}

/** The issuers that clusters print: one, unless the bundle is of several. */
function printed(bundle: Bundle): readonly string[] {
  const documents = filesOf(bundle, "explain").map((file) => parsedJson(file.text));
  return documents.flatMap((each) =>
    at(each, "jwks_uri") === undefined ? [] : text(at(each, "issuer")) || [],
  );
}

function discoveryOutside(bundle: Bundle): readonly Observation[] {
  return filesOf(bundle, "discovery").flatMap((file) => {
    const issuer = text(at(jsonIn(file), "issuer"));
    const [inside = ""] = printed(bundle);
    if (issuer === "")
      return unpublished(
        "what is served as the issuer's discovery document is none, so clouds cannot find the keys",
        inFile(file, `begins with ${beginning(file.text)}`),
      );
    if (inside === "" || issuer === inside) return [];
    return unpublished(
      `the published discovery document has the issuer ${issuer}, but the cluster's tokens have ${inside}`,
      inFile(file, `issuer ${issuer}`),
    );
  });
}

const SHOWN = 40;

function beginning(all: string): string {
  return JSON.stringify(all.trim().slice(0, SHOWN));
}

const OUTSIDE_KEYS = "jwks-outside.json";

function isOutside({ file: { path } }: KeySet): boolean {
  return basename(path) === OUTSIDE_KEYS;
}

function keysOutside(bundle: Bundle): readonly Observation[] {
  const sets = filesOf(bundle, "keys").map(keySetOf);
  const inside = sets.find((set) => !isOutside(set))?.keys;
  const signing = filesOf(bundle, "claims").flatMap((file) => {
    const kid = text(at(claimsIn(file)?.header, "kid"));
    return kid === "" ? [] : [kid];
  });
  return sets.filter(isOutside).flatMap(({ file, keys }) => {
    if (keys === undefined)
      return unpublished(
        "what is served as the issuer's key set is none, so clouds cannot verify tokens",
        inFile(file, `begins with ${beginning(file.text)}`),
      );
    const missing = signing.filter((kid) => !keys.has(kid));
    const differing = [...keys].filter(([kid, key]) => inside?.has(kid) === true && inside.get(kid) !== key);
    return [
      ...missing.map((kid) =>
        unpublished(
          `the token was signed with the key ${kid}, which is not among the published keys (${[...keys.keys()].join(", ") || "none"})`,
          inFile(file, "published keys"),
        ),
      ),
      ...differing.map(([kid]) =>
        unpublished(
          `the published key ${kid} is not the key of that id with which the API server signs`,
          inFile(file, `key ${kid}`),
        ),
      ),
    ];
  });
}

/** Keys of the API server that are not published, without a token that shows which of them signs. */
function movedKeys(bundle: Bundle): readonly Note[] {
  const sets = filesOf(bundle, "keys").map(keySetOf);
  const [outside, inside] = [sets.find(isOutside), sets.find((set) => !isOutside(set))];
  if (!outside?.keys || !inside?.keys || filesOf(bundle, "claims").length > 0) return [];
  const missing = [...inside.keys.keys()].filter((kid) => outside.keys?.has(kid) === false);
  return missing.map((kid) =>
    note(
      `the key ${kid} of the API server is not among the published keys; tokens that it signs are refused everywhere`,
      PUBLISH,
      inFile(outside.file, "published keys"),
    ),
  );
}

/** Refuses a bundle of two clusters, by their discovery documents and tokens: no cause in it would be certain. */
export function assertOneCluster(bundle: Bundle): void {
  const tokens = filesOf(bundle, "claims");
  const issued = tokens.flatMap((file) => text(claimsIn(file)?.payload["iss"]) || []);
  const [first = "", ...others] = new Set([...printed(bundle), ...issued]);
  if (others.length > 0)
    fail("explain-mismatch", {
      problem: `discovery documents and tokens of the bundle have the issuers ${[first, ...others].join(", ")}`,
      allowed: "files of one cluster, collected at the same time",
      remedy: "collect all of them again; the issuer of the API server may have changed in between",
    });
}

function lineOf({ text: all }: BundleFile, word: string): number {
  return all.split(/\r?\n/).findIndex((line) => line.includes(word)) + 1;
}

/** Clouds allow some minutes; Entra ID five. */
const SKEW_MAX = 300;

function tokenNotes(bundle: Bundle): readonly Note[] {
  return filesOf(bundle, "claims").flatMap((file) => {
    const claims = claimsIn(file);
    if (claims === undefined) {
      const fix = "set ACCOUNT, NAMESPACE and AUDIENCE, and collect it again";
      return note("the file has no claims of a token", fix, inFile(file, beginning(file.text)));
    }
    const { payload, now } = claims;
    const [issued, expires] = [Number(payload["iat"]), Number(payload["exp"])];
    if (now === undefined) return [];
    const where = atLine(file, lineOf(file, '"iss"'), `iat ${issued}, exp ${expires}, collected at ${now}`);
    const again = "let the program read the token's file again for every call; the kubelet renews the file";
    if (expires <= now)
      return note(`the token had expired ${now - expires} seconds before it was collected`, again, where);
    if (!(Math.abs(now - issued) > SKEW_MAX)) return [];
    return note(
      `the clock where the token was collected and that of the API server differ by ${Math.abs(now - issued)} seconds, unless the token is older`,
      "synchronize both clocks; clouds refuse tokens from the future, and those that have expired",
      where,
    );
  });
}

/** The node's clock beside that of the server which the issuer's documents come from (RFC 9110, `Date`). */
function clockNotes(bundle: Bundle): readonly Note[] {
  return filesOf(bundle, "clock").flatMap((file) => {
    const now = Number(/^\d{9,}$/m.exec(file.text)?.[0]);
    const [header = "", date = ""] = /^date:\s*(.+?)\s*$/im.exec(file.text) ?? [];
    const difference = Math.round(Math.abs(now - Date.parse(date) / 1000));
    const unsynchronized = lineOf(file, "NTPSynchronized=no");
    if (!(difference > SKEW_MAX) && unsynchronized === 0) return [];
    const [reason, line] =
      difference > SKEW_MAX
        ? [
            `the node's clock and that of the issuer's server differ by ${difference} seconds`,
            lineOf(file, header),
          ]
        : ["the node's clock is not synchronized", unsynchronized];
    return note(
      `${reason}; clouds refuse tokens from the future, and those that have expired`,
      "start the node's time service, and check that it reaches its servers",
      atLine(file, line, file.text.split(/\r?\n/)[line - 1] ?? ""),
    );
  });
}
