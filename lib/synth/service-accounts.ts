import { fail } from "../errors";
import { remembered } from "../model/once";
import type { Subject } from "../model/subject";
import { ServiceAccount, ServiceAccountAnnotations } from "../kubernetes";
import { generatedName } from "../rules/generated-names";
import { refuseTwoOwners } from "./account-groups";
import type { ClusterManifests } from "./cluster-manifests";

const DECLARED = { order: 20 } as const;
const FOREIGN = {
  order: 25,
  comment: [
    "Annotations for service accounts that another team owns.",
    "Apply with `kubectl apply --server-side`; never prune or delete with this file.",
  ],
} as const;

/** Warns of service accounts whose names will change: identities trust exactly the name. */
export function nameWarnings(subjects: readonly Subject[]): readonly string[] {
  return subjects.flatMap(({ key, name }) => {
    const made = generatedName(name);
    return made
      ? [`service account ${key}: ${made.makes}, and its identity trusts only this one; ${made.remedy}`]
      : [];
  });
}

type Texts = Readonly<Record<string, string>>;

export interface WantedAccount {
  readonly subject: Subject;
  /** Whether the manifests declare the service account or only annotate it. */
  readonly declare: boolean;
}

export interface AccountMarks {
  readonly subject: Subject;
  /** Annotations; values may be late. */
  readonly annotations: Texts;
}

/** By stack and `namespace/name`: the object written for each service account. */
const WRITTEN = new WeakMap<ClusterManifests, Map<string, ServiceAccount | ServiceAccountAnnotations>>();

/** Refuses a service account that one construct of the stack declares and another only annotates. */
export function checkOwnership(manifests: ClusterManifests, accounts: readonly WantedAccount[]): void {
  const written = WRITTEN.get(manifests);
  for (const { subject, declare } of written ? accounts : []) {
    const known = written?.get(subject.key);
    if (known && known instanceof ServiceAccount !== declare) refuseTwoOwners(subject);
  }
}

/**
 * Writes each service account once, with the annotations of all clouds and of all constructs of the stack.
 *
 * A service account that is declared elsewhere is left out if there is nothing to annotate.
 */
export function writeServiceAccounts(
  manifests: ClusterManifests,
  accounts: readonly WantedAccount[],
  marks: readonly AccountMarks[],
): void {
  const written = remembered(WRITTEN, manifests, () => new Map());
  const bySubject = marksBySubject(marks);
  for (const account of accounts) {
    const { key } = account.subject;
    const annotations = bySubject.get(key) ?? {};
    const known = written.get(key);
    if (known) known.add(annotations);
    else if (account.declare) written.set(key, declared(manifests, account, annotations));
    else if (Object.keys(annotations).length > 0)
      written.set(key, annotated(manifests, account, annotations));
  }
}

function declared(
  manifests: ClusterManifests,
  { subject }: WantedAccount,
  annotations: Texts,
): ServiceAccount {
  const { namespace, name } = subject;
  const chart = manifests.chart("service-accounts", DECLARED);
  return new ServiceAccount(chart, idOf(subject), { namespace, name, annotations });
}

function annotated(
  manifests: ClusterManifests,
  { subject }: WantedAccount,
  annotations: Texts,
): ServiceAccountAnnotations {
  const { namespace, name } = subject;
  const chart = manifests.chart("service-account-annotations", FOREIGN);
  return new ServiceAccountAnnotations(chart, idOf(subject), { namespace, name, annotations });
}

/** A namespace has no dot, so two service accounts never share an id. */
function idOf({ namespace, name }: Subject): string {
  return `${namespace}.${name}`;
}

function marksBySubject(marks: readonly AccountMarks[]): ReadonlyMap<string, Texts> {
  const bySubject = new Map<string, Record<string, string>>();
  for (const { subject, annotations } of marks) {
    const annotationsSoFar = bySubject.get(subject.key) ?? {};
    for (const [key, value] of Object.entries(annotations)) {
      if (annotationsSoFar[key] !== undefined && annotationsSoFar[key] !== value)
        fail("identities-conflict", {
          problem: `two clouds need different values of the annotation ${key}`,
          value: subject.key,
          remedy: "give each cloud's workload its own service account",
        });
      annotationsSoFar[key] = value;
    }
    bySubject.set(subject.key, annotationsSoFar);
  }
  return bySubject;
}
