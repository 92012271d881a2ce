/*
 * Google service accounts: ids, e-mail addresses, names.
 * Source: REST reference of projects.serviceAccounts, method create, `accountId`, and resource ServiceAccount; the
 * e-mail address of domain-scoped projects as the cloud-credential-operator composes it.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { stableHash } from "../names";

const ID = /^[a-z](?=[a-z0-9-]{5,29}$)[a-z0-9-]*[a-z0-9]$/;
const ID_MAX = 30;
const CLUSTER_MAX = 12;

/** What the display name of a service account may have, in bytes of UTF-8. */
export const DISPLAY_NAME_MAX = 100;

/** What the description of a service account may have, in bytes of UTF-8. */
export const DESCRIPTION_MAX = 256;

/** Returns the id of a service account; throws `google-account-id-invalid` or `late-value`. */
export function serviceAccountId(value: string): string {
  const given = literal(value, "id of a Google service account");
  return typeof given === "string" && ID.test(given) ? given : fail("google-account-id-invalid", given);
}

/**
 * A service account id for what acts on behalf of a cluster: `<cluster>-<label>-<hash>`, at most 30 characters.
 *
 * Cluster and label are cut to fit and help people only; the hash over the cluster and the parts tells two apart.
 */
export function derivedAccountId(cluster: string, label: string, parts: readonly string[]): string {
  const hash = stableHash([cluster, ...parts]);
  const first = tidy(/^[a-z]/.test(cluster) ? cluster : `c${cluster}`, CLUSTER_MAX);
  const second = tidy(label, ID_MAX - first.length - hash.length - 2);
  return [first, second, hash].filter((part) => part !== "").join("-");
}

/** E-mail address: `<id>@<project>.iam.gserviceaccount.com`; `example.com:project` becomes `project.example.com`. */
export function serviceAccountEmail(accountId: string, project: string): string {
  const [domain, name] = project.split(":");
  const host = name === undefined ? project : `${name}.${domain}`;
  return `${accountId}@${host}.iam.gserviceaccount.com`;
}

/** Full name, as IAM and Terraform's import know it: `projects/<project>/serviceAccounts/<email>`. */
export function serviceAccountResource(project: string, email: string): string {
  return `projects/${project}/serviceAccounts/${email}`;
}

function tidy(text: string, max: number): string {
  return text
    .replace(/[^a-z0-9-]/g, "-")
    .slice(0, Math.max(max, 0))
    .replace(/-+$/, "");
}
