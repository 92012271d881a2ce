/*
 * IAM knows rights on a project, none on a single cluster of it: all spokes of a project share one binding per
 * controller and role. It stands in the stack under a name of its own, so that no spoke's coming or going touches it.
 */

import { Annotations, type TerraformProvider, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { SpokeEntry, SpokeEntryRequest, SpokeUser } from "../../model/fleet";
import { isLate } from "../../model/late";
import type { AccessPrincipal } from "../../model/access-principal";
import type { AccessGrant } from "../../model/workloads";
import { type GkeRole, agentImpersonation, rbacUser } from "../../rules/google/spoke";
import { stableHash } from "../../rules/names";
import { withinStack } from "../shared/across-stacks";
import { RoleBinding } from "./role-binding";

/** How controllers are let into the clusters of a project. */
export interface ProjectEntry extends GkeRole {
  /** Id of the project. */
  readonly project: string;
  /** Terraform provider that sets the project's policy; `undefined` for the stack's default one. */
  readonly provider: TerraformProvider | undefined;
  /**
   * True where the Connect agent of a member that is no GKE cluster must impersonate the controllers.
   *
   * @defaultValue false
   */
  readonly impersonated?: boolean;
}

const POOL_PRINCIPAL = "principal://";

/**
 * Gives each controller the role on the project.
 *
 * Throws `google-spoke-member-invalid` for an identity that is neither a service account nor a pool's principal,
 * `google-unknown` where an agent must impersonate somebody without a known name, `google-mismatch`,
 * and what `RoleBinding` throws.
 */
export function enterProject(scope: Construct, request: SpokeEntryRequest, entry: ProjectEntry): SpokeEntry {
  const { spoke, controllers } = request;
  const members = at({ node: { path: `spoke ${spoke}` } }, () =>
    controllers.map((grant) => [grant, memberOf(grant)] as const),
  );
  const users = members.map(([{ subject }, { name }]): SpokeUser => {
    const user = rbacUser(name);
    return { subject, ...(user !== undefined && { user }), groups: [], authorized: entry.authorizes };
  });
  const agent = entry.impersonated === true ? impersonation(request, users) : {};
  for (const [grant, principal] of members) bind(scope, grant, principal, entry);
  const nameless = users.filter(({ user, authorized }) => user === undefined && !authorized);
  if (nameless.length > 0) Annotations.of(scope).addWarning(namelessWarning(spoke, nameless));
  return { users, ...agent };
}

/** The Connect agent's right to act as the controllers' users, which members outside of GKE do not give it. */
function impersonation(
  { hub, spoke }: SpokeEntryRequest,
  users: readonly SpokeUser[],
): Pick<SpokeEntry, "objects" | "comment"> {
  const objects = users.flatMap(({ subject, user }) =>
    agentImpersonation(
      `connect-agent:${hub}:${subject.namespace}:${subject.name}`,
      user ??
        fail("google-unknown", {
          problem: `the Connect agent of spoke ${spoke} must be allowed to impersonate the user of ${subject.key}, whose name is not known at synth`,
          value: subject.key,
          allowed: "a Google service account in a literal project",
          remedy: "act as Google service accounts: workloadServiceAccounts without impersonate: false",
        }),
    ),
  );
  return { objects, comment: ["The Connect agent of the member must run in the namespace gke-connect."] };
}

function bind(
  scope: Construct,
  { subject }: AccessGrant,
  { name, dependencies }: AccessPrincipal,
  { project, role, authorizes, provider }: ProjectEntry,
): void {
  const stack = TerraformStack.of(scope);
  const shortRole = role.slice(role.lastIndexOf("/") + 1);
  const who = isLate(name) ? [] : [stableHash([name, role])];
  const id = ["spokes", project, shortRole, subject.namespace, subject.name, ...who].join("_");
  const known = stack.node.tryFindChild(id) !== undefined;
  const binding = RoleBinding.once(stack, id, {
    project,
    role,
    member: name,
    dependencies: withinStack(scope, dependencies),
    ...(provider && { provider }),
  });
  if (binding.resource.provider !== provider)
    fail("google-mismatch", {
      problem: `two spokes of project ${project} give ${subject.key} ${role} through different Terraform providers, and share one binding`,
      value: project,
      allowed: "one `provider` for all spokes of a project",
      remedy: "give both the same provider",
    });
  if (authorizes && !known)
    Annotations.of(binding).addWarning(
      `${role} of ${subject.key} counts in every cluster of project ${project}; with roles/container.clusterViewer and RBAC it would have rights in the spokes alone`,
    );
}

function memberOf({ subject, identity, principal }: AccessGrant): AccessPrincipal {
  if (principal !== undefined) return principal;
  const direct = !isLate(identity) && identity.startsWith(POOL_PRINCIPAL);
  if (direct) return { name: identity, dependencies: [] };
  if (isLate(identity) || !identity.includes("@"))
    return fail("google-spoke-member-invalid", subject.key, identity);
  return { name: `serviceAccount:${identity}`, dependencies: [] };
}

function namelessWarning(spoke: string, users: readonly SpokeUser[]): string {
  const who = users.map(({ subject }) => subject.key).join(", ");
  return `RBAC of spoke ${spoke} must give rights to ${who}, but Google does not document the user name of a pool's principal: act as Google service accounts (workloadServiceAccounts without impersonate: false), whose user is the e-mail address`;
}
