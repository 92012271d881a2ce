/*
 * Who acts in Google Cloud other than by pulling: components by the credential file in their Secret, workloads by one
 * that their pods mount.
 */

import { PROVIDER_KIND } from "../../../rules/google/provider-spec";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { type Json, at, text, texts } from "../../facts/access";
import type { SecretFact } from "../../facts/component-facts";
import type { Source } from "../../facts/source";
import type { Terraform } from "../../facts/terraform";
import type {
  AccessIdentity,
  AccessReading,
  AccessToken,
  AccessTrust,
  AccountQuestion,
  AccountReading,
  AskedRights,
  CloudAccess,
} from "../cloud-access";
import { AccountUsers, USER_ROLES } from "./account-users";
import { Authorities } from "./authority";
import { type CredentialFile, otherUniverse, readCredentialFile } from "./credential-file";
import { type DenialFact, denials, mayConcern, mayDeny, mayDenyImpersonation } from "./denials";
import { customExchange, poolProviderOf } from "./exchange";
import { GrantIndex } from "./grant-index";
import {
  type CustomRoles,
  type GrantedRoles,
  anyRoleGranted,
  permissionsGranted,
} from "./granted-permissions";
import { type MemberGrant, customRoles, memberGrants, ruledPolicies } from "./member-grants";
import { mountedFile } from "./mounted-file";
import { type Members, type Token, attributesOf, membersOf } from "./token";
import { exchangeTrust } from "./trust";
import type { PoolProviderFact } from "./workload-identity";

