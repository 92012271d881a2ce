/*
 * Whom identities admit: compared for every possible service account, not text by text.
 */

import { grouped } from "../../model/grouped";
import { type Known, known, orElse, shown } from "../../model/known";
import { SERVICE_ACCOUNT_PREFIX, serviceAccountText } from "../../model/namespaced-name";
import { AskedNames } from "../../rules/asked-names";
import { SERVICE_ACCOUNTS } from "../../rules/name-grammar";
import { matchesPattern, patternOf, hasWildcard } from "../../rules/wildcard";
import { type Answer, worstOf } from "../answer";
import type { DeclaredIdentity, ShownClaims, TrustTerms } from "../cloud";
import type { Verdict } from "../result";
import { type Change, type ChangeKind, type ComparedState, placed } from "./change";
import { AS_WRITTEN, type Canonical } from "./moves";
import type { Whole } from "./sides";
import { step } from "../progress";

/** The differences of all identities; one that only one side declares is new or gone with everyone that it admits. */
export function* trustChanges(before: Whole, after: Whole): Generator<Change> {
  const [olds, news] = [before, after].map(identitiesOf);
  const issuers = [...new Set([before, after].flatMap(issuersOf))];
  const { canonical } = after;
  for (const key of new Set([...(olds?.keys() ?? []), ...(news?.keys() ?? [])])) {
    step("identities compared");
    const [old = [], made = []] = [olds?.get(key), news?.get(key)];
    for (let place = 0; place < Math.max(old.length, made.length); place++)
      yield* identityChanges(old[place], made[place], issuers, canonical);
  }
}

/** By what tells identities apart: an ARN if it is known, or else address and name. */
function identitiesOf({ inside, canonical }: Whole): ReadonlyMap<string, readonly DeclaredIdentity[]> {
  const all = inside.clouds.flatMap(({ cloud, identities }) =>
    identities.map((each) => [cloud, each] as const),
  );
  const groups = grouped(all, ([cloud, { names, address }]) => {
    const arn = names.find((name) => name.startsWith("arn:"));
    return `${cloud} ${arn ?? canonical([address, ...names].join(" "))}`;
  });
  return new Map([...groups].map(([key, group]) => [key, group.map(([, each]) => each)]));
}

function issuersOf({ inside }: Whole): readonly string[] {
  return inside.facts.clusters.flatMap(({ issuer }) => orElse(issuer, () => []));
}

function literals(texts: readonly Known<string>[]): readonly string[] {
  return texts.flatMap((text) => orElse(text, () => []));
}

interface Asked {
  readonly issuer: Known<string>;
  readonly audience: string;
}

function* identityChanges(
  old: DeclaredIdentity | undefined,
  made: DeclaredIdentity | undefined,
  clusterIssuers: readonly string[],
  canonical: Canonical,
): Generator<Change> {
  const [before, after] = [old?.terms, made?.terms];
  const both = [before, after].flatMap((terms) => terms ?? []);
  const issuers = new Set([...clusterIssuers, ...both.flatMap(({ issuers }) => literals(issuers))]);
  const audiences = new Set(both.flatMap((each) => literals(each.audiences)));
  const tokens = [...issuers].flatMap((issuer) =>
    [...audiences].map((audience) => ({ issuer: known(issuer), audience })),
  );
  const isSame = before && after && textOf(before) === textOf(after, canonical);
  const isOpen = both.some(({ beyond }) => beyond.length > 0);
  const [was, is] = [textsOf(before?.maps), textsOf(after?.maps, canonical)];
  const [gone, added] = [without(was, is), without(is, was)];
  if (old && made && gone + added !== "")
    yield whole(
      old,
      made,
      "incomparable",
      `it turns tokens into other principals: before ${gone}; now ${added}`,
    );
  if (tokens.length === 0 || isOpen) {
    const why = isOpen
      ? "expressions or denials decide whom it admits"
      : "issuer or audience are known only after apply";
    if (!isSame)
      yield whole(old, made, "incomparable", `${why}: before ${textOf(before)}; now ${textOf(after)}`);
    if (tokens.length === 0) return;
  }
  const subjects = new Set(both.flatMap((each) => literals(each.subjects)));
  const seen = new Set<string>();
  for (const each of tokens)
    for (const change of subjectChanges(old, made, each, subjects, canonical) ?? [cut(old, made)]) {
      // One subject for several audiences is one line.
      const key = JSON.stringify([change.kind, change.subject, change.before, change.after]);
      if (!seen.has(key)) yield change;
      seen.add(key);
    }
}

