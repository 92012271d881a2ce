/*
 * Google service accounts, and who may act as them.
 */

import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import type { AccessToken } from "../cloud-access";
import { named } from "../named";
import { GrantIndex } from "./grant-index";
import { type AccountUser, accountUsers } from "./member-grants";
import type { Members } from "./token";

interface AccountFact {
  readonly adopted: boolean;
  readonly source: Source;
}

/** Roles with which a principal of a pool may act as a service account. */
const USER_ROLES: readonly string[] = [
  "roles/iam.workloadIdentityUser",
  "roles/iam.serviceAccountTokenCreator",
];
const SUBJECT = /\/subject\/system:serviceaccount:([^:]+:[^:]+)$/;
const ELSEWHERE = "name the Terraform that declares it as well";

/** Answers by e-mail address. */
export class AccountUsers {
  readonly #accounts = new Map<string, AccountFact>();
  readonly #users = new Map<string, AccountUser[]>();

  constructor(terraform: Terraform) {
    for (const resource of terraform.ofType("google_service_account")) {
      const { adopted, source } = resource;
      this.#accounts.set(terraform.attribute(resource, "email"), { adopted, source });
    }
    for (const user of accountUsers(terraform))
      this.#users.set(user.email, [...(this.#users.get(user.email) ?? []), user]);
  }

  /** Whether the service account is declared. */
  found(email: string): Answer {
    const account = this.#accounts.get(email);
    return account
      ? pass(`the service account ${email} is declared`, seen("service account", account.source))
      : unknown(`the service account ${email} is not among what was read`, ELSEWHERE);
  }

  /** True where nobody but this Terraform grants it something. */
  owns(email: string): boolean {
    return this.#accounts.get(email)?.adopted === false;
  }

  /** Whether a token's bearer may act as the service account. */
  admits(email: string, { label, known, open }: Members, { namespace, name }: AccessToken): Answer {
    const all = (this.#users.get(email) ?? []).filter(({ role }) => USER_ROLES.includes(role) || role === "");
    const { certain, possible } = new GrantIndex(all).of(known, open);
    const plain = certain.find(({ conditional }) => !conditional);
    if (plain) return pass(`${email} lets ${label} act as it`, seen(plain.role, plain.source));
    const evidence = all.map(({ role, members, source }) => seen(`${role}: ${named(members ?? [])}`, source));
    if (certain.length + possible.length > 0 || isLateText(email) || !this.owns(email))
      return unknown(
        `whether ${email} lets ${namespace}/${name} act as it cannot be told`,
        "name the Terraform that declares its members as well; a condition or a late member is not judged here",
        ...evidence,
      );
    const admitted = all.flatMap(({ members = [] }) =>
      members.map((member) => SUBJECT.exec(member)?.[1]?.replace(":", "/") ?? member),
    );
    return broken(
      `${email} does not let ${label} act as it; it admits ${named(admitted) || "nobody"}`,
      `grant ${USER_ROLES[0]} on the service account to the principal of ${namespace}/${name}`,
      "403 Permission 'iam.serviceAccounts.getAccessToken' denied",
      ...evidence,
    );
  }
}
