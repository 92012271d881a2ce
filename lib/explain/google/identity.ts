/*
 * Who acts in Google Cloud other than by pulling: components by the credential file in their Secret, workloads by one
 * that their pods mount.
 */

import { type Known, isKnown, known, map, match, orElse, same, shown } from "../../model/known";
import type { TreeObject } from "../../model/tree";
import { PROVIDER_KIND } from "../../rules/google/provider-spec";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type {
  AccessIdentity,
  AccessReading,
  AccountQuestion,
  AccountReading,
  AskedRights,
  CloudAccess,
  TokenQuestion,
  TrustAnswer,
} from "../cloud";
import type { SecretFact } from "../read/component-facts";
import type { Source } from "../read/source";
import type { Accounts } from "./accounts";
import { type CredentialFile, readCredentialFile } from "./credential-file";
import { threatTo } from "./denials";
import { attributesOf, tokenOf } from "./exchange";
import type { Iam } from "./iam";
import { type Bearer, NOBODY, accountBearer, poolBearer } from "./members";
import { universeOf } from "./names";
import { type PoolProvider, poolProviderOf } from "./pool";
import { bindingText, granted, rightsOf } from "./rights";
import { type Exchanges, sameAnswers } from "./trust";
import { mountedFile } from "./workload";

/** Key of the Secret; every component of OpenShift on Google Cloud reads it. */
const SECRET_KEY = "service_account.json";
const WRITE = `write a credential file of type external_account into ${SECRET_KEY}`;

/** Components and workloads in Google Cloud. */
export class GoogleAccess implements CloudAccess {
  /** Kind of the provider part of its CredentialsRequests. */
  readonly providerKind: string = PROVIDER_KIND;
  readonly #acting: Acting;

  constructor(acting: Acting) {
    this.#acting = acting;
  }

  /** Permissions, roles and the condition, as they are written. */
  inWords(rights: TreeObject): readonly string[] {
    const { permissions, roles, bindings, condition } = rightsOf(rights);
    const expression = orElse(condition, () => shown(condition));
    return [
      ...[...permissions, ...roles].map(shown),
      ...bindings.map(bindingText),
      ...(expression === undefined ? [] : [`the condition ${expression}`]),
    ];
  }

  /** True for a Secret that leads an SDK to a token. */
  recognizes(secret: SecretFact): boolean {
    return match(
      secret.value(SECRET_KEY),
      (text) => text?.includes("external_account") ?? false,
      (why) =>
        why.kind === "apply" &&
        why.parts.some((part) => typeof part === "string" && part.includes("external_account")),
    );
  }

