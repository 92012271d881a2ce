/*
 * Names and numbers of Google Cloud, as its APIs check them. What a wrong project number refers to is not checked by
 * IAM: the binding just never matches.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { stableHash, type TextForm, checkedText } from "../names";

export function textOfForm(value: string, form: TextForm): string {
  return checkedText("google-invalid", value, form);
}

/** Refuses a setting that would do nothing. */
export function refuseUnused(setting: string, because: string): never {
  return fail("google-unused", {
    problem: `${setting} has no effect ${because}`,
    remedy: `leave ${setting} out`,
  });
}

/** Refuses what an app declares twice, and Google Cloud has once. */
export function refuseTaken(what: string, value: string, path: string, remedy: string): never {
  return fail("google-conflict", {
    problem: `${what} is already declared in this app, as ${path}`,
    value,
    allowed: "one declaration in an app",
    remedy,
  });
}

/** Project ids: https://cloud.google.com/resource-manager/docs/creating-managing-projects, "project ID". */
const PROJECT = "[a-z][a-z0-9-]{4,28}[a-z0-9]";
/** Domain-scoped ids are older than that rule; the shape is the one that the Terraform provider's ProjectRegex accepts. */
const DOMAIN_SCOPED =
  "(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?";

/** Returns a project id, plain or domain-scoped. */
export function projectId(value: string): string {
  return textOfForm(value, {
    problem: "Google Cloud project is not a project id",
    what: "Google Cloud project id",
    pattern: new RegExp(`^(?:${PROJECT}|${DOMAIN_SCOPED})$`),
    allowed: "6 to 30 of a-z, 0-9 and -, starting with a letter, or domain-scoped as example.com:project",
    remedy: "use the PROJECT_ID column of `gcloud projects list`, not the name and not the number",
  });
}

/** Returns a project number as text, or a late value as it is. */
export function projectNumber(value: string): string {
  if (isLate(value)) return value;
  return textOfForm(value, {
    problem:
      value === ""
        ? "project number is missing (the text is empty)"
        : "project number is not a number written as text",
    pattern: /^[1-9][0-9]{0,18}$/,
    allowed: 'digits as text, for example "123456789012"',
    remedy:
      "use the PROJECT_NUMBER column of `gcloud projects list`: principals and audiences name the number, never the id",
  });
}

/** Returns the id of a pool or pool provider. Source: REST references of their `create` methods. */
export function workloadIdentityId(what: "pool" | "pool provider", value: string): string {
  return textOfForm(value, {
    problem: `id of a workload identity ${what} is not valid`,
    pattern: /^(?!gcp-)[a-z0-9-]{4,32}$/,
    allowed: "4 to 32 of a-z, 0-9 and -, not starting with gcp-",
    remedy: "choose another id; one that was deleted in the last 30 days is still taken",
  });
}

/** Returns the name of a bucket. Source: https://cloud.google.com/storage/docs/buckets; dots need a verified domain. */
export function bucketName(value: string): string {
  return textOfForm(value, {
    problem: "not a name of a bucket of Cloud Storage",
    what: "name of a bucket",
    pattern: /^(?!goog)(?!.*(?:google|g00gle))[a-z0-9](?=[a-z0-9_-]{2,62}$)[a-z0-9_-]*[a-z0-9]$/,
    allowed:
      "3 to 63 of a-z, 0-9, - and _, starting and ending with a letter or digit; without goog at the beginning and google within",
    remedy: "choose a name that is unique in all of Google Cloud, for example <organization>-<cluster>-oidc",
  });
}

const ACCOUNT_ID_MAX = 30;
const CLUSTER_MAX = 12;
/** What the display name of a service account may have, in bytes of UTF-8. */
export const DISPLAY_NAME_MAX = 100;
/** What the description of a service account may have, in bytes of UTF-8. */
export const DESCRIPTION_MAX = 256;

/** Returns the id of a service account. Source: REST reference of projects.serviceAccounts, `accountId`. */
export function serviceAccountId(value: string): string {
  return textOfForm(value, {
    problem: "id of a Google service account is not valid",
    pattern: /^[a-z](?=[a-z0-9-]{5,29}$)[a-z0-9-]*[a-z0-9]$/,
    allowed: "6 to 30 of a-z, 0-9 and -, starting with a letter and ending with a letter or digit",
    remedy:
      "give the part of the e-mail address before the @, as `gcloud iam service-accounts list` shows it",
  });
}

/**
 * A service account id for what acts on behalf of a cluster: `<cluster>-<label>-<hash>`, at most 30 characters.
 *
 * Cluster and label are cut to fit and help people only; the hash over the cluster and the parts tells two apart.
 */
export function derivedAccountId(cluster: string, label: string, parts: readonly string[]): string {
  const hash = stableHash([cluster, ...parts]);
  const first = tidy(/^[a-z]/.test(cluster) ? cluster : `c${cluster}`, CLUSTER_MAX);
  const second = tidy(label, ACCOUNT_ID_MAX - first.length - hash.length - 2);
  return [first, second, hash].filter((part) => part !== "").join("-");
}

function tidy(text: string, max: number): string {
  return text
    .replace(/[^a-z0-9-]/g, "-")
    .slice(0, Math.max(max, 0))
    .replace(/(?<!-)-+$/, "");
}

/**
 * E-mail address: `<id>@<project>.iam.gserviceaccount.com`; `example.com:project` becomes `project.example.com`, as the
 * cloud-credential-operator composes it.
 */
export function serviceAccountEmail(accountId: string, project: string): string {
  const [domain, name] = project.split(":");
  const host = name === undefined ? project : `${name}.${domain}`;
  return `${accountId}@${host}.iam.gserviceaccount.com`;
}
