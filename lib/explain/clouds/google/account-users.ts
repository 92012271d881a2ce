/*
 * Google service accounts, and who may act as them.
 */

import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import type { AccessToken } from "../cloud-access";
import { named } from "../named";
import type { Authorities } from "./authority";
import { GrantIndex } from "./grant-index";
import { type AccountUser, accountUsers } from "./member-grants";
import type { Members } from "./token";
import { projectOf } from "./workload-identity";

interface AccountFact {
  readonly adopted: boolean;
  /** True for one that is disabled; a text where only apply tells. */
  readonly disabled: boolean | string;
  /** Id of its project; empty where it is not known. */
  readonly project: string;
  readonly source: Source;
}

/** A switch may be written as text. */
const SWITCH: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Roles with which a principal of a pool may act as a service account. */
export const USER_ROLES: readonly string[] = [
  "roles/iam.workloadIdentityUser",
  "roles/iam.serviceAccountTokenCreator",
];
const SUBJECT = /\/subject\/system:serviceaccount:([^:]+:[^:]+)$/;
/** `name@<project>.iam.gserviceaccount.com`; `example.com:project` is written `project.example.com`. */
const EMAIL = /@([^.@]+)(?:\.(.+))?\.iam\.gserviceaccount\.com$/;
const ELSEWHERE = "name the Terraform that declares it as well";

/** Answers by e-mail address. */
export class AccountUsers {
  readonly #accounts = new Map<string, AccountFact>();
  readonly #users = new Map<string, AccountUser[]>();
  readonly #authorities: Authorities;

  constructor(terraform: Terraform, authorities: Authorities) {
    this.#authorities = authorities;
    for (const resource of terraform.ofType("google_service_account")) {
      const { adopted, source, values } = resource;
      const { disabled } = values;
      this.#accounts.set(terraform.attribute(resource, "email"), {
        adopted,
        source,
        disabled: typeof disabled === "string" ? (SWITCH[disabled] ?? disabled) : disabled === true,
        project: projectOf(resource, terraform),
      });
    }
    for (const user of accountUsers(terraform))
      this.#users.set(user.email, [...(this.#users.get(user.email) ?? []), user]);
  }

  /** Whether the service account is declared. */
  found(email: string): Answer {
    const account = this.#accounts.get(email);
    if (account?.disabled === true)
      return broken(
        `the service account ${email} is disabled`,
        "enable it",
        "403 … Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist)",
        seen("service account", account.source),
      );
    if (typeof account?.disabled === "string")
      return unknown(
        `whether the service account ${email} is disabled is known only after apply`,
        "state disabled as a literal",
        seen("service account", account.source),
      );
    return account
      ? pass(`the service account ${email} is declared`, seen("service account", account.source))
      : unknown(`the service account ${email} is not among what was read`, ELSEWHERE);
  }

  /** True where nobody but this Terraform grants it something. */
  owns(email: string): boolean {
    return this.#accounts.get(email)?.adopted === false;
  }

  /** The project of a service account; `undefined` where it cannot be told. */
  project(email: string): string | undefined {
    const declared = this.#accounts.get(email)?.project ?? "";
    if (declared !== "" && !isLateText(declared)) return declared;
    const [, id, domain] = EMAIL.exec(email) ?? [];
    return id !== undefined && domain !== undefined ? `${domain}:${id}` : id;
  }

  /** Whether a token's bearer may act as the service account. */
  admits(email: string, { label, known, open }: Members, { namespace, name }: AccessToken): Answer {
    const all = (this.#users.get(email) ?? []).filter(({ role }) => USER_ROLES.includes(role) || role === "");
    const { certain, possible } = new GrantIndex(all).of(known, open);
    const plain = certain.filter(({ conditional }) => !conditional);
    const contests = plain.map((each) => this.#authorities.against(`service account ${email}`, each, known));
    const free = plain.find((_, index) => contests[index] === undefined);
    if (free) return pass(`${email} lets ${label} act as it`, seen(free.role, free.source));
    const [contest] = contests;
    if (contest)
      return unknown(
        `that ${email} lets ${label} act as it is contested: another resource rules the same members, and leaves it out`,
        "add the member there, or remove one of the two resources",
        ...plain.map(({ role, source }) => seen(role, source)),
        seen("without the member", contest.source),
      );
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
