/*
 * Who acts in Google Cloud other than by pulling: components by the credential file in their Secret, workloads by one
 * that their pods mount.
 */

import { PROVIDER_KIND } from "../../../rules/google/provider-spec";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { Json } from "../../facts/access";
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
  CloudAccess,
} from "../cloud-access";
import { AccountUsers } from "./account-users";
import { type CredentialFile, readCredentialFile } from "./credential-file";
import { type DenialFact, denials, mayDeny } from "./denials";
import { customExchange, poolProviderOf } from "./exchange";
import { GrantIndex } from "./grant-index";
import { type CustomRoles, anyRoleGranted, permissionsGranted } from "./granted-permissions";
import { type MemberGrant, customRoles, memberGrants } from "./member-grants";
import { mountedFile } from "./mounted-file";
import { type Members, type Token, attributesOf, membersOf } from "./token";
import { exchangeTrust } from "./trust";
import type { PoolProviderFact } from "./workload-identity";

/** Key of the Secret; every component of OpenShift on Google Cloud reads it. */
const SECRET_KEY = "service_account.json";
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
  readonly #denials: readonly DenialFact[];

  /** Indexes grants, custom roles and service accounts. */
  constructor(terraform: Terraform, poolProviders: readonly PoolProviderFact[]) {
    this.#poolProviders = poolProviders;
    this.#grants = new GrantIndex(memberGrants(terraform));
    this.#roles = customRoles(terraform);
    this.#users = new AccountUsers(terraform);
    this.#denials = denials(terraform);
  }

  /** `<role> on <kind> <name>`, as roles. */
  asksFor(words: readonly string[]): Json {
    return { predefinedRoles: words.filter((each) => /^\S+ on (?:project|bucket) [^\s/]+$/.test(each)) };
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
    const { file, answer, pods, audience, source } = mounted;
    return { answer, pods, audience, identity: file && this.#identity(file, source) };
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
      permissions: (asked, token) => {
        const granted =
          email === "" ? this.#grantsOf(file, token) : this.#grants.of([`serviceAccount:${email}`], []);
        const answer =
          asked === undefined ? anyRoleGranted(granted) : permissionsGranted(granted, this.#roles, asked);
        if (answer.status === "fail" && email !== "" && !this.#users.owns(email)) return elsewhere(answer);
        const denial = this.#denials.find((each) => mayDeny(each, asked));
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
      issuer: issuer ?? NOT_KNOWN,
      audience: audience ?? NOT_KNOWN,
      subject:
        file.email === "" || admitted.status !== "pass"
          ? admitted
          : this.#users.admits(file.email, this.#members(file, shown), token),
    };
  }

  #members(file: CredentialFile, token: Token): Members {
    const exchange = customExchange(file.audience);
    if (exchange === undefined) return { label: "", known: [], open: [] };
    const mapping = poolProviderOf(exchange, this.#poolProviders)?.mapping;
    return membersOf(exchange, attributesOf(mapping, token), token.claims);
  }

  #grantsOf(file: CredentialFile, token: AccessToken): ReturnType<GrantIndex<MemberGrant>["of"]> {
    const { known, open } = this.#members(file, tokenOf(token, token.audience ?? ""));
    return this.#grants.of(known, open);
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

function denied({ source }: DenialFact, { reason, evidence }: Answer): Answer {
  return unknown(
    `${reason}, but a deny policy may take some of it away`,
    "see the deny policy",
    ...evidence,
    seen("deny policy", source),
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