function without(all: readonly string[], others: readonly string[]): string {
  return all.filter((each) => !others.includes(each)).join(", ");
}

function textsOf(all: readonly Known<string>[] = [], canonical = AS_WRITTEN): readonly string[] {
  return [...new Set(all.map((each) => canonical(shown(each))))].sort();
}

function textOf(terms: TrustTerms | undefined, canonical = AS_WRITTEN): string {
  if (!terms) return "nothing";
  const { issuers, audiences, subjects, beyond } = terms;
  const texts = [issuers, audiences, subjects].map((each) => textsOf(each, canonical).join(", "));
  return [...texts, canonical(beyond.map(shown).join(", "))].filter(Boolean).join("; ");
}

function cut(old: DeclaredIdentity | undefined, made: DeclaredIdentity | undefined): Change {
  return whole(old, made, "incomparable", "its patterns divide subjects into more sets than can be compared");
}

/** The subjects that a trust names, and one of each set of others that its patterns do not tell apart. */
function* exampleSubjects(texts: ReadonlySet<string>): Generator<readonly [subject: string, label: string]> {
  const relevant = [...texts].filter((text) => text.startsWith(SERVICE_ACCOUNT_PREFIX) || hasWildcard(text));
  const single = relevant.filter((text) => !hasWildcard(text));
  for (const subject of single) yield [subject, named(subject)];
  const sets = relevant.filter(hasWildcard);
  const names = classesOf(sets, []) ?? [];
  const taken = names.map((name) => SERVICE_ACCOUNT_PREFIX + name).filter((name) => single.includes(name));
  for (const name of taken.length > 0 ? (classesOf(sets, taken) ?? []) : names) {
    if (single.includes(SERVICE_ACCOUNT_PREFIX + name)) continue;
    const covering = sets.filter((text) => matchesPattern(text, SERVICE_ACCOUNT_PREFIX + name) === true);
    const [longest] = covering.sort((one, other) => other.length - one.length);
    yield [
      SERVICE_ACCOUNT_PREFIX + name,
      longest === undefined ? "any other service account" : named(longest),
    ];
  }
}

/** As everywhere else: `namespace/name`. */
function named(subject: string): string {
  return serviceAccountText(subject);
}

/** One of each set of service accounts that the patterns do not tell apart; remembered, since most trusts have none. */
function classesOf(texts: readonly string[], others: readonly string[]): readonly string[] | undefined {
  const key = JSON.stringify([texts, others]);
  if (CLASSES.has(key)) return CLASSES.get(key);
  if (CLASSES.size >= CLASSES_MAX) CLASSES.clear();
  const [patterns, more] = [texts.map(patternOf), others.map(patternOf)];
  const classes = AskedNames.ofGrammar(patternOf("*"), SERVICE_ACCOUNTS).each((name) => {
    for (const pattern of [...patterns, ...more]) name.matches(pattern, SERVICE_ACCOUNT_PREFIX);
  });
  const examples = classes?.map(({ example }) => example);
  CLASSES.set(key, examples);
  return examples;
}

const CLASSES = new Map<string, readonly string[] | undefined>();
const CLASSES_MAX = 1000;

function subjectChanges(
  old: DeclaredIdentity | undefined,
  made: DeclaredIdentity | undefined,
  asked: Asked,
  texts: ReadonlySet<string>,
  canonical: Canonical,
): readonly Change[] | undefined {
  const sets = [...texts].filter(hasWildcard);
  if (classesOf(sets, []) === undefined) return undefined;
  const rows = [...exampleSubjects(texts)].map(([subject, label]) => ({
    subject,
    label,
    before: judged(old, { ...asked, subject }),
    after: judged(made, { ...asked, subject }, canonical),
  }));
  const had = rows.some(({ before }) => before.verdict === "allowed");
  const has = rows.some(({ after }) => after.verdict === "allowed");
  return rows.flatMap((row) => {
    const kind = kindOf(row.before, row.after, had, has);
    const change = kind ? admittedChange(old, made, row, kind) : audienceChange(old, made, asked, row);
    return change ?? [];
  });
}

