/*
 * IAM as Terraform declares it: OIDC providers, roles with their policies, and policies of repositories.
 */

import { own, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import {
  type ComputedAttribute,
  type Terraform,
  type TerraformResource,
  isLateText,
} from "../../facts/terraform";
import { knownBlocks, listed } from "../../facts/terraform-values";
import { accountOf, partitionOfResource } from "./account-of";
import { AttachedPolicies, type PerhapsPolicy } from "./attached-policies";
import { OrganizationPolicies } from "./organization-policies";
import { UNREAD_POLICY, inlinePolicy, policyOfArn } from "./policy-documents";
import type { RoleFact } from "./role-fact";
import { agreed } from "./role-agreement";

/** An OIDC provider. */
export interface OidcProviderFact {
  /** Address of its resource. */
  readonly address: string;
  /** The issuer's URL with `https://`. */
  readonly url: string;
  /** Its ARN, or a reference to it. */
  readonly arn: string;
  /** Account id; empty where it is not known. */
  readonly account: string;
  /** The accepted audiences; `undefined` where they are not known, as of one that is only looked up. */
  readonly clientIds: readonly string[] | undefined;
  /** Where it stands. */
  readonly source: Source;
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
      address: resource.address,
      url: url.startsWith("https://") || isLateText(url) ? url : `https://${url}`,
      arn: terraform.attribute(resource, "arn"),
      account: accountOf(resource),
      clientIds: Array.isArray(ids)
        ? listed(ids).map((id) => terraform.resolve(id, resource.scope))
        : undefined,
      source: resource.source,
    };
  });
}

/** Every role by its resource, and by the end of its ARN. What nobody asks of is not put together. */
export class Roles {
  readonly #terraform: Terraform;
  readonly #attached: AttachedPolicies;
  readonly #organization: OrganizationPolicies;
  readonly #byName = new Map<string, TerraformResource[]>();

  constructor(terraform: Terraform) {
    this.#terraform = terraform;
    for (const resource of terraform.ofType("aws_iam_role")) {
      const name = terraform.attribute(resource, "name");
      const same = this.#byName.get(name);
      if (same) same.push(resource);
      else this.#byName.set(name, [resource]);
    }
    this.#attached = new AttachedPolicies(terraform, (name) => this.#named(name));
    this.#organization = new OrganizationPolicies(terraform);
  }

  /** The role of a resource. */
  ofResource(resource: TerraformResource): RoleFact | undefined {
    const named = this.#named(this.#terraform.attribute(resource, "name"));
    return named.includes(resource) ? this.#fact(resource) : undefined;
  }

  /** The role of an ARN's account and end; one whose account is not known may be it, one of several may not. */
  ofArn(account: string, pathName: string): RoleFact | undefined {
    const resources = this.#named(pathName.slice(pathName.lastIndexOf("/") + 1));
    const [only] = resources;
    if (only && resources.length === 1) {
      const role = this.#fact(only);
      return role.pathName === pathName && (role.account === "" || role.account === account)
        ? role
        : undefined;
    }
    const named = resources.map((each) => this.#fact(each)).filter((role) => role.pathName === pathName);
    const open = named.filter((role) => role.account === "");
    const here = named.filter((role) => role.account === account && account !== "");
    return here.length > 0 ? agreed(here) : open.length === 1 ? open[0] : undefined;
  }

  #named(name: string): readonly TerraformResource[] {
    return this.#byName.get(name) ?? [];
  }

  /** Made anew for each who asks: most roles are asked about once, and there may be tens of thousands. */
  #fact(resource: TerraformResource): RoleFact {
    const terraform = this.#terraform;
    const name = terraform.attribute(resource, "name");
    const boundary = terraform.text(resource, "permissions_boundary");
    const account = accountOf(resource);
    const path = terraform.text(resource, "path");
    return new DeclaredRole(resource, {
      pathName: path === "" ? name : path.slice(1) + name,
      account,
      trustPolicy: terraform.text(resource, "assume_role_policy"),
      policies: this.#policies(resource, name),
      perhaps: this.#organization.joined(this.#attached.perhapsOf(resource), account),
      boundary: boundary === "" ? undefined : policyOfArn(boundary, terraform),
    });
  }

  #policies(resource: TerraformResource, name: string): readonly string[] {
    const attached = this.#isRepeated(resource, name) ? [UNREAD_POLICY] : this.#attached.of(resource);
    const { values, adopted } = resource;
    const isPlain = values["inline_policy"] === undefined && values["managed_policy_arns"] === undefined;
    if (isPlain && !adopted) return attached;
    // What somebody else attached to a role that is only looked up stands elsewhere.
    return [...attached, ...ownPolicies(resource, this.#terraform), ...(adopted ? [UNREAD_POLICY] : [])];
  }

  /** A state does not say which account a policy is of; of two roles of one name neither's policies are known then. */
  #isRepeated({ scope, provider }: TerraformResource, name: string): boolean {
    const named = this.#named(name);
    if (named.length === 1) return false;
    return named.filter((each) => each.scope === scope && each.provider === provider).length > 1;
  }
}

/** A role whose place is read from its resource. */
class DeclaredRole implements RoleFact {
  readonly pathName: string;
  readonly account: string;
  readonly trustPolicy: string;
  readonly policies: readonly string[];
  readonly perhaps: readonly PerhapsPolicy[];
  readonly boundary: string | undefined;
  readonly #resource: TerraformResource;

  constructor(resource: TerraformResource, role: Omit<RoleFact, "source" | "adopted">) {
    this.pathName = role.pathName;
    this.account = role.account;
    this.trustPolicy = role.trustPolicy;
    this.policies = role.policies;
    this.perhaps = role.perhaps;
    this.boundary = role.boundary;
    this.#resource = resource;
  }

  get adopted(): boolean {
    return this.#resource.adopted;
  }

  get partition(): string | undefined {
    return partitionOfResource(this.#resource);
  }

  get source(): Source {
    return this.#resource.source;
  }
}

/** The policies that the role's own resource holds; what an expression makes of them is unread. */
function ownPolicies({ values, scope }: TerraformResource, terraform: Terraform): readonly string[] {
  const inline = knownBlocks(own(values, "inline_policy"))?.map((block) => {
    const named = text(block["name"]) !== "";
    return inlinePolicy(terraform.resolve(text(block["policy"]), scope)) || (named ? UNREAD_POLICY : "");
  });
  const managed = listed(own(values, "managed_policy_arns")).map((arn) =>
    policyOfArn(terraform.resolve(arn, scope), terraform),
  );
  return [...(inline ?? [UNREAD_POLICY]).filter(Boolean), ...managed];
}
