/*
 * Organization policies that limit whom pool providers may trust. Google asks them when a pool provider is made; which
 * one was there before the other, no artefact says, and neither which projects a folder or an organization holds.
 *
 * Sources: cloud.google.com/iam/docs/manage-workload-identity-pools-providers, "Restrict …"; Google provider,
 * google_org_policy_policy and google_project_organization_policy.
 */

import {
  type Known,
  type Ternary,
  andThen,
  is,
  known,
  map,
  match,
  not,
  or,
  orElse,
  same,
  shown,
} from "../../model/known";
import type { Block, Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { piecesOf, projectOf } from "./names";

const CONSTRAINT = /(?:^constraints\/|\/policies\/)iam\.workloadIdentityPoolProviders$/;
const OLD: readonly string[] = ["project", "folder", "organization"];
const PROJECT = /^projects\/(.+)$/;

interface Policy {
  /** Whether it allows an issuer. */
  readonly allows: (issuer: Known<string>) => Ternary;
  /** The project that it is of; `undefined` where it is of a folder or an organization. */
  readonly project: Known<string> | undefined;
  readonly resource: Resource;
}

/** Who may be trusted. */
export class ProviderConstraints {
  readonly #policies: readonly Policy[];

  constructor(terraform: Terraform) {
    const newer = terraform.ofType("google_org_policy_policy").filter(isOurs("name")).map(policyOf);
    const older = OLD.flatMap((kind) => {
      const type =
        kind === "organization" ? "google_organization_policy" : `google_${kind}_organization_policy`;
      return terraform
        .ofType(type)
        .filter(isOurs("constraint"))
        .map((each) => olderPolicyOf(each, kind));
    });
    this.#policies = [...newer, ...older].filter(({ resource }) => !resource.adopted);
  }

  /** Why a pool provider of a project that trusts an issuer may be refused; `undefined` where nothing speaks against it. */
  doubt(project: Known<string>, issuer: Known<string>): string | undefined {
    const found = this.#policies.find(
      (policy) =>
        (policy.project === undefined || same(policy.project, project) !== "no") &&
        policy.allows(issuer) !== "yes",
    );
    return (
      found &&
      `the organization policy ${found.resource.address} may refuse pool providers that trust ${shown(issuer)}`
    );
  }
}

function isOurs(argument: string): (resource: Resource) => boolean {
  return (resource) =>
    match(
      resource.stated(argument),
      (text) => CONSTRAINT.test(text.startsWith("iam.") ? `constraints/${text}` : text),
      () => true,
    );
}

function policyOf(resource: Resource): Policy {
  const rules = andThen(resource.block("spec"), (spec) => spec?.blocks("rules") ?? known([]));
  const [project] = orElse(piecesOf(resource.stated("parent"), PROJECT), () => undefined) ?? [];
  return {
    resource,
    project,
    allows: (issuer) =>
      match(
        rules,
        (all) => ruled(all, issuer),
        (): Ternary => "unknown",
      ),
  };
}

/** A rule with a condition counts for resources with tags, which are not read. */
function ruled([rule, ...others]: readonly Block[], issuer: Known<string>): Ternary {
  if (rule === undefined) return "yes";
  const isPlain = others.length === 0 && orElse(rule.block("condition"), () => rule) === undefined;
  if (!isPlain) return "unknown";
  if (isOn(rule, "allow_all")) return "yes";
  const values = orElse(rule.block("values"), () => undefined);
  return isOn(rule, "deny_all") ? "no" : listed(values, "allowed_values", values, "denied_values", issuer);
}

function olderPolicyOf(resource: Resource, kind: string): Policy {
  const list = orElse(resource.block("list_policy"), () => undefined);
  const [allow, deny] = ["allow", "deny"].map((name) => list && orElse(list.block(name), () => undefined));
  return {
    resource,
    project: kind === "project" ? projectOf(resource) : undefined,
    allows: (issuer) => {
      if (allow && isOn(allow, "all")) return "yes";
      return deny && isOn(deny, "all") ? "no" : listed(allow, "values", deny, "values", issuer);
    },
  };
}

function isOn(block: Block, name: string): boolean {
  return (
    is<string | undefined>(
      map(block.text(name), (text) => text?.toLowerCase()),
      "true",
    ) === "yes"
  );
}

/** Only what is allowed where something is, else everything but what is denied; what cannot be read allows nothing for certain. */
function listed(
  allow: Block | undefined,
  allowed: string,
  deny: Block | undefined,
  denied: string,
  issuer: Known<string>,
): Ternary {
  const among = (block: Block | undefined, name: string): Ternary | undefined =>
    match(
      block?.list(name) ?? known([]),
      (values) => (values.length === 0 ? undefined : or(...values.map((value) => same(value, issuer)))),
      (): Ternary => "unknown",
    );
  return among(allow, allowed) ?? not(among(deny, denied) ?? "unknown");
}
