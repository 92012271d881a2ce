/*
 * Pool providers and grants on repositories as Terraform declares them.
 */

import { at, blocks, own, record, text, texts } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, providerOf } from "../../facts/terraform";

/** A provider of a workload identity pool. */
export interface PoolProviderFact {
  /** Id of the pool. */
  readonly poolId: string;
  /** Id of the pool provider. */
  readonly providerId: string;
  /** The issuer that it trusts. */
  readonly issuer: string;
  /** The audiences that it accepts; empty for its own name. */
  readonly audiences: readonly string[];
  /** Expressions by attribute. */
  readonly mapping: ReadonlyMap<string, string>;
  /** True where it is switched off. */
  readonly disabled: boolean;
  /** The attribute condition; empty where there is none. */
  readonly condition: string;
  /** Where it stands. */
  readonly source: Source;
}

/** A grant on one repository, or on all of a project. */
export interface GrantFact {
  /** The members. */
  readonly members: readonly string[];
  /** The role. */
  readonly role: string;
  /** Id of the project; empty where it is not known. */
  readonly project: string;
  /** Location of the repository; empty for a grant on the project. */
  readonly location: string;
  /** Name of the repository; empty for a grant on the project. */
  readonly repository: string;
  /** True where a condition limits it in a way that is not read here. */
  readonly conditional: boolean;
  /** Where it stands. */
  readonly source: Source;
}

/** Every pool provider. */
export function poolProviders(terraform: Terraform): readonly PoolProviderFact[] {
  return terraform.ofType("google_iam_workload_identity_pool_provider").map((resource) => {
    const [oidc] = blocks(own(resource.values, "oidc"));
    const resolved = (value: unknown): string => terraform.resolve(text(value), resource.scope);
    return {
      poolId: terraform.text(resource, "workload_identity_pool_id"),
      providerId: terraform.text(resource, "workload_identity_pool_provider_id"),
      issuer: resolved(own(oidc, "issuer_uri")),
      audiences: texts(own(oidc, "allowed_audiences")).map(resolved),
      mapping: new Map(
        Object.entries(record(resource.values["attribute_mapping"])).map(([key, value]) => [
          key,
          resolved(value),
        ]),
      ),
      disabled: resource.values["disabled"] === true,
      condition: terraform.text(resource, "attribute_condition"),
      source: resource.source,
    };
  });
}

const REPOSITORY_TYPES: readonly string[] = [
  "google_artifact_registry_repository_iam_member",
  "google_artifact_registry_repository_iam_binding",
];
const PROJECT_TYPES: readonly string[] = ["google_project_iam_member", "google_project_iam_binding"];

/** Every grant by member. */
export function grantsByMember(terraform: Terraform): ReadonlyMap<string, readonly GrantFact[]> {
  const byMember = new Map<string, GrantFact[]>();
  for (const type of [...REPOSITORY_TYPES, ...PROJECT_TYPES]) {
    for (const resource of terraform.ofType(type)) {
      const grant = grantFact(resource, terraform);
      for (const member of grant.members) {
        const same = byMember.get(member);
        if (same) same.push(grant);
        else byMember.set(member, [grant]);
      }
    }
  }
  return byMember;
}

function grantFact(resource: TerraformResource, terraform: Terraform): GrantFact {
  const { values, scope } = resource;
  const name = terraform.text(resource, "repository");
  // Also written as `projects/<project>/locations/<location>/repositories/<repository>`.
  const [, project, location, repository] =
    /^projects\/([^/]+)\/locations\/([^/]+)\/repositories\/([^/]+)$/.exec(name) ?? [];
  const members = [text(values["member"]), ...texts(values["members"])].filter((member) => member !== "");
  return {
    members: members.map((member) => terraform.resolve(member, scope)),
    role: terraform.text(resource, "role"),
    project: project ?? (terraform.text(resource, "project") || text(at(providerOf(resource), "project"))),
    location: location ?? terraform.text(resource, "location"),
    repository: repository ?? name,
    conditional: blocks(values["condition"]).length > 0,
    source: resource.source,
  };
}