/** What both sides say about one subject, or about all that are alike. */
interface SubjectRow {
  readonly subject: string;
  readonly label: string;
  readonly before: Judged;
  readonly after: Judged;
}

function exampleOf({ subject, label }: SubjectRow): Pick<Change, "example"> {
  return label === named(subject) ? {} : { example: named(subject) };
}

function admittedChange(
  old: DeclaredIdentity | undefined,
  made: DeclaredIdentity | undefined,
  row: SubjectRow,
  kind: ChangeKind,
): Change {
  const { label, before, after } = row;
  return {
    ...whole(old, made, kind, kind === "incomparable" ? `${before.why}; now ${after.why}` : ""),
    subject: label,
    ...exampleOf(row),
    before: old ? state(before) : null,
    after: made ? state(after) : null,
    removed: deciding(before, after),
    added: deciding(after, before),
  };
}

/** What both sides rest on decides between them; what only the side that admits rests on is not what differs. */
function deciding({ answer: { evidence } }: Judged, other: Judged): Change["added"] {
  const paths = other.answer.evidence.map(({ source }) => source?.path);
  const shared = evidence.filter(({ source }) => source && paths.includes(source.path));
  return placed(shared.length > 0 ? shared : evidence);
}

/** A subject that both sides admit, one of them with tokens for any audience. */
function audienceChange(
  old: DeclaredIdentity | undefined,
  made: DeclaredIdentity | undefined,
  asked: Asked,
  row: SubjectRow,
): Change | undefined {
  const { subject, label, before, after } = row;
  if (before.verdict !== "allowed") return undefined;
  const [was, is] = [old, made].map((each) => each?.admitsAnyAudience?.({ ...asked, subject }) === true);
  if (was === is) return undefined;
  return {
    ...whole(old, made, is ? "widened" : "narrowed", ""),
    subject: `${label} with a token for any audience`,
    ...exampleOf(row),
    before: state(before),
    after: state(after),
  };
}

interface Judged extends ComparedState {
  readonly why: string;
  readonly answer: Pick<Answer, "evidence">;
}

const VERDICTS: Readonly<Record<Answer["status"], Verdict>> = {
  pass: "allowed",
  fail: "denied",
  unknown: "unknown",
  skipped: "unknown",
};

function judged(identity: DeclaredIdentity | undefined, claims: ShownClaims, canonical = AS_WRITTEN): Judged {
  if (!identity) return { verdict: "denied", as: null, why: "", answer: { evidence: [] } };
  const { issuer, audience, subject } = identity.trust(claims);
  const answer = worstOf(issuer, audience, subject);
  return { verdict: VERDICTS[answer.status], as: identity.address, why: canonical(answer.reason), answer };
}

function state({ verdict, as }: Judged): ComparedState {
  return { verdict, as };
}

function kindOf(before: Judged, after: Judged, had: boolean, has: boolean): ChangeKind | undefined {
  if (before.verdict === after.verdict)
    return before.verdict === "unknown" && before.why !== after.why ? "incomparable" : undefined;
  if (before.verdict === "unknown" || after.verdict === "unknown") return "verdict";
  if (after.verdict === "allowed") return had ? "widened" : "added";
  return has ? "narrowed" : "removed";
}

/** A change of the identity, whomever it is about. */
function whole(
  old: DeclaredIdentity | undefined,
  made: DeclaredIdentity | undefined,
  kind: ChangeKind,
  reason: string,
): Change {
  const { names = [], address = "" } = made ?? old ?? {};
  const at = (identity: DeclaredIdentity | undefined): Change["added"] =>
    identity ? placed([{ text: identity.address, source: identity.source }]) : [];
  return {
    kind,
    job: "trust",
    about: "trust",
    stack: "",
    subject: "",
    target: names[1] ?? address,
    before: null,
    after: null,
    reason,
    removed: at(old),
    added: at(made),
  };
}