/** Key of the Secret; every component of OpenShift on Google Cloud reads it. */
const SECRET_KEY = "service_account.json";
/** A recorded role; condition and reason may follow. */
const RECORDED = /^(\S+ on (?:project|bucket) [^\s/]+)(?: on condition .*| \(reason: .*)?$/s;
const WRITE = `write a credential file of type external_account into ${SECRET_KEY}`;
const NOT_KNOWN = unknown(
  "the pool provider or the audience of the token is not known",
  "see the checks before",
);

/** Components and workloads in Google Cloud. */
export class GoogleAccess implements CloudAccess {
  /** Key of the cloud. */
  readonly cloud = "google";
  /** Kind of the provider part of its CredentialsRequests. */
  readonly providerKind: string = PROVIDER_KIND;
  readonly #poolProviders: readonly PoolProviderFact[];
  readonly #grants: GrantIndex<MemberGrant>;
  readonly #roles: CustomRoles;
  readonly #users: AccountUsers;
  readonly #authorities: Authorities;
  readonly #denials: readonly DenialFact[];

  /** Indexes grants, custom roles and service accounts. */
  constructor(terraform: Terraform, poolProviders: readonly PoolProviderFact[]) {
    this.#poolProviders = poolProviders;
    this.#grants = new GrantIndex(memberGrants(terraform));
    this.#roles = customRoles(terraform);
    this.#authorities = new Authorities(ruledPolicies(terraform));
    this.#users = new AccountUsers(terraform, this.#authorities);
    this.#denials = denials(terraform);
  }

  /** `<role> on <kind> <name>`, as roles; the grant itself says under which condition. */
  asksFor(words: readonly string[]): Json {
    return { predefinedRoles: words.flatMap((each) => RECORDED.exec(each)?.[1] ?? []) };
  }

  /** Permissions, roles and the condition, as they are written. */
  inWords(rights: Json): readonly string[] {
    const condition = text(at(rights, "condition", "expression"));
    return [
      ...texts(rights["permissions"]),
      ...texts(rights["predefinedRoles"]),
      ...(condition === "" ? [] : [`the condition ${condition}`]),
    ];
  }

  /** True for a Secret that leads an SDK to a token. */
  recognizes({ value }: SecretFact): boolean {
    return value(SECRET_KEY)?.includes("external_account") ?? false;
  }

  /** Reads the Secret of a component. */
  secret(secret: SecretFact, tokenPath: string | undefined): AccessReading {
    const where = seen(`Secret ${secret.key}`, secret.source);
    const content = secret.value(SECRET_KEY);
    if (content === undefined)
      return {
        answer: broken(`the Secret has no readable key ${SECRET_KEY}`, WRITE, undefined, where),
        identity: undefined,
      };
    const file = readCredentialFile(content);
    if ("problem" in file)
      return {
        answer: broken(`${SECRET_KEY} ${file.problem}`, WRITE, undefined, where),
        identity: undefined,
      };
    const answer =
      file.tokenPath === (tokenPath ?? file.tokenPath)
        ? pass(
            `the Secret names ${file.email || "no service account"} and the token ${file.tokenPath}`,
            where,
          )
        : broken(
            `credential_source.file is ${file.tokenPath}, the component's token is at ${tokenPath}`,
            WRITE,
            undefined,
            where,
          );
    return { answer, identity: this.#identity(file, secret.source) };
  }

  /** Reads a workload. */
  account(question: AccountQuestion): AccountReading | undefined {
    const mounted = mountedFile(question);
    if (mounted === undefined) return undefined;
    const { file, answer, pods, audiences, source } = mounted;
    return {
      answer,
      pods,
      audiences,
      identity: file && this.#identity(file, source),
    };
  }

  #identity(file: CredentialFile, source: Source | undefined): AccessIdentity {
    const { email } = file;
    return {
      label: email === "" ? `principal of ${file.audience}` : email,
      found:
        email === ""
          ? pass("the pool's principal acts itself", seen("credential file", source))
          : this.#users.found(email),
      trust: (token) => this.#trust(file, token),
      permissions: (asked: AskedRights | undefined, token) => {
        const granted = this.#granted(file, token);
        const answer = asked === undefined ? anyRoleGranted(granted) : permissionsGranted(granted, asked);
        if (answer.status === "fail" && email !== "" && !this.#users.owns(email)) return elsewhere(answer);
        const denial = this.#denials.find((each) => mayDeny(each, asked?.rights));
        return answer.status === "pass" && denial ? denied(denial, answer) : answer;
      },
    };
  }

  #trust(file: CredentialFile, token: AccessToken): AccessTrust {
    const exchange = customExchange(file.audience);
    if (exchange === undefined || token.audience === undefined)
      return { issuer: NOT_KNOWN, audience: NOT_KNOWN, subject: NOT_KNOWN };
    const shown = tokenOf(token, token.audience);
    const poolProvider = poolProviderOf(exchange, this.#poolProviders);
    const [issuer, audience, subject] = exchangeTrust({ ...shown, exchange, poolProvider }).map(withoutLog);
    const admitted = subject ?? NOT_KNOWN;
    return {
      issuer: otherUniverse(file, poolProvider) ?? issuer ?? NOT_KNOWN,
      audience: audience ?? NOT_KNOWN,
      subject:
        file.email === "" || admitted.status !== "pass" ? admitted : this.#mayActAs(file, shown, token),
    };
  }

  #members(file: CredentialFile, token: Token): Members {
    const exchange = customExchange(file.audience);
    if (exchange === undefined) return { label: "", known: [], open: [] };
    const { mapping, poolNumber } = poolProviderOf(exchange, this.#poolProviders) ?? {};
    return membersOf(exchange, attributesOf(mapping, token), token.claims, poolNumber);
  }

  /** Grants on the service account, or on what stands above it. */
  #mayActAs(file: CredentialFile, shown: Token, token: AccessToken): Answer {
    const members = this.#members(file, shown);
    const answer = this.#users.admits(file.email, members, token);
    const { certain } = this.#grants.of(members.known, []);
    const above = certain.find(({ role }) => USER_ROLES.includes(role));
    if (answer.status === "fail" && above) return actsFromAbove(above, answer);
    const denial = this.#denials.find(
      (each) => mayDenyImpersonation(each) && mayConcern(each, this.#users.project(file.email) ?? ""),
    );
    return answer.status === "pass" && denial ? denied(denial, answer) : answer;
  }

  #granted(file: CredentialFile, token: AccessToken): GrantedRoles {
    const { email } = file;
    const { known, open } =
      email === ""
        ? this.#members(file, tokenOf(token, token.audience ?? ""))
        : { known: [`serviceAccount:${email}`], open: [] };
    const project = this.#users.project(email);
    return {
      grants: this.#grants.of(known, open),
      members: known,
      roles: this.#roles,
      authorities: this.#authorities,
      projects: project === undefined ? [] : [project],
    };
  }
}

/** Of a service account that is not declared here, grants may stand elsewhere. */
function elsewhere({ reason, evidence }: Answer): Answer {
  return unknown(
    `${reason}; the service account is not declared here, so that grants may stand elsewhere`,
    "name the Terraform that declares it as well",
    ...evidence,
  );
}

function actsFromAbove({ role, on, source }: MemberGrant, { reason, evidence }: Answer): Answer {
  return unknown(
    `${reason}; whether ${role} on ${on} reaches the service account cannot be told`,
    "grant it on the service account itself",
    ...evidence,
    seen(`${role} on ${on}`, source),
  );
}

function denied({ title, source }: DenialFact, { reason, evidence }: Answer): Answer {
  return unknown(
    `${reason}, but a ${title} may take some of it away`,
    `see the ${title}`,
    ...evidence,
    seen(title, source),
  );
}

function tokenOf({ issuer, namespace, name }: AccessToken, audience: string): Token {
  return {
    claims: { subject: `system:serviceaccount:${namespace}:${name}`, namespace, name },
    issuer,
    audience,
  };
}

/** What the plugin for images logs, no component does. */
function withoutLog({ status, reason, evidence, remedy }: Answer): Answer {
  return { status, reason, evidence, remedy };
}
