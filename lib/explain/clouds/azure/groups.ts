/*
 * Groups of Entra and who is in them, groups in groups among them.
 */

import { blocks, own } from "../../facts/access";
import type { Terraform, TerraformResource } from "../../facts/terraform";
import { listed } from "../../facts/terraform-values";
import { isUnowned } from "./owners";

/** The versions of azuread name a group by either. */
const IDS: readonly string[] = ["object_id", "id"];

/** The groups that were read. */
export class Groups {
  /** All ids of the groups that somebody is a member of, by the member. */
  readonly #of = new Map<string, string[]>();
  /** Ids of groups whose members are not all read. */
  readonly #open = new Set<string>();
  readonly #ids = new Map<string, readonly string[]>();
  #isOpen = false;

  /** Indexes them. */
  constructor(terraform: Terraform) {
    const resources = terraform.ofType("azuread_group");
    for (const resource of resources) {
      const ids = IDS.map((attribute) => terraform.attribute(resource, attribute).toLowerCase());
      for (const id of ids) this.#ids.set(id, ids);
      const members = listed(resource.values["members"]).map((each) =>
        terraform.resolve(each, resource.scope).toLowerCase(),
      );
      for (const member of members) this.#add(member, ids);
      if (resource.adopted || isDynamic(resource) || members.some(isUnowned))
        for (const id of ids) this.#open.add(id);
    }
    for (const resource of terraform.ofType("azuread_group_member")) {
      const [group = "", member = ""] = ["group_object_id", "member_object_id"].map((attribute) =>
        terraform.text(resource, attribute).toLowerCase(),
      );
      if (isUnowned(group)) this.#isOpen = true;
      const ids = this.#ids.get(group) ?? [group];
      if (isUnowned(member)) for (const id of ids) this.#open.add(id);
      this.#add(member, ids);
    }
  }

  /** True where the id is that of a group which others may be in than those that were read. */
  isOpen(id: string): boolean {
    return this.#open.has(id) || (this.#isOpen && this.#ids.has(id));
  }

  /** The ids of all groups that a member is in, at any depth. */
  of(members: readonly string[]): readonly string[] {
    if (this.#of.size === 0) return [];
    const found = new Set<string>();
    const next = [...members];
    for (let member = next.pop(); member !== undefined; member = next.pop())
      for (const group of this.#of.get(member) ?? [])
        if (!found.has(group)) {
          found.add(group);
          next.push(group);
        }
    return [...found];
  }

  #add(member: string, groups: readonly string[]): void {
    const known = this.#of.get(member);
    if (known) known.push(...groups);
    else this.#of.set(member, [...groups]);
  }
}

/** One whose members a rule chooses. */
function isDynamic({ values }: TerraformResource): boolean {
  const written = own(values, "dynamic_membership");
  return typeof written === "string" || blocks(written).length > 0;
}
