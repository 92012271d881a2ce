/*
 * What Terraform grants to members of IAM policies, on whatever resource, and who takes grants away again.
 *
 * Source: registry.terraform.io/providers/hashicorp/google/latest/docs/resources/google_project_iam: `iam_member` adds
 * to a policy, `iam_binding` owns the members of a role, `iam_policy` owns all of it.
 */

import {
  type Known,
  type Ternary,
  and,
  andThen,
  known,
  map,
  match,
  or,
  orElse,
  same,
  shown,
  unread,
  withoutPrefix,
} from "../../model/known";
import { type Tree, childOf, isTreeList, listAt, textAt, optionalText } from "../../model/tree";
import { CelExpression } from "../../rules/google/cel-evaluation";
import { hasTooManyOperators } from "../../rules/google/role-condition";
import { type Block, type Resource, referredResource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { piecesOf, projectOf } from "./names";

/** What a policy is of. */
export interface Target {
  /** `project`, `bucket`, `pubsub topic`, `service account`, {@link REPOSITORY}. */
  readonly kind: string;
  /** Id or name; of a service account the e-mail address. */
  readonly name: Known<string>;
  /** The project of a repository; of a project its own id; `undefined` for other kinds. */
  readonly project: Known<string> | undefined;
  /** The location of a repository; `undefined` for other kinds. */
  readonly location: Known<string> | undefined;
}

/** A role for members. */
export interface Grant {
  /** What it is on. */
  readonly on: Target;
  /** The role. */
  readonly role: Known<string>;
  /** The members. */
  readonly members: Known<readonly Known<string>[]>;
  /** The condition under which it counts; `undefined` where there is none. */
  readonly condition: CelExpression | undefined;
  /** The resource that declares it; whether it is there may depend on `count` or `for_each`. */
  readonly resource: Resource;
}

type Binding = Pick<Grant, "role" | "members" | "condition">;

/** Kind of the repositories of Artifact Registry. */
export const REPOSITORY = "artifact registry repository";
/** Kind of service accounts. */
export const ACCOUNT = "service account";

const TYPE = /^google_(.+)_iam_(member|binding|policy|member_remove)$/;
const PATH =
  /^(?:\/\/artifactregistry\.googleapis\.com\/)?projects\/([^/]+)\/locations\/([^/]+)\/repositories\/([^/]+)$/;
const ACCOUNT_NAME = /^projects\/[^/]+\/serviceAccounts\/(.+)$/;

/** A resource that owns grants. */
interface Owner {
  readonly on: Target;
  readonly form: string;
  readonly grants: readonly Grant[];
  readonly resource: Resource;
}

/** Every grant, and every resource that owns a policy or a role of it. */
export class Grants {
  /** The grants. */
  readonly all: readonly Grant[];
  readonly #owners = new Map<string, Owner[]>();

  constructor({ scopes }: Terraform) {
    const all: Grant[] = [];
    for (const { resources } of scopes)
      for (const resource of resources.values()) {
        const [, type, form] = TYPE.exec(resource.type) ?? [];
        if (type === undefined || form === undefined || resource.adopted) continue;
        const on = targetOf(resource, type);
        const bindings = bindingsOf(resource, form);
        // Google refuses all of it.
        if (bindings.some((binding) => isRefused(binding, on))) continue;
        const grants = bindings.map((binding) => ({ ...binding, on, resource }));
        if (form !== "member_remove") all.push(...grants);
        if (form === "member") continue;
        const owner = { on, form, grants, resource };
        const same = this.#owners.get(on.kind);
        if (same) same.push(owner);
        else this.#owners.set(on.kind, [owner]);
      }
    this.all = all;
  }

  /**
   * The resource that may take a grant away, since it owns the same policy or role, and does not name the member for it:
   * what was applied last counts. `undefined` where there is none.
   */
  against(grant: Grant, isMember: (member: Known<string>) => Ternary): Resource | undefined {
    return this.#owners.get(grant.on.kind)?.find((owner) => {
      if (owner.resource === grant.resource || sameTarget(owner.on, grant.on) === "no") return false;
      const alike = owner.grants.filter(
        (own) =>
          same(own.role, grant.role) !== "no" && same(conditionText(own), conditionText(grant)) !== "no",
      );
      const named = alike.map((own) => and(same(own.role, grant.role), anyMember(own, isMember)));
      if (owner.form === "member_remove") return named.some((each) => each !== "no");
      return (owner.form === "policy" || alike.length > 0) && !named.includes("yes");
    })?.resource;
  }
}

/** Whether one of the members is the one in question. */
export function anyMember(
  { members }: Pick<Grant, "members">,
  isMember: (member: Known<string>) => Ternary,
): Ternary {
  return match(
    members,
    (all) => or(...all.map(isMember)),
    (): Ternary => "unknown",
  );
}

