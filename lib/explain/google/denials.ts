/*
 * Deny policies, which win over every grant, principal access boundary policies, which limit what grants reach, and
 * service perimeters, which keep requests from outside away. Whom the latter two concern is not read here.
 *
 * Source: cloud.google.com/iam/docs/deny-overview; REST type DenyRule.
 */

import {
  type Known,
  type Ternary,
  and,
  andThen,
  known,
  match,
  not,
  or,
  orElse,
  same,
} from "../../model/known";
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
  /** What it is. */
  readonly title: "deny policy" | "principal access boundary policy" | "service perimeter";
  /** Where it stands. */
  readonly resource: Resource;
  /** Whether it takes a permission from a bearer; `undefined` asks for any permission. */
  readonly denies: (bearer: Bearer, permission: string | undefined) => Ternary;
  /** Whether it is about what a project holds. */
  readonly concerns: (project: Known<string> | undefined) => Ternary;
}

/** A denial that may concern a bearer. */
export interface Threat {
  /** The denial. */
  readonly denial: Denial;
  /** Whether it certainly does. */
  readonly outcome: "yes" | "unknown";
}

/** What takes grants away again. */
export class Denials {
  readonly #all: readonly Denial[];

  constructor(terraform: Terraform) {
    const boundaries = terraform.ofType("google_iam_principal_access_boundary_policy");
    this.#all = [
      ...terraform.ofType("google_iam_deny_policy").map(denyPolicy),
      ...perimeters(terraform),
      ...boundaries.map((resource): Denial => ({
        title: "principal access boundary policy",
        resource,
        denies: () => "unknown",
        concerns: () => "unknown",
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
  let worst: Threat | undefined;
  for (const { denial, outcome } of threats) {
    const here = and(outcome, denial.concerns(project));
    if (here === "yes") return { denial, outcome: here };
    if (here === "unknown") worst ??= { denial, outcome: here };
  }
  return worst;
}

const PARENT = /^cloudresourcemanager\.googleapis\.com(?:\/|%2[Ff])projects(?:\/|%2[Ff])([^/%]+)$/;

function denyPolicy(resource: Resource): Denial {
  const parent = resource.stated("parent");
  const [project] = orElse(piecesOf(parent, PARENT), () => undefined) ?? [];
  return {
    title: "deny policy",
    resource,
    concerns: (asked) =>
      project === undefined || asked === undefined ? "unknown" : sameProject(project, asked),
    denies: (bearer, permission) => {
      const outcome = match(
        resource.blocks("rules"),
        (rules) => or(...rules.map((rule) => ruleDenies(rule, bearer, permission))),
        (): Ternary => "unknown",
      );
      return resource.certain || outcome === "no" ? outcome : "unknown";
    },
  };
}

/** Projects may also be named by number, which is not compared with ids. */
function sameProject(one: Known<string>, other: Known<string>): Ternary {
  const isNumber = [one, other].some((each) => /^\d+$/.test(orElse(each, () => "")));
  const equal = same(one, other);
  return isNumber && equal === "no" ? "unknown" : equal;
}

function ruleDenies(rule: Block, bearer: Bearer, permission: string | undefined): Ternary {
  return match(
    rule.block("deny_rule"),
    (denial) => {
      if (denial === undefined) return "no";
      const isListed = (name: string, holds: (item: Known<string>) => Ternary, empty: Ternary): Ternary =>
        match(
          denial.list(name),
          (items) => (items.length === 0 ? empty : or(...items.map(holds))),
          (): Ternary => "unknown",
        );
      const isPermission = (item: Known<string>): Ternary => covers(item, permission);
      const isBearer = (item: Known<string>): Ternary => namesBearer(item, bearer);
      const isAlways = match(
        denial.block("denial_condition"),
        (condition): Ternary => (condition === undefined ? "yes" : "unknown"),
        (): Ternary => "unknown",
      );
      return and(
        isListed("denied_permissions", isPermission, "no"),
        not(isListed("exception_permissions", isPermission, "no")),
        isListed("denied_principals", isBearer, "unknown"),
        not(isListed("exception_principals", isBearer, "no")),
        isAlways,
      );
    },
    (): Ternary => "unknown",
  );
}

/** `compute.googleapis.com/instances.create` in deny policies is `compute.instances.create` in roles. */
function covers(written: Known<string>, permission: string | undefined): Ternary {
  return match(
    written,
    (text): Ternary => {
      if (permission === undefined) return "unknown";
      return matchesPattern(text.replace(/\.googleapis\.com\//, "."), permission) === false ? "no" : "yes";
    },
    () => "unknown",
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
  const single = terraform.ofType(PERIMETER).map((resource) => ({ resource, block: resource }));
  const several = terraform.ofType(`${PERIMETER}s`).flatMap((resource) =>
    match(
      resource.blocks("service_perimeters"),
      (blocks): readonly { resource: Resource; block: Block | undefined }[] =>
        blocks.map((block) => ({ resource, block })),
      () => [{ resource, block: undefined }],
    ),
  );
  return [...single, ...several].map(({ resource, block }): Denial => ({
    title: "service perimeter",
    resource,
    concerns: () => "unknown",
    denies: (_, permission): Ternary => and("unknown", block ? restricts(block, permission) : "unknown"),
  }));
}

function restricts(perimeter: Block, permission: string | undefined): Ternary {
  const services = andThen(
    perimeter.block("status"),
    (status) => status?.list("restricted_services") ?? known([]),
  );
  const isOf = (service: Known<string>): Ternary =>
    match(
      service,
      (name): Ternary =>
        permission === undefined || permission.startsWith(name.replace(/googleapis\.com$/, ""))
          ? "yes"
          : "no",
      () => "unknown",
    );
  return match(
    services,
    (all) => or(...all.map(isOf)),
    (): Ternary => "unknown",
  );
}
