/*
 * Whom identities admit: compared for every possible service account, not text by text.
 */

import { grouped } from "../../model/grouped";
import { type Known, isKnown, known, orElse, shown } from "../../model/known";
import { SERVICE_ACCOUNT_PREFIX, serviceAccountText } from "../../model/namespaced-name";
import { AskedNames } from "../../rules/asked-names";
import { ANY_TEXT, type Grammar, SERVICE_ACCOUNTS } from "../../rules/name-grammar";
import { matchesPattern, patternOf, hasWildcard } from "../../rules/wildcard";
import { type Answer, worstOf } from "../answer";
import type { DeclaredIdentity, ShownClaims, TrustTerms } from "../cloud";
import type { Verdict } from "../result";
import { type Change, type ChangeKind, type ComparedState, UNSAID, placed } from "./change";
import { AS_WRITTEN, type Canonical } from "./moves";
import { type Whole, noteCompared } from "./sides";
import { step } from "../progress";

/** An identity as each side declares it, at least one of them. */
interface Pair {
  readonly oldIdentity: DeclaredIdentity | undefined;
  readonly newIdentity: DeclaredIdentity | undefined;
  readonly canonical: Canonical;
  /** The issuers that are trusted on the old side, or are those of its clusters. */
  readonly issuersBefore: ReadonlySet<string>;
}

/** The differences of all identities; one that only one side declares is new or gone with everyone that it admits. */
export function* trustChanges(before: Whole, after: Whole): Generator<Change> {
  const [olds, news] = [before, after].map(identitiesOf);
  const ofClusters = [before, after].map(issuersOf);
  const issuers = [...new Set(ofClusters.flat())];
  const trusted = before.inside.clouds.flatMap(({ identities }) =>
    identities.flatMap(({ terms }) => terms.issuers.map(shown)),
  );
  const issuersBefore = new Set([...(ofClusters[0] ?? []), ...trusted]);
  const { canonical } = after;
  for (const key of new Set([...(olds?.keys() ?? []), ...(news?.keys() ?? [])])) {
    step("identities compared");
    noteCompared(after, "trust");
    const [were = [], are = []] = [olds?.get(key), news?.get(key)];
    if (isSame(before, were) && isSame(after, are)) continue;
    for (let place = 0; place < Math.max(were.length, are.length); place++) {
      const sides = { oldIdentity: were[place], newIdentity: are[place] };
      yield* identityChanges({ ...sides, canonical, issuersBefore }, issuers);
    }
  }
}

/** True for an identity that no difference touches. */
function isSame({ isTouched }: Whole, [identity, ...others]: readonly DeclaredIdentity[]): boolean {
  return identity !== undefined && others.length === 0 && !isTouched(identity.source);
}

/** By what tells identities apart. */
function identitiesOf({ inside, canonical }: Whole): ReadonlyMap<string, readonly DeclaredIdentity[]> {
  const all = inside.clouds.flatMap(({ cloud, identities }) =>
    identities.map((each) => [cloud, each] as const),
  );
  const groups = grouped(all, ([cloud, { id }]) => `${cloud} ${canonical(id)}`);
  return new Map([...groups].map(([key, group]) => [key, group.map(([, each]) => each)]));
}

function issuersOf({ inside }: Whole): readonly string[] {
  return inside.facts.clusters.flatMap(({ issuer }) => orElse(issuer, () => []));
}

/** A token as each side writes its issuer: references of two documents are two values. */
interface WrittenToken {
  readonly issuer: string;
  readonly written: readonly [old: Known<string>, new: Known<string>];
  readonly audience: string;
  /** True for an issuer whose tokens are those of a cluster's service accounts. */
  readonly isOfCluster: boolean;
}

/** Stands for every audience where a trust names none. */
const ANY_AUDIENCE = "urn:any-audience";

function* identityChanges(pair: Pair, clusterIssuers: readonly string[]): Generator<Change> {
  const [before, after] = [pair.oldIdentity?.terms, pair.newIdentity?.terms];
  const both = [before, after].flatMap((terms) => terms ?? []);
  const [oldIssuers, newIssuers] = [writtenBy(before), writtenBy(after, pair.canonical)];
  const named = [...oldIssuers.keys(), ...newIssuers.keys()];
  const issuers = new Set([
    ...(mayTrust(both) ? clusterIssuers : namedAlone(clusterIssuers, named)),
    ...named,
  ]);
  // An issuer that only apply tells, and that one of two sides does not name, may be any of the other's.
  const open = [...oldIssuers, ...newIssuers].flatMap(([issuer, written]) =>
    before && after && oldIssuers.has(issuer) !== newIssuers.has(issuer) && !isKnown(written) ? [issuer] : [],
  );
  yield* openChanges(pair, open.length > 0);
  const literal = (claim: "audiences" | "subjects"): ReadonlySet<string> =>
    new Set(both.flatMap((terms) => terms[claim].flatMap((text) => orElse(text, () => []))));
  const [audiences, subjects] = [literal("audiences"), literal("subjects")];
  const seen = new Set<string>();
  for (const issuer of issuers) {
    if (open.includes(issuer)) continue;
    const newIssuer = newIssuers.get(issuer);
    const one = oldIssuers.get(issuer) ?? newIssuer ?? known(issuer);
    const token = {
      issuer,
      written: [one, newIssuer ?? one],
      isOfCluster: clusterIssuers.includes(issuer),
    } as const;
    for (const audience of audiences.size > 0 ? audiences : [ANY_AUDIENCE])
      for (const change of subjectChanges(pair, { ...token, audience }, subjects)) {
        // One subject for several audiences is one line.
        const key = JSON.stringify([issuer, change.kind, change.subject, change.before, change.after]);
        if (!seen.has(key)) yield change;
        seen.add(key);
      }
  }
}

