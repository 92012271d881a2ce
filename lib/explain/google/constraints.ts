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
function ruled(rules: readonly Block[], issuer: Known<string>): Ternary {
  const [rule, ...others] = rules;
  if (rule === undefined) return "yes";
  const isPlain = others.length === 0 && orElse(rule.block("condition"), () => rule) === undefined;
  if (!isPlain) return "unknown";
  if (flagged(rule, "allow_all")) return "yes";
  if (flagged(rule, "deny_all")) return "no";
  return match(
    rule.block("values"),
    (values) => listed(values, "allowed_values", "denied_values", issuer),
    (): Ternary => "unknown",
  );
}

function olderPolicyOf(resource: Resource, kind: string): Policy {
  const list = resource.block("list_policy");
  return {
    resource,
    project: kind === "project" ? projectOf(resource) : undefined,
    allows: (issuer) =>
      match(
        list,
        (policy): Ternary => {
          const [allow, deny] = [policy?.block("allow"), policy?.block("deny")].map((block) =>
            block ? orElse(block, () => undefined) : undefined,
          );
          if (!allow && !deny) return "unknown";
          if (allow && flagged(allow, "all")) return "yes";
          if (deny && flagged(deny, "all")) return "no";
          return allow ? listed(allow, "values", "", issuer) : listed(deny, "", "values", issuer);
        },
        (): Ternary => "unknown",
      ),
  };
}

function flagged(block: Block, name: string): boolean {
  const value = map(block.text(name), (text) => text?.toLowerCase());
  return is<string | undefined>(value, "true") === "yes";
}

function listed(block: Block | undefined, allow: string, deny: string, issuer: Known<string>): Ternary {
  const among = (name: string): Ternary =>
    match(
      block?.list(name) ?? known([]),
      (values) => or(...values.map((value) => same(value, issuer))),
      (): Ternary => "unknown",
    );
  const isLimited = match(
    block?.list(allow) ?? known([]),
    (values) => values.length > 0,
    () => true,
  );
  if (isLimited) return among(allow);
  const denied = among(deny);
  return denied === "no" ? "yes" : denied === "yes" ? "no" : denied;
}
