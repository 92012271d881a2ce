/*
 * Google service accounts, and who may act as them.
 */

import { type Known, type Ternary, and, isKnown, match, orElse, same, shown } from "../../model/known";
import { conditionMet } from "../../rules/google/grant-condition";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { GET_ACCESS_TOKEN, threatTo } from "./denials";
import { ACCOUNT, type Grant, grantText } from "./grants";
import type { Bearer } from "./members";
import { emailOf, projectOf, projectOfEmail } from "./names";
import { type Policies, touched } from "./permission";

/** Roles with which a principal of a pool may act as a service account. */
const USERS: readonly string[] = ["roles/iam.workloadIdentityUser", "roles/iam.serviceAccountTokenCreator"];
const DENIED = "403 Permission 'iam.serviceAccounts.getAccessToken' denied";
const ELSEWHERE = "name the Terraform that declares it as well";

/** Service accounts by e-mail address. */
export class Accounts {
  readonly #all: readonly { readonly email: Known<string>; readonly resource: Resource }[];
  readonly #byEmail = new Map<string, Resource>();
  readonly #policies: Policies;

  constructor(terraform: Terraform, policies: Policies) {
    this.#policies = policies;
    this.#all = terraform
      .ofType("google_service_account")
      .map((resource) => ({ email: emailOf(resource), resource }));
    for (const { email, resource } of this.#all)
      match(
        email,
        (text) => this.#byEmail.set(text, resource),
        () => undefined,
      );
  }

  /** Whether the service account is declared, and there. */
  found(email: Known<string>): Answer {
    const account = this.#of(email);
    if (account === undefined)
      return unknown(`the service account ${shown(email)} is not among what was read`, ELSEWHERE);
    const where = seen("service account", account.source);
    return match(
      account.certain ? account.flag("disabled") : account.flag("account_id"),
      (isDisabled) =>
        isDisabled
          ? broken(
              `the service account ${shown(email)} is disabled`,
              "enable it",
              `${DENIED} on resource (or it may not exist)`,
              where,
            )
          : pass(`the service account ${shown(email)} is declared`, where),
      () =>
        unknown(
          `whether the service account ${shown(email)} is there and enabled is known only after apply`,
          "state disabled as a literal",
          where,
        ),
    );
  }

  /** True where nothing but this Terraform grants it something. */
  owns(email: Known<string>): boolean {
    return this.#of(email)?.adopted === false;
  }

  /** The project of a service account; `undefined` where it cannot be told. */
  project(email: Known<string>): Known<string> | undefined {
    const account = this.#of(email);
    return account ? projectOf(account) : projectOfEmail(email);
  }

  /** Whether the bearer of a token may act as the service account; denials win over every grant. */
  admits(email: Known<string>, bearer: Bearer): Answer {
    const answer = this.#admitted(email, bearer);
    const threat = threatTo(this.#policies.denials.of(bearer, [GET_ACCESS_TOKEN]), this.project(email));
    if (threat === undefined || (answer.status !== "pass" && threat.outcome !== "yes")) return answer;
    const { title, resource } = threat.denial;
    const where = [...answer.evidence, seen(title, resource.source)];
    return threat.outcome === "yes"
      ? broken(
          `a ${title} denies ${bearer.label} to act as ${shown(email)}`,
          `see the ${title}`,
          DENIED,
          ...where,
        )
      : unknown(`${answer.reason}, but a ${title} may take some of it away`, `see the ${title}`, ...where);
  }

  #admitted(email: Known<string>, bearer: Bearer): Answer {
    const { index, grants, mentions } = this.#policies;
    const { certain, possible } = index.of(bearer);
    const all = [
      ...certain.map((grant) => ({ grant, outcome: this.#admitting(grant, email) })),
      ...possible.map((grant) => ({ grant, outcome: and("unknown", this.#admitting(grant, email)) })),
    ].filter(({ outcome }) => outcome !== "no");
    const sure = all.filter(({ outcome }) => outcome === "yes").map(({ grant }) => grant);
    const owners = sure.map((grant) => grants.against(grant, bearer.isMember));
    const free = sure.find((_, place) => owners[place] === undefined);
    const call = mentions.of(
      orElse(email, () => undefined),
      orElse(email, () => "").split("@")[0],
    );
    if (free && call) return touched(`${shown(email)} lets ${bearer.label} act as it`, call);
    if (free)
      return pass(
        `${shown(email)} lets ${bearer.label} act as it`,
        seen(shown(free.role), free.resource.source),
      );
    const evidence = all.map(({ grant }) => seen(grantText(grant), grant.resource.source));
    const owner = owners.find((each) => each !== undefined);
    if (owner) return contested(`${shown(email)} lets ${bearer.label} act as it`, evidence, owner.source);
    if (call) return touched(`nothing that was read lets ${bearer.label} act as ${shown(email)}`, call);
    if (all.length > 0 || !isKnown(email) || !this.owns(email))
      return unknown(
        `whether ${shown(email)} lets ${bearer.label} act as it cannot be told`,
        "name the Terraform that declares its members as well; grant it on the service account itself, without condition",
        ...evidence,
      );
    return broken(
      `${shown(email)} does not let ${bearer.label} act as it; it admits ${this.#users(email) || "nobody"}`,
      `grant ${USERS[0] ?? ""} on the service account to the principal`,
      DENIED,
    );
  }

  /** Whether a grant to the bearer lets it act as the service account; one on what is above may. */
  #admitting({ on, role, condition }: Grant, email: Known<string>): Ternary {
    if (on.kind !== ACCOUNT && !["project", "folder", "organization"].includes(on.kind)) return "no";
    const place = on.kind === ACCOUNT ? same(on.name, email) : "unknown";
    return and(place, this.#actsAs(role), condition ? conditionMet(condition) : "yes");
  }

  #actsAs(role: Known<string>): Ternary {
    const custom = this.#policies.roles.holds(role, GET_ACCESS_TOKEN);
    return (
      custom ??
      match(
        role,
        (name): Ternary => (USERS.includes(name) ? "yes" : name.startsWith("roles/") ? "no" : "unknown"),
        () => "unknown",
      )
    );
  }

  #users(email: Known<string>): string {
    const users = this.#policies.grants.all.filter(
      ({ on, role }) => on.kind === ACCOUNT && same(on.name, email) !== "no" && this.#actsAs(role) !== "no",
    );
    const members = users.flatMap(({ members: each }) => orElse(each, () => []).map(shown));
    return members
      .map(
        (member) => /\/subject\/system:serviceaccount:(.+)$/.exec(member)?.[1]?.replace(":", "/") ?? member,
      )
      .slice(0, 4)
      .join(", ");
  }

  #of(email: Known<string>): Resource | undefined {
    return match(
      email,
      (text) => this.#byEmail.get(text),
      () => this.#all.find((each) => same(each.email, email) === "yes")?.resource,
    );
  }
}

function contested(what: string, evidence: readonly Evidence[], owner: Source): Answer {
  return unknown(
    `that ${what} is contested: another resource rules the same members, and leaves it out`,
    "add the member there, or remove one of the two resources",
    ...evidence,
    seen("without the member", owner),
  );
}
