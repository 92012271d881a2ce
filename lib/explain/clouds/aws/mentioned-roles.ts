/*
 * The roles that an expression speaks of where it cannot be followed: one of several instances, one of a list, one that
 * a function or a condition chooses. Each of them may be meant.
 */

import { own } from "../../facts/access";
import {
  CallerValue,
  type Terraform,
  type TerraformResource,
  type TerraformScope,
} from "../../facts/terraform";

/** A reference that was not followed, with the number of its document. */
const KEPT = /\$\{(\d+)#([^{}]*)\}/g;
/** A name with everything that is taken of it: `local.roles["web"].name`. No character is read twice. */
const TRAVERSAL = /[A-Za-z_][\w-]*(?:\.[\w-]+|\[[^[\]]*\])*/g;
const ROLE = /^(?:module\.[\w-]+(?:\[[^[\]]*\])?\.)*(?:data\.)?aws_iam_role\.[\w-]+/;
const NAMED = /^((?:local|var)\.[\w-]+)(.*)$/s;
const STEP = /\.([\w-]+)|\["([^"[\]]*)"\]|\[(\d+)\]|\[[^[\]]*\]/g;
const KEY = /\[[^[\]]*\]/g;

/** A role's document and its address without the keys of instances, as one text. */
export function roleKey({ id }: TerraformScope, address: string): string {
  return `${id}#${address.replace(KEY, "")}`;
}

/**
 * The keys of the roles that an argument of a resource mentions, also by locals, variables, and what `for_each` goes
 * through. `resolved` is the argument with its references followed as far as they go.
 */
export function mentionedRoles(
  resource: TerraformResource,
  argument: string,
  resolved: string,
  terraform: Terraform,
): ReadonlySet<string> {
  const roles = new Set<string>();
  const seen = new Set<string>();
  const open: Written[] = [{ value: argument, scope: resource.scope }];
  for (const [whole, id] of resolved.matchAll(KEPT)) {
    const scope = terraform.scopes[Number(id)];
    if (scope) open.push({ value: whole, scope });
  }
  // A list that grows, so that no chain of locals is too long for it.
  for (const written of open)
    for (const traversal of traversals(written.value)) {
      const key = `${written.scope.id}#${traversal}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const [role] = ROLE.exec(traversal) ?? [];
      if (role === undefined) open.push(...meant(traversal, written.scope, resource));
      else roles.add(roleKey(written.scope, role));
    }
  return roles;
}

/** What somebody wrote, and the configuration that its references are of. */
interface Written {
  readonly value: unknown;
  readonly scope: TerraformScope;
}

/** The names in a text, and in those of a list or a mapping; only what an expression stands in refers to anything. */
function traversals(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null)
    return Object.values(value).flatMap((each: unknown) => traversals(each));
  const start = typeof value === "string" ? value.indexOf("${") : -1;
  return start < 0 ? [] : (String(value).slice(start).match(TRAVERSAL) ?? []);
}

/** What a local, a variable or `each` stands for. */
function meant(traversal: string, scope: TerraformScope, resource: TerraformResource): readonly Written[] {
  if (/^each\b/.test(traversal))
    return [{ value: own(resource.written ?? resource.values, "for_each"), scope: resource.scope }];
  const [, name, rest = ""] = NAMED.exec(traversal) ?? [];
  if (name === undefined) return [];
  const path = [...rest.matchAll(STEP)].map(([, attribute, key, index]) => attribute ?? key ?? index);
  const named = scope.named.get(name);
  return named instanceof CallerValue
    ? named.callers().map((caller) => ({ value: within(named.value, path), scope: caller }))
    : [{ value: within(named, path), scope }];
}

/** What a path leads to, as far as it is written: the whole where an expression makes it, or chooses of it. */
function within(whole: unknown, path: readonly (string | undefined)[]): unknown {
  let value = whole;
  for (const key of path) {
    const list: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    const inner = key === undefined ? undefined : list ? list[Number(key)] : own(value, key);
    if (inner === undefined) return value;
    value = inner;
  }
  return value;
}
