/*
 * Deny policies, which win over every grant, principal access boundary policies, which limit what grants reach, and
 * service perimeters, which keep requests from outside away. Whom the latter two concern is not read here.
 *
 * Source: cloud.google.com/iam/docs/deny-overview; REST type DenyRule.
 */

import { type Known, type Ternary, and, not, or, orElse, same, whether } from "../../model/known";
import { matchesPattern } from "../../rules/wildcard";
import type { Block, Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { Bearer } from "./members";
import { piecesOf } from "./names";

/** What acting as a service account takes. */
export const GET_ACCESS_TOKEN = "iam.serviceAccounts.getAccessToken";
/** What pulling an image takes. */
export const DOWNLOAD = "artifactregistry.repositories.downloadArtifacts";

/** Something that takes permissions away. */
export interface Denial {
  readonly title: "deny policy" | "principal access boundary policy" | "service perimeter";
  readonly resource: Resource;
  /** Whether it takes a permission from a bearer; `undefined` asks for any permission. */
  readonly denies: (bearer: Bearer, permission: string | undefined) => Ternary;
  /** The project that it is about; `undefined` where it is about others, or that is not known. */
  readonly project?: Known<string> | undefined;
}

/** A denial that may concern a bearer. */
export interface Threat {
  readonly denial: Denial;
  readonly outcome: "yes" | "unknown";
}

/** What takes grants away again. */
export class Denials {
  readonly #all: readonly Denial[];

  constructor(terraform: Terraform) {
    this.#all = [
      ...terraform.ofType("google_iam_deny_policy").map(denyPolicy),
      ...perimeters(terraform),
      ...terraform.ofType("google_iam_principal_access_boundary_policy").map((resource): Denial => ({
        title: "principal access boundary policy",
        resource,
        denies: () => "unknown",
      })),
    ].filter(({ resource }) => !resource.adopted);
  }

  /** Those that may take one of these permissions from a bearer; of no permissions any. */
  of(bearer: Bearer, permissions: readonly string[]): readonly Threat[] {
    const asked = permissions.length > 0 ? permissions : [undefined];
    return this.#all.flatMap((denial) => {
      const outcome = or(...asked.map((permission) => denial.denies(bearer, permission)));
      return outcome === "no" ? [] : [{ denial, outcome }];
    });
  }
}

/** The worst of them for what a project holds. */
export function threatTo(threats: readonly Threat[], project: Known<string> | undefined): Threat | undefined {
  const here = threats.flatMap(({ denial, outcome }): readonly Threat[] => {
    const both = and(outcome, sameProject(denial.project, project));
    return both === "no" ? [] : [{ denial, outcome: both }];
  });
  return here.find(({ outcome }) => outcome === "yes") ?? here[0];
}

/** Projects may also be named by number, which is not compared with ids. */
function sameProject(one: Known<string> | undefined, other: Known<string> | undefined): Ternary {
  if (one === undefined || other === undefined) return "unknown";
  const isNumber = [one, other].some((each) => /^\d+$/.test(orElse(each, () => "")));
  const equal = same(one, other);
  return isNumber && equal === "no" ? "unknown" : equal;
}

const PARENT = /^cloudresourcemanager\.googleapis\.com(?:\/|%2[Ff])projects(?:\/|%2[Ff])([^/%]+)$/;

function denyPolicy(resource: Resource): Denial {
  return {
    title: "deny policy",
    resource,
    project: piecesOf(resource.stated("parent"), PARENT)[0],
    denies: (bearer, permission) => {
      const outcome = whether(resource.blocks("rules"), (rules) =>
        or(...rules.map((rule) => ruleDenies(rule, bearer, permission))),
      );
      return resource.certain || outcome === "no" ? outcome : "unknown";
    },
  };
}

function ruleDenies(rule: Block, bearer: Bearer, permission: string | undefined): Ternary {
  return whether(rule.block("deny_rule"), (denial) => {
    if (denial === undefined) return "no";
    const isListed = (name: string, holds: (item: Known<string>) => Ternary, empty: Ternary): Ternary =>
      whether(denial.list(name), (items) => (items.length === 0 ? empty : or(...items.map(holds))));
    const isPermission = (item: Known<string>): Ternary => covers(item, permission);
    const isBearer = (item: Known<string>): Ternary => namesBearer(item, bearer);
    const condition = whether(denial.block("denial_condition"), (each) => each === undefined);
    return and(
      isListed("denied_permissions", isPermission, "no"),
      not(isListed("exception_permissions", isPermission, "no")),
      isListed("denied_principals", isBearer, "unknown"),
      not(isListed("exception_principals", isBearer, "no")),
      condition === "yes" ? "yes" : "unknown",
    );
  });
}

/** `compute.googleapis.com/instances.create` in deny policies is `compute.instances.create` in roles. */
function covers(written: Known<string>, permission: string | undefined): Ternary {
  if (permission === undefined) return "unknown";
  return whether(
    written,
    (text) => matchesPattern(text.replace(/\.googleapis\.com\//, "."), permission) !== false,
  );
}

/** Principals that name one identity, or identities of one pool. */
const EXACT =
  /^principal:\/\/|^principalSet:\/\/iam\.googleapis\.com\/projects\/\d+\/locations\/global\/workloadIdentityPools\//;

function namesBearer(principal: Known<string>, bearer: Bearer): Ternary {
  const text = orElse(principal, () => "");
  if (text === "principalSet://goog/public:all") return "yes";
  const named = bearer.isMember(principal);
  return named === "no" && !EXACT.test(text) ? "unknown" : named;
}

const PERIMETER = "google_access_context_manager_service_perimeter";

/** Their projects are named by number, and by resources of their own; `spec` is what would be, and denies nothing. */
function perimeters(terraform: Terraform): readonly Denial[] {
  type Perimeter = readonly [resource: Resource, block: Block | undefined];
  const several = terraform.ofType(`${PERIMETER}s`).flatMap((resource): readonly Perimeter[] => {
    const blocks = orElse(resource.blocks("service_perimeters"), () => [undefined]);
    return blocks.map((block) => [resource, block]);
  });
  return [...terraform.ofType(PERIMETER).map((each) => [each, each] as const), ...several].map(
    ([resource, block]): Denial => ({
      title: "service perimeter",
      resource,
      denies: (_, permission) => and("unknown", block ? restricts(block, permission) : "unknown"),
    }),
  );
}

function restricts(perimeter: Block, permission: string | undefined): Ternary {
  const isOf = (service: Known<string>): Ternary =>
    permission === undefined
      ? "unknown"
      : whether(service, (name) => permission.startsWith(name.replace(/googleapis\.com$/, "")));
  return whether(perimeter.block("status"), (status) =>
    status ? whether(status.list("restricted_services"), (all) => or(...all.map(isOf))) : "no",
  );
}
