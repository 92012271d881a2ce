/* Service accounts of a managed cluster and the existing identities that they act as, as lines of `WorkloadAccess`. */

import { WorkloadIdentityError } from "../errors";
import { grouped, push } from "../model/grouped";
import { type AdoptedPart, type AdoptionFindings, type Call, stated } from "./adoption";

/** A service account, and the identity that admits it. */
interface Line {
  readonly serviceAccount: string;
  /** ARN, resource id or e-mail address. */
  readonly identity: string;
  /** `as` or `may`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The lines of one cluster, in groups: each becomes a `WorkloadAccess`. */
export class WorkloadLines {
  readonly #names = new Set<string>();
  readonly #lines = new Map<string, Line[]>();
  /** Name of the cluster, as a DNS label. */
  readonly cluster: string;
  readonly #cluster: Readonly<Record<string, unknown>>;
  readonly #annotation: string;
  readonly #findings: AdoptionFindings;

  /** `annotation` is the one that names the identity. */
  constructor(
    name: string,
    annotation: string,
    facts: Readonly<Record<string, unknown>>,
    findings: AdoptionFindings,
  ) {
    this.#findings = findings;
    const label = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    this.cluster = label;
    this.#cluster = stated({ name: label, cloudName: label === name ? undefined : name, ...facts });
    this.#annotation = annotation;
  }

  /** Name of a constant, and id of its construct, that no other part of the cluster has. */
  nameFor(kind: string, name: string): string {
    const words = name.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    const base = `${kind}${words.join("")}`;
    let free = base;
    for (let count = 2; this.#names.has(free); count++) free = `${base}_${count}`;
    this.#names.add(free);
    return free;
  }

  add(group: string, line: Line): void {
    push(this.#lines, group, line);
  }

  /** The `WorkloadAccess` of a group, under the group's name, unless that has no line. */
  part(name: string, identities: Call): AdoptedPart[] {
    const lines = grouped(this.#lines.get(name) ?? [], ({ serviceAccount }) => serviceAccount);
    const workloads = [...lines]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([serviceAccount, of]) => this.#line(serviceAccount, of));
    if (workloads.length === 0) return [];
    const props = { cluster: this.#cluster, workloads, identities: [identities] };
    return [{ name, call: "new WorkloadAccess", entry: "synth", props }];
  }

  /** None if several identities admit the service account, because only its annotation decides between them. */
  #line(serviceAccount: string, lines: readonly Line[]): readonly unknown[] {
    const identities = [...new Set(lines.map(({ identity }) => identity))].sort();
    if (identities.length === 1)
      return lines.map(({ settings }) => ({ serviceAccount, ...settings, declareServiceAccount: false }));
    this.#findings.missing.push({
      what: `the identity of service account ${serviceAccount}`,
      remedy: `add a line with the one that its annotation ${this.#annotation} names`,
      candidates: identities,
    });
    return [];
  }
}

/** Why a rule of this library refuses what exists; `undefined` if it accepts it. */
export function refusal(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof WorkloadIdentityError) return error.problem;
    throw error;
  }
}
