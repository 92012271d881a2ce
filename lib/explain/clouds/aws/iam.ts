/*
 * IAM as Terraform declares it: OIDC providers, roles with their policies, and policies of repositories.
 */

import { blocks, list, own, text, texts } from "../../facts/access";
import type { Source } from "../../facts/source";
import {
  type ComputedAttribute,
  type Terraform,
  type TerraformResource,
  isLateText,
  providerOf,
} from "../../facts/terraform";
import { UNREAD_POLICY, policyOfArn } from "./policy-documents";

/** An OIDC provider. */
export interface OidcProviderFact {
  /** The issuer's URL with `https://`. */
  readonly url: string;
  /** Account id; empty where it is not known. */
  readonly account: string;
  /** The accepted audiences; `undefined` where they are not known, as of one that is only looked up. */
  readonly clientIds: readonly string[] | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** An IAM role. */
export interface RoleFact {
  /** `<path><name>`, the end of its ARN. */
  readonly pathName: string;
  /** Account id; empty where it is not known. */
  readonly account: string;
  /** The trust policy. */
  readonly trustPolicy: string;
  /** The identity policies, the permissions boundary not among them. */
  readonly policies: readonly string[];
  /** The document of the permissions boundary; `undefined` where there is none. */
  readonly boundary: string | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** The account that a resource's provider is limited to; empty where that is none or several. */
export function accountOf(resource: TerraformResource): string {
  const [, fromArn] = /^arn:[a-z-]+:[a-z]+:[a-z0-9-]*:(\d{12}):/.exec(text(resource.values["arn"])) ?? [];
  const allowed = texts(own(providerOf(resource), "allowed_account_ids"));
  const [only] = allowed;
  return fromArn ?? (allowed.length === 1 && only !== undefined ? only : "");
}

/** Who has this account where nothing says which; never a real one. */
export const NO_ACCOUNT = "000000000000";

/**
 * `arn` of an OIDC provider, from its URL. An account that is not known is {@link NO_ACCOUNT}, so that roles which refer
 * to the OIDC provider and the OIDC provider itself are seen to belong together.
 */
export const oidcProviderArnAttribute: ComputedAttribute = {
  type: "aws_iam_openid_connect_provider",
  attribute: "arn",
  value: (resource, terraform) => {
    const url = terraform.text(resource, "url").replace(/^https:\/\//, "");
    if (url === "" || isLateText(url)) return undefined;
    return `arn:aws:iam::${accountOf(resource) || NO_ACCOUNT}:oidc-provider/${url}`;
  },
};

/** Every OIDC provider. */
export function oidcProviders(terraform: Terraform): readonly OidcProviderFact[] {
  return terraform.ofType("aws_iam_openid_connect_provider").map((resource) => {
    const url = terraform.text(resource, "url");
    const ids = own(resource.values, "client_id_list");
    return {
      url: url.startsWith("https://") || isLateText(url) ? url : `https://${url}`,
      account: accountOf(resource),
      clientIds: Array.isArray(ids)
        ? texts(ids).map((id) => terraform.resolve(id, resource.scope))
        : undefined,
      source: resource.source,
    };
  });
}

/** Every role by the key of its resource, and by the end of its ARN. */
export class Roles {
  readonly #byResource = new Map<TerraformResource, RoleFact>();
  readonly #byName = new Map<string, RoleFact[]>();

  constructor(terraform: Terraform) {
    const attached = attachedPolicies(terraform);
    const resources = terraform.ofType("aws_iam_role");
    // A state does not say which account a policy is of; of two roles of one name neither's policies are known then.
    for (const key of repeated(resources.map((role) => roleKey(role, terraform.attribute(role, "name")))))
      attached.set(key, [UNREAD_POLICY]);
    for (const resource of resources) {
      const role = roleFact(resource, terraform, attached);
      this.#byResource.set(resource, role);
      this.#byName.set(role.pathName, [...(this.#byName.get(role.pathName) ?? []), role]);
    }
  }

  /** The role of a resource. */
  ofResource(resource: TerraformResource): RoleFact | undefined {
    return this.#byResource.get(resource);
  }

  /** The role of an ARN's account and end; one whose account is not known may be it, one of several may not. */
  ofArn(account: string, pathName: string): RoleFact | undefined {
    const named = this.#byName.get(pathName) ?? [];
    const open = named.filter((role) => role.account === "");
    return named.find((role) => role.account === account) ?? (open.length === 1 ? open[0] : undefined);
  }
}

type Attached = Map<string, readonly string[]>;

function repeated(keys: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return keys.filter((key) => seen.size === seen.add(key).size);
}

/** Roles of one name may stand in several accounts, and so in several documents or under several providers. */
function roleKey({ scope, provider }: TerraformResource, role: string): string {
  // The length keeps apart what a provider's name and a role's name could spell together.
  return `${scope.id} ${provider.length} ${provider} ${role}`;
}

/** Policies by the role that they are attached to. */
function attachedPolicies(terraform: Terraform): Attached {
  const attached: Attached = new Map();
  const add = (resource: TerraformResource, role: string, policy: string): void => {
    const key = roleKey(resource, role);
    attached.set(key, [...(attached.get(key) ?? []), policy]);
  };
  for (const resource of terraform.ofType("aws_iam_role_policy"))
    add(resource, terraform.text(resource, "role"), terraform.text(resource, "policy") || UNREAD_POLICY);
  for (const resource of terraform.ofType("aws_iam_role_policy_attachment"))
    add(
      resource,
      terraform.text(resource, "role"),
      policyOfArn(terraform.text(resource, "policy_arn"), terraform),
    );
  for (const resource of terraform.ofType("aws_iam_policy_attachment"))
    for (const role of texts(own(resource.values, "roles")))
      add(
        resource,
        terraform.resolve(role, resource.scope),
        policyOfArn(terraform.text(resource, "policy_arn"), terraform),
      );
  return attached;
}

function roleFact(resource: TerraformResource, terraform: Terraform, attached: Attached): RoleFact {
  const name = terraform.attribute(resource, "name");
  const path = terraform.text(resource, "path") || "/";
  const id = terraform.attribute(resource, "id");
  const boundary = terraform.text(resource, "permissions_boundary");
  const inline = blocks(own(resource.values, "inline_policy")).map((block) =>
    terraform.resolve(text(block["policy"]), resource.scope),
  );
  const managed = list(own(resource.values, "managed_policy_arns")).map((arn) =>
    policyOfArn(terraform.resolve(text(arn), resource.scope), terraform),
  );
  const names = [...new Set([name, id])].map((each) => roleKey(resource, each));
  // What somebody else attached to a role that is only looked up stands elsewhere.
  const elsewhere = resource.adopted ? [UNREAD_POLICY] : [];
  return {
    pathName: path.slice(1) + name,
    account: accountOf(resource),
    trustPolicy: terraform.text(resource, "assume_role_policy"),
    policies: [
      ...names.flatMap((each) => attached.get(each) ?? []),
      ...inline.filter(Boolean),
      ...managed,
      ...elsewhere,
    ],
    boundary: boundary === "" ? undefined : policyOfArn(boundary, terraform),
    source: resource.source,
  };
}
