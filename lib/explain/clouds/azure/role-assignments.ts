/*
 * Role assignments as Terraform declares them, with the groups whose members hold them. Those of groups whose members
 * are not read, and those in other forms than azurerm's, may be anybody's.
 */

import { at, own, text } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import type { AssignmentFact } from "./entra";
import { Groups } from "./groups";
import { grouped, hasUnowned, isUnowned } from "./owners";
import { type RoleDefinitionFact, builtInRole, isRefusedAt, nameKey } from "./role-definitions";

const AZAPI = "microsoft.authorization/roleassignments@";

/** The role assignments of all principals. */
export class RoleAssignments {
  readonly #byPrincipal: ReadonlyMap<string, readonly TerraformResource[]>;
  readonly #possible: readonly PossibleAssignment[];
  readonly #isOpen: boolean;
  readonly #groups: Groups;
  readonly #terraform: Terraform;
  readonly #definitions: ReadonlyMap<string, RoleDefinitionFact>;

  /** Indexes them. */
  constructor(terraform: Terraform, definitions: ReadonlyMap<string, RoleDefinitionFact>) {
    this.#terraform = terraform;
    this.#definitions = definitions;
    this.#groups = new Groups(terraform);
    this.#byPrincipal = grouped(terraform, "azurerm_role_assignment", ["principal_id"]);
    this.#isOpen = hasUnowned(this.#byPrincipal);
    const ofOpenGroups = [...this.#byPrincipal].flatMap(([principal, resources]) =>
      this.#groups.isOpen(principal) ? resources.map((each) => this.#fact(each)) : [],
    );
    this.#possible = [
      ...ofOpenGroups.map((fact) => ({ fact, principal: "" })),
      ...terraform.ofType("azurerm_pim_active_role_assignment").map((resource) => ({
        fact: this.#fact(resource),
        principal: terraform.text(resource, "principal_id").toLowerCase(),
      })),
      ...terraform.ofType("azapi_resource").flatMap((resource) => this.#ofAzapi(resource)),
    ];
  }

  /** What is known of those of a principal, by all ids that it goes by, in lower case. */
  of(ids: readonly string[]): {
    /** Those that it has. */
    readonly assignments: readonly AssignmentFact[];
    /** Those that it may have. */
    readonly possible: readonly AssignmentFact[];
    /** True where there may be others. */
    readonly isOpen: boolean;
  } {
    const groups = this.#groups.of(ids);
    const found = [
      ...[...new Set(ids)].map((id) => [id, "serviceprincipal"] as const),
      ...groups.map((id) => [id, "group"] as const),
    ].flatMap(([id, kind]) =>
      (this.#byPrincipal.get(id) ?? []).map((each) => ({ each, isTaken: this.#isOfKind(each, kind) })),
    );
    const all = [...ids, ...groups];
    return {
      assignments: found.filter(({ isTaken }) => isTaken).map(({ each }) => this.#fact(each)),
      possible: [
        ...found.filter(({ isTaken }) => !isTaken).map(({ each }) => this.#fact(each)),
        ...this.#possible
          .filter(({ principal }) => principal === "" || isUnowned(principal) || all.includes(principal))
          .map(({ fact }) => fact),
      ],
      isOpen: this.#isOpen,
    };
  }

  /** Azure refuses an assignment that states another type of principal (`UnmatchedPrincipalType`). */
  #isOfKind(resource: TerraformResource, kind: string): boolean {
    const stated = this.#terraform.text(resource, "principal_type").toLowerCase();
    return stated === "" || isLateText(stated) || stated === kind;
  }

  #ofAzapi(resource: TerraformResource): readonly PossibleAssignment[] {
    if (!text(own(resource.values, "type")).toLowerCase().startsWith(AZAPI)) return [];
    const stated = (key: string): string =>
      this.#terraform
        .resolve(text(at(resource.values, "body", "properties", key)), resource.scope)
        .toLowerCase();
    const scope = this.#terraform.text(resource, "parent_id");
    const fact = {
      ...this.#defined(stated("roleDefinitionId"), ""),
      scope,
      condition: "",
      source: resource.source,
    };
    return [{ fact, principal: stated("principalId") }];
  }

  #fact(resource: TerraformResource): AssignmentFact {
    const stated = (attribute: string): string => this.#terraform.text(resource, attribute);
    const [id, name] = [stated("role_definition_id").toLowerCase(), stated("role_definition_name")];
    const role = this.#definitions.get(id) ?? this.#definitions.get(nameKey(name));
    return {
      ...this.#defined(id, name),
      ...(role && isRefusedAt(role, stated("scope")) && { isRefused: true }),
      scope: stated("scope"),
      condition: stated("condition"),
      source: resource.source,
    };
  }

  #defined(id: string, name: string): Pick<AssignmentFact, "role" | "definition" | "permissions"> {
    const known = this.#definitions.get(id) ?? this.#definitions.get(nameKey(name));
    const { permissions } = (known?.isLookedUp ? this.#definitions.get(nameKey(known.name)) : known) ?? {};
    return {
      // The name of a role that is looked up may be that of a built-in one.
      role: name || builtInRole(id) || (known?.isLookedUp ? known.name : ""),
      definition: id,
      ...(permissions && { permissions }),
    };
  }
}

interface PossibleAssignment {
  readonly fact: AssignmentFact;
  /** Whose it is; empty where nobody knows. */
  readonly principal: string;
}
