/*
 * Registries that map tokens to accounts of their own: Quay by the federation of robot accounts, Artifactory and Cloudsmith
 * by resources of Terraform. The plugin's entry says which of these it asks; what an account may read is stated.
 *
 * Source: quay/quay, endpoints/api/robot.py and util/security/federated_robot_auth.py; jfrog/terraform-provider-platform,
 * pkg/platform; cloudsmith-io/terraform-provider-cloudsmith, cloudsmith/resource_oidc.go.
 */

import {
  type Known,
  type Ternary,
  allOf,
  and,
  andThen,
  anyOf,
  is,
  isAbsent,
  known,
  orElse,
  same,
  unread,
} from "../../model/known";
import { type Tree, itemsAt, optionalText, textAt, treeAt } from "../../model/tree";
import { type Evidence, broken, pass, seen, unknown } from "../answer";
import type { TrustAnswer } from "../cloud";
import { REGISTRY_ROWS } from "../coverage/registries";
import type { Resource } from "../read/block";
import type { ProviderEntry } from "../read/node-configuration";
import type { FollowedRegistry, RegistryFile } from "../read/registry-facts";
import type { Terraform } from "../read/terraform";
import { sameAnswers } from "../shared/same-answers";
import {
  type Admission,
  type TokenPolicy,
  UNAUTHORIZED,
  accepts,
  admittedBy,
  equal,
  hasOnly,
  statedPolicy,
} from "./policy";

/** Tokens that are exchanged for those of an account. */
interface Mapping extends Admission {
  readonly identity: Known<string | undefined>;
  /** The role of AWS that is exchanged instead of the token. */
  readonly role?: Known<string>;
  /** Anything but `yes` if something of it is not judged. */
  readonly isClear: Ternary;
}

const REMEDY = "correct the registry's configuration";
const STATE = "state in cluster.tokenRegistries what the account may read";

/** The policy of a registry by these mappings. */
function mappedPolicy(
  host: string,
  mappings: readonly Mapping[],
  stated: FollowedRegistry | undefined,
  {
    isPart,
    isNamed,
    where,
  }: { readonly isPart: boolean; readonly isNamed: boolean; readonly where: Evidence },
): TokenPolicy {
  const rights = stated && statedPolicy(host, stated);
  return {
    isStated: isPart,
    hasStatedRights: true,
    issuers: mappings.flatMap(({ issuers }) => issuers),
    trust: (token) => {
      const pull = stated?.pulls.find(
        ({ serviceAccount }) => serviceAccount === `${token.namespace}/${token.name}`,
      );
      const rules = mappings.filter(
        ({ identity }) => !pull?.identity || is(identity, pull.identity) !== "no",
      );
      const isOther = (each: Mapping): boolean =>
        !isNamed && !rules.includes(each) && allOf(accepts(each, token)) !== "no";
      if (mappings.some(({ isClear }) => isClear !== "yes") || mappings.some(isOther))
        return sameAnswers(unknown(`what is not judged may change whom ${host} takes it for`, REMEDY, where));
      const role = rules.find((each) => each.role !== undefined)?.role;
      return role !== undefined && rights
        ? roleTrust(rights.trust(token), role, pull, where)
        : (admittedBy(rules, token, REMEDY) ?? notMapped(pull?.identity ?? "an account", where));
    },
    repository: (token, repository) =>
      rights?.repository(token, repository) ??
      unknown(`what the account of ${host} may read is not known`, STATE, where),
    reach: (token) => rights?.reach(token) ?? [],
  };
}

function notMapped(identity: string, where: Evidence): TrustAnswer {
  const other = pass("the subject decides", where);
  const subject = broken(`the registry maps no token to ${identity}`, REMEDY, UNAUTHORIZED, where);
  return { issuer: other, audience: other, subject };
}

/** AWS decides about the token, as stated, and the registry about the role. */
function roleTrust(
  trust: TrustAnswer,
  role: Known<string>,
  pull: FollowedRegistry["pulls"][number] | undefined,
  where: Evidence,
): TrustAnswer {
  const [, own] = pull?.annotations.find(([key]) => key === "eks.amazonaws.com/role-arn") ?? [];
  const asked = own ?? unread("the role that the plugin assumes is not stated");
  return { ...trust, subject: equal("the role", asked, role, REMEDY, where) };
}

/** Quay's, by a document as `quay()` writes it, whose lists are those of Quay's API; `undefined` for another host. */
export function quayPolicy(
  host: string,
  { value, isPart, source }: RegistryFile,
  stated: FollowedRegistry | undefined,
): TokenPolicy | undefined {
  if (is(optionalText(treeAt(value, "registry")), host) !== "yes") return undefined;
  const where = seen("by Quay's federation of robot accounts", source);
  const mappings = itemsAt(value, "robots").flatMap((robot) => {
    const bindings = itemsAt(robot, "federation");
    return bindings.map((binding): Mapping => {
      const issuer = textAt(treeAt(binding, "issuer"));
      // The audiences of the last one with the issuer count for all of them.
      const isLast = (other: Tree): boolean =>
        same(textAt(treeAt(other, "issuer")), issuer) !== "no" && itemsAt(other, "audiences").length > 0;
      const [last = []] = bindings
        .filter(isLast)
        .map((other) => itemsAt(other, "audiences"))
        .slice(-1);
      return {
        identity: textAt(treeAt(robot, "robot")),
        issuers: [issuer],
        audiences: last.length > 0 ? last.map(textAt) : undefined,
        subject: textAt(treeAt(binding, "subject")),
        isClear: hasOnly(binding, ["id", "issuer", "subject", "audiences", "api_scopes", "version"]),
        where,
      };
    });
  });
  return mappedPolicy(host, mappings, stated, { isPart, isNamed: true, where });
}