/** Whether two policies are of the same resource. */
export function sameTarget(one: Target, other: Target): Ternary {
  if (one.kind !== other.kind) return "no";
  const both = (a: Known<string> | undefined, b: Known<string> | undefined): Ternary =>
    a && b ? same(a, b) : "yes";
  return and(
    same(one.name, other.name),
    both(one.project, other.project),
    both(one.location, other.location),
  );
}

/** What a grant is on, for people: `project acme`, `bucket logs`. */
export function targetText({ kind, name }: Target): string {
  return `${kind} ${shown(name)}`;
}

/** A grant for people. */
export function grantText({ role, on, condition }: Grant): string {
  return `${shown(role)} on ${targetText(on)}${condition === undefined ? "" : " under a condition"}`;
}

function conditionText({ condition }: Binding): Known<string> {
  return condition?.text ?? known("");
}

function targetOf(resource: Resource, type: string): Target {
  const kind = type.replace(/^storage_bucket$/, "bucket").replaceAll("_", " ");
  const project = projectOf(resource);
  if (kind === "project") return { kind, name: project, project, location: undefined };
  // Resources are named by the last word of their type: google_storage_bucket_iam_member by bucket.
  const word =
    kind === ACCOUNT
      ? "service_account_id"
      : kind === "organization"
        ? "org_id"
        : (type.split("_").at(-1) ?? "");
  const name = resource.stated(word);
  if (kind === ACCOUNT) {
    const [email] = orElse(piecesOf(name, ACCOUNT_NAME), () => undefined) ?? [name];
    return { kind, name: email ?? name, project: undefined, location: undefined };
  }
  if (kind !== REPOSITORY)
    return { kind, name: withoutPrefix(name, "b/"), project: undefined, location: undefined };
  const path = orElse(piecesOf(name, PATH), () => undefined);
  const [ofProject = project, location = resource.stated("location"), repository = name] = path ?? [];
  return { kind, name: repository, project: ofProject, location };
}

function bindingsOf(resource: Resource, form: string): readonly Binding[] {
  if (form === "member" || form === "member_remove") {
    const isAbsent = (name: string): boolean => orElse(resource.text(name), () => "open") === undefined;
    // Terraform refuses it.
    if (isAbsent("member") || isAbsent("role")) return [];
    return [bindingOf(resource, known([resource.stated("member")]))];
  }
  if (form === "binding") return [bindingOf(resource, resource.list("members"))];
  const document = referredResource(resource.text("policy_data"), ["policy_data"]);
  const bindings: Known<readonly Binding[]> = document
    ? map(document.blocks("binding"), (blocks) =>
        blocks.map((block) => bindingOf(block, block.list("members"))),
      )
    : writtenBindings(resource.json("policy_data"));
  return orElse(bindings, (): readonly Binding[] => [UNREAD]);
}

const UNREAD: Binding = {
  role: unread("a policy that only apply tells"),
  members: unread("a policy that only apply tells"),
  condition: undefined,
};

function writtenBindings(policy: Tree): Known<readonly Binding[]> {
  return andThen(childOf(policy, "bindings"), (bindings) =>
    isTreeList(bindings)
      ? known(
          bindings.map((binding) => ({
            role: textAt(childOf(binding, "role")),
            members: map(listAt(childOf(binding, "members")), (members) => members.map(textAt)),
            condition: conditionOf(optionalText(childOf(binding, "condition", "expression"))),
          })),
        )
      : unread("a policy without bindings"),
  );
}

function bindingOf(block: Block, members: Grant["members"]): Binding {
  const expression = andThen(block.block("condition"), (condition): Known<string | undefined> =>
    condition ? condition.stated("expression") : known(undefined),
  );
  return { role: block.stated("role"), members, condition: conditionOf(expression) };
}

function conditionOf(expression: Known<string | undefined>): CelExpression | undefined {
  return match(
    expression,
    (text) => (text === undefined ? undefined : new CelExpression(known(text))),
    () => new CelExpression(map(expression, (text) => text ?? "")),
  );
}

/** Source: docs.cloud.google.com/iam/docs/conditions-overview, "Conditions in allow policies". */
const UNCONDITIONAL: readonly string[] = ["roles/owner", "roles/editor", "roles/viewer"];
const ROLE = /^(?:(?:projects|organizations)\/[^/]+\/)?roles\/[^/]+$/;
const EVERYONE: readonly string[] = ["allUsers", "allAuthenticatedUsers"];

/** Source: REST reference of projects.setIamPolicy; a condition must not be on a basic role or on everyone. */
function isRefused({ role, members, condition }: Binding, on: Target): boolean {
  const named = orElse(role, () => undefined);
  const isEveryone = orElse(members, () => []).some((member) => EVERYONE.includes(orElse(member, () => "")));
  if (isEveryone && (on.kind === "project" || condition !== undefined)) return true;
  if (named !== undefined && !ROLE.test(named)) return true;
  if (condition === undefined) return false;
  const expression = orElse(condition.text, () => "");
  return UNCONDITIONAL.includes(named ?? "") || hasTooManyOperators(expression);
}
