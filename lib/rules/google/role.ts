/*
 * Roles, predefined and custom, and the permissions that they hold.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";
import { nearMiss } from "../../model/nearest-name";
import { stableHash } from "../names";
import { textOfForm } from "./names";
import { writtenReason } from "./text";

/** https://cloud.google.com/iam/docs/roles-overview, "Basic roles", the older and the newer ones. */
const BASIC = /^roles\/(?:owner|editor|viewer|admin|writer|reader)$/;
const ROLE_ID_MAX = 64;

/** What the title of a custom role may have, in characters. */
export const ROLE_TITLE_MAX = 100;

/** Returns the id of a custom role. Source: REST reference of projects.roles, `roleId`. */
export function customRoleId(value: string): string {
  return textOfForm(value, {
    problem: "id of a custom role is not valid",
    pattern: /^[a-zA-Z0-9_.]{3,64}$/,
    allowed: "3 to 64 of letters, digits, _ and .",
    remedy: "choose another id; one that was deleted stays taken for more than a month",
  });
}

/** A custom role id for one cluster: the parts with `_` for what an id cannot hold, and a hash that tells two apart. */
export function derivedRoleId(parts: readonly string[]): string {
  const suffix = `_${stableHash(parts)}`;
  const plain = parts.join("_").replace(/[^a-zA-Z0-9_.]/g, "_");
  return plain.slice(0, ROLE_ID_MAX - suffix.length) + suffix;
}

/** Full name of a project's custom role: `projects/<project>/roles/<id>`. */
export function customRoleName(project: string, roleId: string): string {
  return `projects/${project}/roles/${roleId}`;
}

export function permissionNames(values: readonly string[]): readonly string[] {
  for (const value of literal(values, "permissions of a custom role"))
    textOfForm(value, {
      problem: "not a permission that a custom role can hold",
      pattern: /^[a-z][a-zA-Z0-9-]*(?:\.[a-zA-Z0-9_-]+){2,}$/,
      allowed: "service.resource.verb, for example compute.instances.get; no wildcard",
      remedy: "list each permission, as the reference of IAM permissions writes it",
    });
  return [...new Set(values)].sort();
}

/** Predefined roles that workloads use. Source: "IAM roles and permissions index" of Google Cloud. */
const PREDEFINED: readonly string[] = Object.entries({
  storage: "admin objectAdmin objectCreator objectUser objectViewer",
  secretmanager: "admin secretAccessor secretVersionAdder secretVersionManager viewer",
  pubsub: "admin editor publisher subscriber viewer",
  artifactregistry: "admin reader repoAdmin writer",
  cloudsql: "admin client editor instanceUser viewer",
  cloudkms: "cryptoKeyDecrypter cryptoKeyEncrypter cryptoKeyEncrypterDecrypter viewer admin",
  bigquery: "admin dataEditor dataOwner dataViewer jobUser user",
  logging: "admin logWriter viewer",
  monitoring: "admin editor metricWriter viewer",
  container: "admin clusterViewer developer viewer",
}).flatMap(([service, ids]) => ids.split(" ").map((id) => `roles/${service}.${id}`));

/** A warning about a predefined role that is not known but nearly is; IAM refuses a role that does not exist. */
export function roleWarnings(roles: readonly string[]): readonly string[] {
  return [...new Set(roles)].flatMap((role) => {
    const nearest = isLate(role) || !role.startsWith("roles/") ? undefined : nearMiss(role, PREDEFINED);
    return nearest === undefined
      ? []
      : [
          `role ${role} is not known, but ${nearest} is; apply fails if it does not exist: correct it if ${nearest} is meant`,
        ];
  });
}

/** Returns the full name of a role. A basic role reaches nearly all of a project, and needs a written reason. */
export function grantableRole(value: string, reason?: string): string {
  const role = textOfForm(value, {
    problem: "not the full name of a role",
    what: "role",
    pattern: /^(?:roles|projects\/[^/\s]+\/roles|organizations\/[0-9]+\/roles)\/[a-zA-Z0-9_.]+$/,
    allowed: "roles/<name>, projects/<project>/roles/<id> or organizations/<number>/roles/<id>",
    remedy: "use the name that `gcloud iam roles list` shows",
  });
  if (writtenReason(reason) !== undefined || !BASIC.test(role)) return role;
  return fail("google-unsafe", {
    problem: "a basic role reaches nearly everything in its project, and no reason is stated",
    value: role,
    allowed: "a predefined or custom role, or a basic role with a written `reason`",
    remedy: "grant the predefined role of the service that is used, for example roles/storage.objectViewer",
  });
}