/** Whether terms may admit tokens of an issuer that they do not name. */
function mayTrust(both: readonly TrustTerms[]): boolean {
  return both.some(({ issuers, beyond }) => beyond.length > 0 || !issuers.every(isKnown));
}

/** Clouds may read other spellings of an issuer as the same. */
function namedAlone(issuers: readonly string[], named: readonly string[]): readonly string[] {
  const spelled = (issuer: string): string => issuer.toLowerCase().replace(/\/+$/, "");
  const all = new Set(named.map(spelled));
  return issuers.filter((issuer) => all.has(spelled(issuer)));
}

/** Differences of what is not compared subject by subject. */
function* openChanges(pair: Pair, hasOpenIssuer: boolean): Generator<Change> {
  const { oldIdentity, newIdentity, canonical } = pair;
  const both = [oldIdentity, newIdentity].flatMap((each) => each?.terms ?? []);
  const [was, is] = [textsOf(oldIdentity?.terms.maps), textsOf(newIdentity?.terms.maps, canonical)];
  const [gone, added] = [without(was, is), without(is, was)];
  const whose = textsOf(newIdentity?.terms.issuers, canonical).join(", ");
  if (oldIdentity && newIdentity && gone + added !== "")
    yield whole(pair, `it turns tokens of ${whose} into other principals: before ${gone}; now ${added}`);
  const [before, now] = [textOf(oldIdentity?.terms), textOf(newIdentity?.terms, canonical)];
  if (before === now) return;
  const isLate = both.some(({ audiences, subjects }) => ![...audiences, ...subjects].every(isKnown));
  const isOpen = both.some(({ beyond }) => beyond.length > 0);
  if (!isOpen && !isLate && !hasOpenIssuer) return;
  const why = isOpen
    ? "expressions, denials or other claims decide whom it admits"
    : "issuer, audience or subject are known only after apply";
  yield whole(pair, `${why}: before ${before}; now ${now}`);
}

