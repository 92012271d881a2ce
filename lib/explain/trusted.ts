/*
 * The service accounts that the identities in Terraform trust, for input without the manifests of any.
 */

import { isBlank, isKnown, shown } from "../model/known";
import { SERVICE_ACCOUNT_PREFIX, serviceAccountText } from "../model/namespaced-name";
import { type Explainer, insideOf } from "./explainer";
import type { Resource } from "./read/block";
import { accountsIn } from "./read/named-accounts";

export interface TrustingIdentity {
  /** Its address; of a grant, the principal. */
  readonly name: string;
  /** `namespace/name`, patterns included. */
  readonly accounts: readonly string[];
}

/** What trusts service accounts, in the order in which it was read. */
export function trustingIdentities(explainer: Explainer): readonly TrustingIdentity[] {
  const { clouds, facts } = insideOf(explainer);
  const ofClouds = clouds.flatMap(({ identities, granted }) => [
    ...identities.map(({ address, terms }) => {
      const subjects = terms.subjects.map(shown).filter((text) => text.startsWith(SERVICE_ACCOUNT_PREFIX));
      return { name: address, accounts: subjects.map(serviceAccountText) };
    }),
    // Members of a pool are named by the grants alone.
    ...granted.map(({ to }) => ({ name: to, accounts: accountsIn(to, "") })),
  ]);
  const { terraform } = facts;
  const ofResources = terraform.types.flatMap((type) => terraform.ofType(type)).flatMap(associated);
  return [...ofClouds, ...ofResources]
    .filter(({ accounts }) => accounts.length > 0)
    .map((each) => ({ ...each, accounts: [...new Set(each.accounts)].sort() }));
}

/** A resource that names its service account in two arguments, as associations of EKS Pod Identity do. */
function associated(resource: Resource): readonly TrustingIdentity[] {
  const [namespace, account] = [resource.text("namespace"), resource.text("service_account")];
  const { address, adopted } = resource;
  const isNamed = [namespace, account].every((each) => isKnown(each) && !isBlank(each));
  return isNamed && !adopted ? [{ name: address, accounts: [`${shown(namespace)}/${shown(account)}`] }] : [];
}

/** So many are listed one by one. */
const LISTED = 20;
const FETCH = "kubectl get sa,pods,deploy,daemonset,statefulset -A -o yaml";

/** The lines that list them, and say what else is needed; empty if no Terraform was read. */
export function trustLines(explainer: Explainer): readonly string[] {
  const { terraform, clusters } = insideOf(explainer).facts;
  const isAlone = clusters.every(
    ({ serviceAccounts, workloads }) => serviceAccounts.size + workloads.length === 0,
  );
  const all = trustingIdentities(explainer);
  if (terraform.scopes.length === 0 || (all.length === 0 && !isAlone)) return [];
  const lines = all.slice(0, LISTED).map(({ name, accounts }) => `${name} trusts ${accounts.join(", ")}`);
  const others = all.length - lines.length;
  const count = new Set(all.flatMap(({ accounts }) => accounts)).size;
  const given = isAlone ? "their manifests" : "the manifests of those that are to act as them";
  return [
    ...lines,
    ...(others > 0 ? [`and ${others} more`] : []),
    `${all.length} ${all.length === 1 ? "identity trusts" : "identities trust"} ${count} service ${count === 1 ? "account" : "accounts"}; give explain ${given} (${FETCH})`,
  ];
}
