/*
 * Google service accounts, and who may act as them.
 */

import { type Known, type Ternary, isKnown, match, orElse, same, shown } from "../../model/known";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { GET_ACCESS_TOKEN, threatTo } from "./denials";
import type { Unread } from "../shared/not-read";
import { ACCOUNT } from "./grants";
import { type Counted, type Iam, allowing, grantSeen } from "./iam";
import type { Bearer } from "./members";
import { emailOf, projectOf, projectOfEmail } from "./names";

/** Roles with which a principal of a pool may act as a service account. */
const USERS: readonly string[] = ["roles/iam.workloadIdentityUser", "roles/iam.serviceAccountTokenCreator"];
const DENIED = "403 Permission 'iam.serviceAccounts.getAccessToken' denied";
/** What stands above a service account. */
const ABOVE: readonly string[] = ["project", "folder", "organization"];
const ELSEWHERE = "name the Terraform that declares it as well";

/** Service accounts by e-mail address. */
export class Accounts {
  readonly #all: readonly { readonly email: Known<string>; readonly resource: Resource }[];
  readonly #byEmail = new Map<string, Resource>();
  readonly #iam: Iam;

  constructor(terraform: Terraform, iam: Iam) {
    this.#iam = iam;
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

  /** Whether the bearer of a token may act as the service account. */
  admits(email: Known<string>, bearer: Bearer): Answer {
    const { denials, unread } = this.#iam;
    const found = allowing(this.#iam.to(bearer), {
      role: (role) => this.#actsAs(role),
      reaches: ({ on }) =>
        on.kind === ACCOUNT ? same(on.name, email) : ABOVE.includes(on.kind) ? "unknown" : "no",
    });
    const threat = threatTo(denials.of(bearer, [GET_ACCESS_TOKEN]), this.project(email));
    return this.#iam.settled(this.#admitted(email, bearer, found), threat, this.given(email, unread));
  }

  /** What modules that are given a service account may change. */
  given(email: Known<string>, unread: Unread): Answer | undefined {
    const account = this.#of(email);
    return unread.answer("the service account", account ? [account] : [], [email]);
  }

  #admitted(email: Known<string>, bearer: Bearer, [first, ...others]: readonly Counted[]): Answer {
    const evidence = [first, ...others].flatMap((each) => (each ? grantSeen(each) : []));
    if (first?.outcome === "yes")
      return pass(`${shown(email)} lets ${bearer.label} act as it`, ...grantSeen(first));
    if (first || !isKnown(email) || !this.owns(email))
      return unknown(
        `whether ${shown(email)} lets ${bearer.label} act as it cannot be told${first ? `: ${first.doubt}` : ""}`,
        "name the Terraform that declares its members as well; grant it on the service account itself, without condition",
        ...evidence,
      );
    return broken(
      `${shown(email)} does not let ${bearer.label} act as it; it admits ${this.#users(email) || "nobody"}`,
      `grant ${USERS[0] ?? ""} on the service account to the principal`,
      DENIED,
    );
  }

  #actsAs(role: Known<string>): Ternary {
    return (
      this.#iam.roles.holds(role, GET_ACCESS_TOKEN) ??
      match(
        role,
        (name): Ternary => (USERS.includes(name) ? "yes" : name.startsWith("roles/") ? "no" : "unknown"),
        () => "unknown",
      )
    );
  }

  #users(email: Known<string>): string {
    const users = this.#iam.grants.all.filter(
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
