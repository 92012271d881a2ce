/*
 * What roles hold: custom ones as they are declared, predefined ones as far as it is documented.
 */

import { type Known, type Ternary, is, isKnown, match, or, orElse, same } from "../../model/known";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { DOWNLOAD } from "./denials";
import { ROLES, roleName } from "./names";

/** A custom role. */
export interface CustomRole {
  /** Its full name. */
  readonly name: Known<string>;
  /** Its permissions. */
  readonly permissions: Known<readonly Known<string>[]>;
  /** Whether it is disabled or deleted: bindings to it grant nothing. */
  readonly isOff: Ternary;
}

/** Roles that may download. Source: cloud.google.com/artifact-registry/docs/access-control, "Roles". */
const DOWNLOADING: ReadonlySet<string> = new Set(
  ["reader", "writer", "repoAdmin", "admin", "createOnPushWriter", "createOnPushRepoAdmin"].map(
    (name) => `roles/artifactregistry.${name}`,
  ),
);
/**
 * Predefined roles that surely may not: those of the registry that are not named above, and those of services which have
 * nothing to do with images. Of every other one, its service may download what it builds or runs.
 */
const OTHERS =
  /^roles\/(?:browser$|(?:artifactregistry|storage|iam|logging|monitoring|secretmanager|pubsub|bigquery|dns|cloudkms|cloudsql)\.)/i;
/** Of the registry, but documented by its task and not by its permissions. */
const BY_TASK = /^roles\/(?:artifactregistry\.containerRegistry|.*agent$)/i;

/** Custom roles of projects and organizations. Source: cloud.google.com/iam/docs/creating-custom-roles, "Disabling a custom role". */
export class Roles {
  readonly #custom: readonly CustomRole[];
  readonly #byName = new Map<string, CustomRole>();

  constructor(terraform: Terraform) {
    this.#custom = ROLES.flatMap((type) => terraform.ofType(type)).map(customRole);
    for (const role of this.#custom)
      match(
        role.name,
        (name) => this.#byName.set(name, role),
        () => undefined,
      );
  }

  /** The custom role of that name; `undefined` for a predefined one, and for one that was not read. */
  custom(role: Known<string>): CustomRole | undefined {
    return match(
      role,
      (name) => this.#byName.get(name),
      () => this.#custom.find(({ name }) => same(name, role) === "yes"),
    );
  }

  /** Whether a custom role holds a permission; `undefined` for any other role. */
  holds(role: Known<string>, permission: string): Ternary | undefined {
    const custom = this.custom(role);
    return custom && holdsPermission(custom, permission);
  }

  /** Whether a role lets its members download from Artifact Registry. */
  downloads(role: Known<string>): Ternary {
    const name = orElse(role, () => "");
    if (DOWNLOADING.has(name)) return "yes";
    const held = this.holds(role, DOWNLOAD);
    if (held !== undefined) return held;
    return isKnown(role) && OTHERS.test(name) && !BY_TASK.test(name) ? "no" : "unknown";
  }
}

/** Whether it holds a permission, and counts. */
export function holdsPermission({ permissions, isOff }: CustomRole, permission: string): Ternary {
  if (isOff === "yes") return "no";
  const holds = match(
    permissions,
    (all) => or(...all.map((each) => is(each, permission))),
    (): Ternary => "unknown",
  );
  return holds === "no" || isOff === "no" ? holds : "unknown";
}

function customRole(resource: Resource): CustomRole {
  const isOff = or(is(resource.text("stage"), "DISABLED"), is(resource.text("deleted"), "true"));
  return {
    name: roleName(resource),
    permissions: resource.list("permissions"),
    isOff: resource.certain || isOff === "yes" ? isOff : "unknown",
  };
}