  /** Reads the Secret of a component. */
  secret(secret: SecretFact, tokenPath: string | undefined): AccessReading {
    const where = seen(`Secret ${secret.key}`, secret.source);
    const wrong = (problem: string): AccessReading => ({
      answer: broken(problem, WRITE, undefined, where),
      identity: undefined,
    });
    const content = secret.value(SECRET_KEY);
    if (orElse(content, () => "open") === undefined)
      return wrong(`the Secret has no readable key ${SECRET_KEY}`);
    return match(
      readCredentialFile(map(content, (text) => text ?? "")),
      (file) => {
        if ("problem" in file) return wrong(`${SECRET_KEY} ${file.problem}`);
        const isThere = tokenPath === undefined ? "yes" : same(file.tokenPath, known(tokenPath));
        const names = `the Secret names ${file.email ? shown(file.email) : "no service account"} and the token ${shown(file.tokenPath)}`;
        const mismatch = `credential_source.file is ${shown(file.tokenPath)}, the component's token is at ${tokenPath ?? ""}`;
        const answer =
          isThere === "yes"
            ? pass(names, where)
            : isThere === "no"
              ? broken(mismatch, WRITE, undefined, where)
              : unknown(names, "write the path of the token as a literal", where);
        return { answer, identity: new Identity(file, secret.source, this.#acting) };
      },
      () => ({
        answer: unknown(`what ${SECRET_KEY} says is not known`, "name the finished Secret", where),
        identity: undefined,
      }),
    );
  }

  /** Reads a workload. */
  account(question: AccountQuestion): AccountReading | undefined {
    const mounted = mountedFile(question);
    if (mounted === undefined) return undefined;
    const { file, answer, pods, audiences, source } = mounted;
    return { answer, pods, audiences, identity: file && new Identity(file, source, this.#acting) };
  }
}

/** What is needed to judge who acts. */
export interface Acting {
  /** The pool providers. */
  readonly providers: readonly PoolProvider[];
  /** What they make of tokens. */
  readonly exchanges: Exchanges;
  /** Service accounts. */
  readonly accounts: Accounts;
  /** What is granted. */
  readonly iam: Iam;
}

/** A service account, or the principal of a pool that acts itself. */
export class Identity implements AccessIdentity {
  /** The e-mail address, or the principal. */
  readonly label: string;
  /** Whether the service account was found. */
  readonly found: Answer;
  /** The service account; `undefined` for the principal of a pool. */
  readonly email: Known<string> | undefined;
  readonly #file: CredentialFile;
  readonly #acting: Acting;

  constructor(file: CredentialFile, source: Source | undefined, acting: Acting) {
    const { email, audience } = file;
    this.label = email ? shown(email) : `principal of ${shown(audience)}`;
    this.found = email
      ? acting.accounts.found(email)
      : pass("the pool's principal acts itself", seen("credential file", source));
    this.email = email;
    this.#file = file;
    this.#acting = acting;
  }

  /** Judges the exchange of a token, and whether its bearer may act as the service account. */
  trust(question: TokenQuestion): TrustAnswer {
    const { exchanges, accounts } = this.#acting;
    const exchange = orElse(this.#file.exchange, () => undefined);
    if (exchange === undefined || !isKnown(question.audience))
      return sameAnswers(
        unknown("the pool provider or the audience of the token is not known", "see the checks before"),
      );
    const token = tokenOf(question);
    const provider = poolProviderOf(exchange, this.#acting.providers);
    const trust = exchanges.custom(exchange, provider, token);
    const issuer = otherUniverse(this.#file, provider) ?? trust.issuer;
    const isAdmitted = this.email !== undefined && trust.subject.status === "pass";
    const subject =
      isAdmitted && this.email ? accounts.admits(this.email, this.#bearer(question)) : trust.subject;
    return { issuer: withoutLog(issuer), audience: withoutLog(trust.audience), subject: withoutLog(subject) };
  }

  /** Judges what is granted. */
  permissions(asked: AskedRights | undefined, question: TokenQuestion): Answer {
    const { accounts, iam } = this.#acting;
    const { email } = this;
    const bearer = email ? accountBearer(email) : this.#bearer(question);
    const project = email && accounts.project(email);
    const rights = asked && rightsOf(asked.rights);
    // A role may hold any permission.
    const names =
      rights && rights.roles.length + rights.bindings.length === 0 ? rights.permissions.map(shown) : [];
    const threat = threatTo(iam.denials.of(bearer, names), project);
    const module = email && accounts.given(email, iam.unread);
    const answer = iam.settled(granted(bearer, project ? [project] : [], asked, iam), threat, module);
    // Of a service account that is not declared here, grants may stand elsewhere.
    return answer.status === "fail" && threat?.outcome !== "yes" && email && !accounts.owns(email)
      ? unknown(
          `${answer.reason}; the service account is not declared here, so that grants may stand elsewhere`,
          "name the Terraform that declares it as well",
          ...answer.evidence,
        )
      : answer;
  }

  #bearer(question: TokenQuestion): Bearer {
    const token = tokenOf(question);
    const exchange = orElse(this.#file.exchange, () => undefined);
    if (exchange === undefined) return NOBODY;
    const provider = poolProviderOf(exchange, this.#acting.providers);
    const pool = { numbers: [exchange.number, ...(provider?.numbers ?? [])], poolId: exchange.poolId };
    return poolBearer(pool, attributesOf(provider, token), token.subject);
  }
}

/** Where the file asks the token exchange of another universe than the pool provider's. */
function otherUniverse({ universe }: CredentialFile, provider: PoolProvider | undefined): Answer | undefined {
  const declared = provider && orElse(universeOf(provider.resource), () => undefined);
  if (provider === undefined || declared === undefined || same(universe, known(declared)) !== "no")
    return undefined;
  return broken(
    `the credential file names the token exchange of ${shown(universe)}, and the pool provider is in ${declared}`,
    "write the universe of the google provider (universe_domain) into the credential file",
    undefined,
    seen("pool provider", provider.resource.source),
  );
}

/** What the plugin for images logs, no component does. */
function withoutLog({ status, reason, evidence, remedy }: Answer): Answer {
  return { status, reason, evidence, remedy };
}