/** A type of Terraform's whose resources map tokens. */
interface MappingType {
  /** Whether the request of the plugin names the account; otherwise the first mapping that fits decides. */
  readonly isNamed: boolean;
  /** A variable of the plugin that asks for such accounts. */
  readonly variable: string;
  /** Whether a plugin with this value of the variable asks for it. */
  readonly isAsked: (resource: Resource, value: Known<string>) => Ternary;
  readonly read: (
    resource: Resource,
    terraform: Terraform,
    env: ProviderEntry["env"],
  ) => Omit<Mapping, "where">;
}

const TYPES: Readonly<Record<string, MappingType>> = {
  platform_oidc_identity_mapping: {
    isNamed: false,
    variable: "jfrog_oidc_provider_name",
    isAsked: (each, name) => same(each.stated("provider_name"), name),
    read: (resource, terraform) => {
      const [oidc, ...others] = terraform
        .ofType("platform_oidc_configuration")
        .filter((other) => same(other.stated("name"), resource.stated("provider_name")) !== "no");
      const isOne = oidc !== undefined && others.length === 0;
      return {
        identity: optionalText(treeAt(resource.tree("token_spec"), "username")),
        ...claimed(resource.json("claims_json"), isOne ? oidc.stated("issuer_url") : NOT_READ),
        isClear: and(isOne ? understood(oidc) : "unknown", hasOnly(resource.json("claims_json"), CLAIMS)),
      };
    },
  },
  platform_aws_iam_role: {
    isNamed: true,
    variable: "aws_auth_method",
    isAsked: (_, method) => is(method, "assume_role"),
    read: (resource) => ({
      identity: resource.text("username"),
      issuers: [],
      audiences: undefined,
      subject: undefined,
      role: resource.stated("iam_role"),
      isClear: "yes",
    }),
  },
  cloudsmith_oidc: {
    isNamed: true,
    variable: "CLOUDSMITH_ORG_SLUG",
    isAsked: (each, slug) => same(each.stated("namespace"), slug),
    read: (resource, _, env) => {
      const service = env.get("CLOUDSMITH_SERVICE_SLUG") ?? NOT_READ;
      const slugs = orElse(resource.list("service_accounts"), () => [NOT_READ]);
      const isFor = and(is(resource.flag("enabled"), true), anyOf(slugs.map((slug) => same(slug, service))));
      return {
        identity: isFor === "no" ? known("") : service,
        ...claimed(resource.tree("claims"), resource.stated("provider_url")),
        isClear: and(isFor === "no" ? "yes" : isFor, hasOnly(resource.tree("claims"), CLAIMS)),
      };
    },
  },
};

const NOT_READ: Known<never> = unread("no single resource says it");
const CLAIMS = ["iss", "sub", "aud"];

/** Claims that a token must have; with wildcards they are not judged. */
function claimed(claims: Tree, issuer: Known<string>): Pick<Mapping, "issuers" | "subject" | "audiences"> {
  const required = (name: string): readonly Known<string>[] => {
    const value = treeAt(claims, name);
    const text = andThen(textAt(value), (plain) =>
      /[*?]/.test(plain) ? unread("it is a pattern") : known(plain),
    );
    return isAbsent(value) ? [] : [text];
  };
  const audiences = required("aud");
  return {
    issuers: [issuer, ...required("iss")],
    audiences: audiences.length > 0 ? audiences : undefined,
    subject: required("sub")[0],
  };
}

function understood(resource: Resource): Ternary {
  const row = REGISTRY_ROWS[resource.type];
  return row && resource.notUnderstood(row).length === 0 ? "yes" : "unknown";
}

/** The policies of a registry by what Terraform holds of the accounts that the plugin of an entry asks for. */
export function terraformPolicies(
  host: string,
  { env }: ProviderEntry,
  terraform: Terraform,
  stated: FollowedRegistry | undefined,
): readonly TokenPolicy[] {
  return Object.entries(TYPES).flatMap(([type, { isNamed, variable, isAsked, read }]) => {
    const value = env.get(variable);
    const isHere = (each: Resource): Ternary =>
      value !== undefined && !each.adopted ? isAsked(each, value) : "no";
    const asked = terraform.ofType(type).filter((each) => isHere(each) !== "no");
    const mappings = asked.map((each): Mapping => {
      const mapping = read(each, terraform, env);
      const isClear = and(isHere(each), mapping.isClear, understood(each));
      return { ...mapping, isClear, where: seen(`by ${each.address}`, each.source) };
    });
    const [first] = mappings;
    if (first === undefined) return [];
    return mappedPolicy(host, mappings, stated, { isPart: false, isNamed, where: first.where });
  });
}
