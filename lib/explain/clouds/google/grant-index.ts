import { isLateText } from "../../facts/terraform";

/** What is granted to somebody. */
export interface Grant {
  /** The members; `undefined` for a policy that only apply will tell, which may name anybody. */
  readonly members: readonly string[] | undefined;
}

/** Grants to an identity, under a key that is equal exactly where they are. */
export interface IndexedGrants<G extends Grant> {
  /** Numbers of the grants. */
  readonly key: string;
  /** Grants to a member that the identity is. */
  readonly certain: readonly G[];
  /** Grants to members that the identity may be, and policies that only apply will tell. */
  readonly possible: readonly G[];
}

/** What members of one pool, and of one sort (`…/attribute.team/`, `…/subject/`), have in common. */
const SORT =
  /^((?:principal|principalSet):\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/[^/]+\/)([^/]+\/)?/;
const ENDING = "/workloadIdentityPools/";
/** Members of a sort whose value is a UID are looked up as a sort of their own. */
const UID_SORT = /^(\/workloadIdentityPools\/[^/]+\/kubernetes\.serviceaccount\.uid\/)/;

/** Finds grants by member, by a member's beginning and by its ending. */
export class GrantIndex<G extends Grant> {
  readonly #grants: readonly G[];
  readonly #byMember = new Map<string, number[]>();
  readonly #bySort = new Map<string, string[]>();
  readonly #byEnding = new Map<string, string[]>();
  readonly #projectNumbers = new Set<string>();
  readonly #unread: number[];

  constructor(grants: readonly G[]) {
    this.#grants = grants;
    this.#unread = grants.flatMap(({ members }, number) => (members === undefined ? [number] : []));
    grants.forEach(({ members }, number) => {
      for (const member of members ?? []) {
        if (!this.#byMember.has(member)) this.#index(member);
        add(this.#byMember, member, number);
        if (isLateText(endingOf(member))) this.#unread.push(number);
      }
    });
  }

  /** True where a member of a pool names its project by this text. */
  namesProject(number: string): boolean {
    return this.#projectNumbers.has(number);
  }

  /** Members that end so, from the pool's segment on; for the UIDs of service accounts, members of that sort. */
  membersEnding(ending: string): readonly string[] {
    return this.#byEnding.get(ending) ?? [];
  }

  /** Grants to these members, and those that may be meant: to members that begin so, and to nobody knows whom. */
  of(members: readonly string[], beginnings: readonly string[]): IndexedGrants<G> {
    const certain = numbers(members.flatMap((member) => this.#byMember.get(member) ?? []));
    const begun = beginnings.flatMap((beginning) => this.#beginning(beginning));
    const late = members.flatMap((member, index) =>
      isLateText(member) && isAgain(member, members.slice(0, index)) ? [] : this.#perhaps(member),
    );
    const sure = new Set(certain);
    const possible = numbers([...begun, ...late, ...this.#unread]).filter((number) => !sure.has(number));
    return {
      key: `${certain.join()}|${possible.join()}`,
      certain: this.#at(certain),
      possible: this.#at(possible),
    };
  }

  #beginning(beginning: string): readonly number[] {
    const exact = this.#byMember.get(beginning);
    if (exact !== undefined) return exact;
    const [sort = ""] = SORT.exec(beginning) ?? [];
    return (this.#bySort.get(sort) ?? [])
      .filter((member) => member.startsWith(beginning))
      .flatMap((member) => this.#byMember.get(member) ?? []);
  }

  /** Grants to members that differ in a project's number which only apply will tell. */
  #perhaps(member: string): readonly number[] {
    return this.membersEnding(endingOf(member))
      .filter((other) => other !== member && (isLateText(other) || isLateText(member)))
      .flatMap((other) => this.#byMember.get(other) ?? []);
  }

  #index(member: string): void {
    const [sort, pool, number] = SORT.exec(member) ?? [];
    if (sort === undefined || pool === undefined) return;
    if (number !== undefined) this.#projectNumbers.add(number);
    for (const common of new Set([sort, pool])) add(this.#bySort, common, member);
    const ending = endingOf(member);
    add(this.#byEnding, ending, member);
    const [, uids] = UID_SORT.exec(ending) ?? [];
    if (uids !== undefined) add(this.#byEnding, uids, member);
  }

  #at(indices: readonly number[]): readonly G[] {
    return indices.flatMap((number) => this.#grants[number] ?? []);
  }
}

/** Whether a member is one of those before, with another text for the project's number. */
function isAgain(member: string, before: readonly string[]): boolean {
  const ending = endingOf(member);
  return before.some((other) => endingOf(other) === ending);
}

/** A member from the pool's segment on, which names no project's number; the whole one where it is of another kind. */
function endingOf(member: string): string {
  const at = member.indexOf(ENDING);
  return at < 0 ? member : member.slice(at);
}

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const same = map.get(key);
  if (same) same.push(value);
  else map.set(key, [value]);
}

function numbers(given: readonly number[]): readonly number[] {
  return [...new Set(given)].sort((a, b) => a - b);
}
