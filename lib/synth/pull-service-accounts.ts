import { fail } from "../errors";
import type { PullDeclaration } from "../model/pulls";
import { ServiceAccount, ServiceAccountAnnotations } from "../kubernetes";
import type { Manifests } from "./manifests";
import type { DeclaredAccount } from "./pull-groups";

const DECLARED = { order: 20 } as const;
const FOREIGN = {
  order: 25,
  comment: [
    "Annotations for service accounts that somebody else owns.",
    "Apply with `kubectl apply --server-side`; never prune or delete by this file.",
  ],
} as const;

/** Writes each service account once, with the annotations of all its clouds; throws `annotation-conflict`. */
export function writeServiceAccounts(
  manifests: Manifests,
  accounts: readonly DeclaredAccount[],
  declared: readonly PullDeclaration[],
): void {
  const annotations = annotationsBySubject(declared);
  for (const { subject, declare } of accounts) {
    const { namespace, name, key } = subject;
    // A namespace holds no dot, so that two service accounts never share an id.
    const id = `${namespace}.${name}`;
    const props = { namespace, name, annotations: annotations.get(key) ?? {} };
    if (declare) new ServiceAccount(manifests.chart("service-accounts", DECLARED), id, props);
    else new ServiceAccountAnnotations(manifests.chart("service-account-annotations", FOREIGN), id, props);
  }
}

function annotationsBySubject(
  declared: readonly PullDeclaration[],
): ReadonlyMap<string, Record<string, string>> {
  const bySubject = new Map<string, Record<string, string>>();
  for (const { subject, annotations } of declared.flatMap(({ grants }) => grants)) {
    const own = bySubject.get(subject.key) ?? {};
    for (const [key, value] of Object.entries(annotations)) {
      if (own[key] !== undefined && own[key] !== value) fail("annotation-conflict", subject.key, key);
      own[key] = value;
    }
    bySubject.set(subject.key, own);
  }
  return bySubject;
}