/** The issuers that a trust names, by their texts on the old side. */
function writtenBy(
  terms: TrustTerms | undefined,
  canonical = AS_WRITTEN,
): ReadonlyMap<string, Known<string>> {
  return new Map(terms?.issuers.map((issuer) => [canonical(shown(issuer)), issuer]));
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

/** Subjects of one form, besides those that a trust names one by one. */
interface Subjects {
  readonly prefix: string;
  readonly grammar: Grammar;
  /** Those that no pattern of a trust covers. */
  readonly others: string;
}

const ACCOUNTS: Subjects = {
  prefix: SERVICE_ACCOUNT_PREFIX,
  grammar: SERVICE_ACCOUNTS,
  others: "any other service account",
};
const ANY: Subjects = { prefix: "", grammar: ANY_TEXT, others: "any other subject" };

type Example = readonly [subject: string, label: string];

/**
 * The subjects that a trust names, and one of each set of others that its patterns do not tell apart; `undefined` if
 * there are too many sets. A cluster has no others than service accounts.
 */
function exampleSubjects(texts: ReadonlySet<string>, isOfCluster: boolean): readonly Example[] | undefined {
  const single = [...texts].filter((text) => !hasWildcard(text));
  const sets = [...texts].filter(hasWildcard);
  const ofAny = sets.filter((text) => !text.startsWith(SERVICE_ACCOUNT_PREFIX));
  const [accounts, any] = [examplesOf(ACCOUNTS, sets, single), examplesOf(ANY, ofAny, single)];
  const spare = isOfCluster ? ANY.others : ACCOUNTS.others;
  return (
    accounts &&
    any && [
      ...single.map((subject): Example => [subject, serviceAccountText(subject)]),
      ...[...accounts, ...any].filter(([, label]) => label !== spare),
      // A cloud that knows no wildcards takes them for the subject itself.
      ...ofAny.map((subject): Example => [subject, subject]),
    ]
  );
}

function examplesOf(
  all: Subjects,
  sets: readonly string[],
  single: readonly string[],
): readonly Example[] | undefined {
  const names = classesOf(all, sets, []);
  const taken = names?.map((name) => all.prefix + name).filter((subject) => single.includes(subject)) ?? [];
  const classes = taken.length > 0 ? classesOf(all, sets, taken) : names;
  return classes?.flatMap((name): readonly Example[] => {
    const subject = all.prefix + name;
    if (single.includes(subject)) return [];
    const covering = sets.filter((text) => matchesPattern(text, subject) === true);
    const [longest] = covering.sort((one, other) => other.length - one.length);
    return [[subject, longest === undefined ? all.others : serviceAccountText(longest)]];
  });
}

/** One of each set of subjects that the patterns do not tell apart; remembered, since most trusts have none. */
function classesOf(
  { prefix, grammar }: Subjects,
  texts: readonly string[],
  others: readonly string[],
): readonly string[] | undefined {
  const key = JSON.stringify([prefix, texts, others]);
  if (CLASSES.has(key)) return CLASSES.get(key);
  if (CLASSES.size >= CLASSES_MAX) CLASSES.clear();
  const patterns = [...texts, ...others].map(patternOf);
  const classes = AskedNames.ofGrammar(patternOf("*"), grammar).each((name) => {
    for (const pattern of patterns) name.matches(pattern, prefix);
  });
  const examples = classes?.map(({ example }) => example);
  CLASSES.set(key, examples);
  return examples;
}

const CLASSES = new Map<string, readonly string[] | undefined>();
const CLASSES_MAX = 1000;

function subjectChanges(pair: Pair, token: WrittenToken, texts: ReadonlySet<string>): readonly Change[] {
  const examples = exampleSubjects(texts, token.isOfCluster);
  if (examples === undefined)
    return [whole(pair, "its patterns divide subjects into more sets than can be compared")];
  const [issuer, other] = token.written;
  const rows = examples.map(([subject, label]): SubjectRow => {
    const claims = { issuer, audience: token.audience, subject };
    const before = judged(pair.oldIdentity, claims);
    const after = judged(pair.newIdentity, { ...claims, issuer: other }, pair.canonical);
    return { subject, label, before, after };
  });
  const had = rows.some(({ before }) => before.verdict === "allowed");
  const has = rows.some(({ after }) => after.verdict === "allowed");
  const ownIssuers = pair.oldIdentity ? writtenBy(pair.oldIdentity.terms) : pair.issuersBefore;
  const danger = ownIssuers.has(token.issuer) ? {} : ({ danger: "issuer" } as const);
  return rows.flatMap((row) => {
    const kind = kindOf(row.before, row.after, had, has);
    const change = kind ? admittedChange(pair, row, kind) : audienceChange(pair, row);
    return change ? { ...change, issuer: token.issuer, ...danger } : [];
  });
}

/** What both sides say about one subject, or about all that are alike. */
interface SubjectRow {
  readonly subject: string;
  readonly label: string;
  readonly before: Judged;
  readonly after: Judged;
}

function admittedChange(pair: Pair, row: SubjectRow, kind: ChangeKind): Change {
  const { before, after } = row;
  return {
    ...changeOf(pair, row, kind, row.label),
    reason: kind === "incomparable" ? `${before.why}; now ${after.why}` : "",
    before: pair.oldIdentity ? state(before) : null,
    after: pair.newIdentity ? state(after) : null,
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
function audienceChange(pair: Pair, row: SubjectRow): Change | undefined {
  const { label, before, after } = row;
  if (before.verdict !== "allowed" || before.isWide() === after.isWide()) return undefined;
  const kind = after.isWide() ? "widened" : "narrowed";
  return {
    ...changeOf(pair, row, kind, `${label} with a token for any audience`),
    before: state(before),
    after: state(after),
  };
}

interface Judged extends ComparedState {
  readonly why: string;
  readonly answer: Pick<Answer, "evidence">;
  /** Whether a token for any audience is admitted too. */
  readonly isWide: () => boolean;
}

const VERDICTS: Readonly<Record<Answer["status"], Verdict>> = {
  pass: "allowed",
  fail: "denied",
  unknown: "unknown",
  skipped: "unknown",
};

function judged(identity: DeclaredIdentity | undefined, claims: ShownClaims, canonical = AS_WRITTEN): Judged {
  const isWide = (): boolean => identity?.admitsAnyAudience?.(claims) === true;
  if (!identity) return { verdict: "denied", as: null, why: "", answer: { evidence: [] }, isWide };
  const { issuer, audience, subject } = identity.trust(claims);
  const answer = worstOf(issuer, audience, subject);
  const why = canonical(answer.reason);
  return { verdict: VERDICTS[answer.status], as: identity.address, why, answer, isWide };
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

/** A change of the identity that cannot be compared, whomever it is about. */
function whole(pair: Pair, reason: string): Change {
  return { ...changeOf(pair, { subject: "", label: "" }, "incomparable", ""), reason };
}

function changeOf(
  { oldIdentity, newIdentity }: Pair,
  row: Pick<SubjectRow, "subject" | "label">,
  kind: ChangeKind,
  subject: string,
): Change {
  const { names = [], address = "" } = newIdentity ?? oldIdentity ?? {};
  const at = (identity: DeclaredIdentity | undefined): Change["added"] =>
    identity ? placed([{ text: identity.address, source: identity.source }]) : [];
  return {
    ...UNSAID,
    kind,
    subject,
    target: names[1] ?? address,
    ...(row.label !== serviceAccountText(row.subject) && { example: serviceAccountText(row.subject) }),
    removed: at(oldIdentity),
    added: at(newIdentity),
  };
}
