/*
 * The roles that Terraform grants to members of IAM policies on any resource, and the resources that own such policies.
 *
 * Source: registry.terraform.io/providers/hashicorp/google/latest/docs/resources/google_project_iam: `iam_member` adds
 * to a policy, `iam_binding` owns the members of one role, `iam_policy` owns the whole policy.
 */

import {
  type Known,
  type Ternary,
  and,
  andThen,
  isAbsent,
  joined,
  known,
  map,
  orElse,
  same,
  shown,
  unread,
  whether,
  withoutPrefix,
} from "../../model/known";
import { type Tree, childOf, isTreeList, listAt, optionalText, textAt } from "../../model/tree";
import { CelExpression } from "../../rules/google/cel-evaluation";
import { hasTooManyOperators } from "../../rules/google/permission";
import { type Block, type Resource, referredResource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { AUTHENTICATED, EVERYONE } from "./members";
import { isProjectNumber, piecesOf, projectOf, projectOfEmail } from "./names";

export interface Target {
  /** `project`, `bucket`, `secret`, `pubsub topic`, {@link ACCOUNT}, {@link REPOSITORY}. */
  readonly kind: string;
  /** Id or name; for a service account the e-mail address. */
  readonly name: Known<string>;
  /** The project of a repository, or a project's own id; `undefined` for other kinds. */
  readonly project?: Known<string>;
  /** The location of a repository; `undefined` for other kinds. */
  readonly location?: Known<string>;
}

interface Binding {
  readonly role: Known<string>;
  readonly members: Known<readonly Known<string>[]>;
  /** The condition under which it takes effect; `undefined` without a condition. */
  readonly condition: CelExpression | undefined;
}

export interface Grant extends Binding {
  readonly on: Target;
  /** The resource that declares it; `count` or `for_each` may decide whether it exists. */
  readonly resource: Resource;
}

/** A resource that owns a policy or one of its roles, or removes a member. */
export interface Owner {
  readonly on: Target;
  readonly form: string;
  readonly grants: readonly Grant[];
  readonly resource: Resource;
}

export const REPOSITORY = "artifact registry repository";
export const ACCOUNT = "service account";

const TYPE = /^google_(.+)_iam_(member|binding|policy|member_remove)$/;
const PATH =
  /^(?:\/\/artifactregistry\.googleapis\.com\/)?projects\/([^/]+)\/locations\/([^/]+)\/repositories\/([^/]+)$/;
const ACCOUNT_NAME = /^projects\/[^/]+\/serviceAccounts\/(.+)$/;

/** Reads every grant, and every resource that owns grants. */
export function readGrants({ scopes }: Terraform): {
  readonly grants: readonly Grant[];
  readonly owners: readonly Owner[];
} {
  const [collected, owners]: [Grant[], Owner[]] = [[], []];
  for (const resource of scopes.flatMap(({ resources }) => [...resources.values()])) {
    const [, type, form] = TYPE.exec(resource.type) ?? [];
    if (type === undefined || form === undefined || resource.adopted) continue;
    const on = targetOf(resource, type);
    const bindings = bindingsOf(resource, form);
    // Google refuses the whole policy.
    if (bindings.some((binding) => isRefused(binding, on))) continue;
    const grants = bindings.map((binding) => ({ ...binding, on, resource }));
    if (form !== "member_remove") for (const grant of grants) collected.push(grant);
    if (form !== "member") owners.push({ on, form, grants, resource });
  }
  return { grants: collected, owners };
}

/** Whether a resource may remove a grant, because it owns the same policy or role and does not list the member. */
export function takesAway(
  { on, form, grants, resource }: Owner,
  grant: Grant,
  isMember: (member: Known<string>) => Ternary,
): boolean {
  if (resource === grant.resource || on.kind !== grant.on.kind || sameTarget(on, grant.on) === "no")
    return false;
  const alike = grants.filter(
    (own) => and(same(own.role, grant.role), same(conditionText(own), conditionText(grant))) !== "no",
  );
  const named = alike.map((own) => and(same(own.role, grant.role), anyMember(own, isMember)));
  if (form === "member_remove") return named.some((each) => each !== "no");
  return (form === "policy" || alike.length > 0) && !named.includes("yes");
}

export function anyMember(
  { members }: Pick<Grant, "members">,
  isMember: (member: Known<string>) => Ternary,
): Ternary {
  return whether(members, (all) => {
    let answer: Ternary = "no";
    for (const each of all) {
      const holds = isMember(each);
      if (holds === "yes") return holds;
      if (holds === "unknown") answer = holds;
    }
    return answer;
  });
}

/** Whether two projects are one; a number and an id may be. */
function sameProject(one: Known<string>, other: Known<string>): Ternary {
  return isProjectNumber(one) === isProjectNumber(other) ? same(one, other) : "unknown";
}

function sameTarget(one: Target, other: Target): Ternary {
  const [project, otherProject] = [one.project, other.project];
  return and(
    one.kind === "project" ? "yes" : same(one.name, other.name),
    project === undefined || otherProject === undefined ? "yes" : sameProject(project, otherProject),
    one.location === undefined || other.location === undefined ? "yes" : same(one.location, other.location),
  );
}

/** What a grant is on, for display: `project acme`, `bucket logs`. */
export function targetText({ kind, name }: Target): string {
  return `${kind} ${shown(name)}`;
}

export function grantText({ role, on, condition }: Grant): string {
  return `${shown(role)} on ${targetText(on)}${condition === undefined ? "" : " under a condition"}`;
}

function conditionText({ condition }: Binding): Known<string> {
  return condition?.text ?? known("");
}

/** The arguments that name other resources than the last word of their type. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["organization", "org_id"],
  ["gke_hub_membership", "membership_id"],
]);

function targetOf(resource: Resource, type: string): Target {
  const kind = type.replace(/^storage_bucket$/, "bucket").replaceAll("_", " ");
  const project = projectOf(resource);
  if (kind === "project") return { kind, name: project, project };
  if (kind === ACCOUNT) {
    const name = resource.stated("service_account_id");
    const [email = name] = piecesOf(name, ACCOUNT_NAME);
    return { kind, name: email };
  }
  if (kind === "secret manager secret") {
    const id = resource.stated("secret_id");
    const isFull = orElse(id, () => "/").includes("/");
    return { kind: "secret", name: isFull ? id : joined("projects/", project, "/secrets/", id) };
  }
  // The last word of the type names the argument: `bucket` for google_storage_bucket_iam_member.
  const name = resource.stated(NAMED_BY.get(type) ?? type.split("_").at(-1) ?? "");
  if (kind !== REPOSITORY) return { kind, name: withoutPrefix(name, "b/") };
  const [ofProject = project, location = resource.stated("location"), repository = name] = piecesOf(
    name,
    PATH,
  );
  return { kind, name: repository, project: ofProject, location };
}

const UNREAD_POLICY = unread("a policy known only after apply");

function bindingsOf(resource: Resource, form: string): readonly Binding[] {
  if (form === "binding") return [bindingOf(resource, resource.list("members"))];
  if (form !== "policy") {
    // Terraform refuses a grant without member or role.
    if (isAbsent(resource.text("member")) || isAbsent(resource.text("role"))) return [];
    return [bindingOf(resource, known([resource.stated("member")]))];
  }
  const document = referredResource(resource.text("policy_data"), ["policy_data"]);
  const bindings: Known<readonly Binding[]> = document
    ? map(document.blocks("binding"), (blocks) =>
        blocks.map((block) => bindingOf(block, block.list("members"))),
      )
    : writtenBindings(resource.json("policy_data"));
  return orElse(bindings, () => [{ role: UNREAD_POLICY, members: UNREAD_POLICY, condition: undefined }]);
}

function writtenBindings(policy: Tree): Known<readonly Binding[]> {
  return andThen(childOf(policy, "bindings"), (bindings) =>
    isTreeList(bindings)
      ? known(
          bindings.map((binding) => ({
            role: textAt(childOf(binding, "role")),
            members: map(listAt(childOf(binding, "members")), (members) => members.map(textAt)),
            condition: expressionOf(optionalText(childOf(binding, "condition", "expression"))),
          })),
        )
      : unread("a policy without bindings"),
  );
}

function bindingOf(block: Block, members: Grant["members"]): Binding {
  const expression = andThen(block.block("condition"), (condition): Known<string | undefined> =>
    condition ? condition.stated("expression") : known(undefined),
  );
  return { role: block.stated("role"), members, condition: expressionOf(expression) };
}

/** The expression in a text; `undefined` if there is none. */
export function expressionOf(text: Known<string | undefined>): CelExpression | undefined {
  if (isAbsent(text)) return undefined;
  return new CelExpression(map(text, (written) => written ?? ""));
}

const ROLE = /^(?:(?:projects|organizations)\/[^/]+\/)?roles\/[^/]+$/;
const PROJECT_ROLE = /^projects\/([^/]+)\/roles\//;
const UNCONDITIONAL = /^roles\/(?:owner|editor|viewer)$/;

/** Whether a custom role is of a project other than the resource's, where it cannot be granted (iam/docs/roles-overview). */
function isForeign(role: Known<string>, { kind, name, project }: Target): boolean {
  const [owner] = piecesOf(role, PROJECT_ROLE);
  if (owner === undefined) return false;
  if (kind === "folder" || kind === "organization") return true;
  const own = kind === ACCOUNT ? projectOfEmail(name) : project;
  return own !== undefined && sameProject(owner, own) === "no";
}

/** Sources: cloud.google.com/iam/docs/conditions-overview, "Conditions in allow policies"; projects.setIamPolicy. */
function isRefused({ role, members, condition }: Binding, on: Target): boolean {
  const name = orElse(role, () => undefined);
  const isForEveryone = orElse(members, () => []).some((member) =>
    [EVERYONE, AUTHENTICATED].includes(orElse(member, () => "")),
  );
  if ((isForEveryone && on.kind === "project") || (name !== undefined && !ROLE.test(name))) return true;
  if (isForeign(role, on)) return true;
  if (condition === undefined) return false;
  const isUnconditional = isForEveryone || UNCONDITIONAL.test(name ?? "");
  return isUnconditional || hasTooManyOperators(orElse(condition.text, () => ""));
}
