/* Describes what exists of a cluster in its cloud as settings that take it over. */

import type { CloudName } from "../model/clouds";
import type { CredentialsRequest } from "../model/credentials-request";
import type { CommandAnswer } from "../model/command-answer";

type Tags = Readonly<Record<string, string>>;

/** Code in place of a value in settings. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Leaves it out of settings in JSON. */
  toJSON(): undefined {
    return undefined;
  }
}

/** A call of this library in place of a value in settings. */
export class Call {
  readonly call: string;
  readonly entry: string;
  readonly props: Readonly<Record<string, unknown>>;

  constructor(call: string, entry: string, props: Readonly<Record<string, unknown>>) {
    this.call = call;
    this.entry = entry;
    this.props = props;
  }
}

/** A call of this library that takes something over. */
export interface AdoptedPart {
  /** Name of the constant that holds it, and id of the construct. */
  readonly name: string;
  /** Why it only refers to what exists. */
  readonly why?: string | undefined;
  /** A function, or a construct with `new`. */
  readonly call: string;
  /** Entry point of the package that exports it, without the package's name. */
  readonly entry: string;
  /** Its settings, or the one argument that it takes instead. */
  readonly props: Readonly<Record<string, unknown>> | string;
}

/** An object that exists, under the id by which Terraform imports it. */
export interface ImportId {
  readonly type: string;
  readonly id: string;
}

/** What could not be found, or of which there are several. */
export interface Missing {
  /** What is missing, as a noun phrase. */
  readonly what: string;
  /** How to find it, or how to choose. */
  readonly remedy: string;
  /** What was found, if there are several. */
  readonly candidates?: readonly string[];
}

/** Who may act as an identity that exists. */
export interface ExistingIdentity {
  /** ARN, resource id or e-mail address. */
  readonly identity: string;
  /** `namespace/name`, with wildcards where the trust has them. */
  readonly serviceAccounts: readonly string[];
}

export interface Adoption {
  readonly cluster: string;
  /** Its issuer; `undefined` where it was not found. */
  readonly issuer: string | undefined;
  /** What is declared to take it over, in the order of the declarations. */
  readonly parts: readonly AdoptedPart[];
  /** Everything that exists and belongs to the parts or the identities. */
  readonly imports: readonly ImportId[];
  readonly identities: readonly ExistingIdentity[];
  readonly missing: readonly Missing[];
  /** What is not taken over, and what will be created. */
  readonly notes: readonly string[];
}

/** What the caller states in addition to the answers. */
export interface AdoptionChoice {
  /** The `--name` that ccoctl was given. */
  readonly name?: string | undefined;
  readonly issuer?: string | undefined;
  /** The CredentialsRequests of an OpenShift cluster; `undefined` for any other. */
  readonly requests?: readonly CredentialsRequest[] | undefined;
}

export interface AdoptionReader {
  /** The word of the cloud in `credentialsRequests`. */
  readonly cloud: CloudName;
  /** Every command whose answer is read; for one that is run several times, with what it is run for. */
  readonly commands: Readonly<Record<string, string>>;
  /** The command that is run for each managed cluster, and how its answer is read. */
  readonly managed: {
    readonly command: string;
    readonly read: (name: string, cluster: CommandAnswer, answers: CommandAnswer) => Adoption;
  };
  /** What `ccoctl` created for a cluster with these requests. */
  readonly ccoctl: (
    answers: CommandAnswer,
    choice: AdoptionChoice,
    requests: readonly CredentialsRequest[],
  ) => Adoption;
}

/** Collects what is found step by step. */
export class AdoptionFindings {
  readonly imports: ImportId[] = [];
  readonly missing: Missing[] = [];
  readonly notes: string[] = [];
  readonly identities: ExistingIdentity[] = [];

  /** The only candidate; if there is none or several, records it as missing, with all candidates. */
  choose(
    what: string,
    found: readonly string[],
    remedies: { none: string; several: string },
  ): string | undefined {
    const candidates = [...new Set(found)].sort();
    if (candidates.length === 1) return candidates[0];
    if (candidates.length === 0) this.missing.push({ what, remedy: remedies.none });
    else this.missing.push({ what, remedy: remedies.several, candidates });
    return undefined;
  }

  import(type: string, id: string): void {
    this.imports.push({ type, id });
  }

  /** The tags that all of them have besides known ones; Terraform removes those that are not stated. */
  extraTags(of: string, they: string, all: readonly Tags[]): Tags | undefined {
    const texts = [...new Set(all.map((tags) => JSON.stringify(Object.entries(tags).sort())))].sort();
    if (texts.length > 1)
      this.missing.push({
        what: `the tags of the ${of}`,
        remedy: `${they} differ, and Terraform removes tags that are not stated: make them equal, or state \`tags\``,
        candidates: texts,
      });
    const tags = texts.length > 1 ? [] : Object.entries(all[0] ?? {}).sort();
    return tags.length > 0 ? Object.fromEntries(tags) : undefined;
  }

  lacks(what: string, remedy: string): void {
    this.missing.push({ what, remedy });
  }

  done(cluster: string, issuer: string | undefined, parts: readonly AdoptedPart[]): Adoption {
    const { imports, missing, notes, identities } = this;
    return { cluster, issuer, parts, imports, identities, missing, notes };
  }
}

/** The members that are not undefined. */
export function stated(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
