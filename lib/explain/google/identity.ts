/*
 * Access to Google Cloud other than pulls: components use the credential file in their Secret, workloads one that their
 * pods mount; and the service accounts that they act as.
 */

import {
  type Known,
  type Ternary,
  isAbsent,
  isKnown,
  known,
  map,
  match,
  orElse,
  same,
  shown,
  whether,
} from "../../model/known";
import { PROVIDER_KIND } from "../../rules/google/component";
import { type Answer, type Evidence, broken, later, pass, seen, unknown } from "../answer";
import type {
  AccessIdentity,
  AccessReading,
  AskedRights,
  CloudAccess,
  HeldRight,
  TokenQuestion,
  TrustAnswer,
} from "../cloud";
import type { ClusterNames } from "../coverage/closed-world";
import type { Resource } from "../read/block";
import type { SecretFact } from "../read/component-facts";
import { mayHold } from "../read/node-files";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { DENIED, type Exchange, USER, gkeReadings } from "./clusters";
import { ACCOUNT, grantText } from "./grants";
import { heldGrant } from "./held";
import { type Iam, allowing, grantSeen } from "./iam";
import { ANYONE, type Bearer, accountBearer } from "./members";
import { nearest, notAmongRead, regenerated } from "../shared/near-miss";
import { sameAnswers } from "../shared/same-answers";
import { ByName, emailOf, projectOf, projectOfEmail } from "./names";
import { type Credentials, mountedFile, readCredentialFile } from "./pods";
import type { PoolProvider } from "./pool";
import { granted, meantGrants } from "./rights";
import { type Exchanges, tokenOf } from "./trust";

/** Key of the Secret; every component of OpenShift on Google Cloud reads it. */
const SECRET_KEY = "service_account.json";
const WRITE = `write a credential file of type external_account into ${SECRET_KEY}`;

/** Components by their Secrets, and workloads by the files that they mount or by GKE itself. */
export function googleAccess(exchanges: Exchanges, iam: Iam, terraform: Terraform): CloudAccess {
  const acting = { exchanges, iam, accounts: new Accounts(terraform, iam) };
  const ofGke = gkeReadings(terraform, iam);
  return {
    providerKind: PROVIDER_KIND,
    // Only Secrets that point an SDK to a token.
    recognizes: (secret) => {
      const written = map(secret.value(SECRET_KEY), (text) => text ?? "");
      return mayHold(written, "external_account");
    },
    secret: (secret, tokenPath) => secretReading(secret, tokenPath, acting),
    account: (question) => {
      const native = question.native ? ofGke(question, (...of) => new Identity(...of, acting)) : undefined;
      const mounted = mountedFile({ ...question, declared: question.declared && native === undefined });
      if (mounted === undefined) return native;
      const { file, source, ...reading } = mounted;
      return { ...reading, identity: file && fileIdentity(file, source, acting) };
    },
  };
}

function secretReading(secret: SecretFact, tokenPath: string | undefined, acting: Acting): AccessReading {
  const where = seen(`Secret ${secret.key}`, secret.source);
  const without = (answer: Answer): AccessReading => ({ answer, identity: undefined });
  const wrong = (problem: string): Answer => broken(problem, WRITE, undefined, where);
  const content = secret.value(SECRET_KEY);
  if (isAbsent(content)) return without(wrong(`the Secret has no readable key ${SECRET_KEY}`));
  return match(
    readCredentialFile(map(content, (text) => text ?? "")),
    (file) => {
      if ("problem" in file) return without(wrong(`${SECRET_KEY} ${file.problem}`));
      const path = shown(file.tokenPath);
      const isThere = tokenPath === undefined ? "yes" : same(file.tokenPath, known(tokenPath));
      const names = `the Secret names ${file.email === undefined ? "no service account" : shown(file.email)} and the token ${path}`;
      const answer =
        isThere === "yes"
          ? pass(names, where)
          : isThere === "unknown"
            ? unknown(names, "write the path of the token as a literal", where)
            : wrong(`credential_source.file is ${path}, but the token is at ${tokenPath ?? ""}`);
      return { answer, identity: fileIdentity(file, secret.source, acting) };
    },
    () => without(unknown(`the value of ${SECRET_KEY} is not known`, "provide the finished Secret", where)),
  );
}

function fileIdentity(file: Credentials, source: Source | undefined, acting: Acting): Identity {
  const where = seen("credential file", source);
  return new Identity(file.email, fileExchange(file, acting.exchanges), where, acting);
}

interface Acting {
  readonly exchanges: Exchanges;
  readonly accounts: Accounts;
  readonly iam: Iam;
}

/** A service account, or a pool's principal that acts itself. */
export class Identity implements AccessIdentity {
  readonly label: string;
  readonly found: Answer;
  /** The service account; `undefined` for the principal of a pool. */
  readonly email: Known<string> | undefined;
  readonly #exchange: Exchange;
  readonly #acting: Acting;

  constructor(email: Known<string> | undefined, exchange: Exchange, where: Evidence, acting: Acting) {
    this.label = email === undefined ? exchange.principal() : shown(email);
    this.found =
      email === undefined ? pass("the pool's principal acts itself", where) : acting.accounts.found(email);
    this.email = email;
    this.#exchange = exchange;
    this.#acting = acting;
  }

  /** Judges the exchange of a token, and whether its bearer may act as the service account. */
  trust(question: TokenQuestion): TrustAnswer {
    const { issuer, audience, subject } = this.#exchange.trust(question);
    const { email } = this;
    let admitted = subject;
    if (email !== undefined && subject.status === "pass")
      for (const [place, user] of this.#exchange.users(question).entries())
        if (place === 0 || admitted.status === "fail") admitted = this.#acting.accounts.admits(email, user);
    return { issuer: withoutLog(issuer), audience: withoutLog(audience), subject: withoutLog(admitted) };
  }

  trusted(): readonly Known<string>[] | undefined {
    return this.#exchange.trusted?.();
  }

  understood(cluster: ClusterNames): Answer {
    const own = this.email === undefined ? undefined : this.#acting.accounts.given(this.email);
    return own ?? this.#exchange.understood(this.label, cluster);
  }

  permissions(asked: AskedRights | undefined, question: TokenQuestion): Answer {
    const { accounts, iam } = this.#acting;
    const { email } = this;
    const [project, module] = email === undefined ? [] : [accounts.project(email), accounts.given(email)];
    const answer = iam.settled(granted(this.#bearer(question), project, asked, iam), module);
    // Grants to a service account that is not declared here may be declared elsewhere.
    if (answer.status !== "fail" || email === undefined || accounts.owns(email)) return answer;
    return unknown(
      `${answer.reason}; the service account is not declared in what was read, so other grants may exist`,
      "also give explain the Terraform that declares it",
      answer.evidence,
    );
  }

  held(question: TokenQuestion): readonly HeldRight[] {
    const { iam } = this.#acting;
    return iam.to(this.#bearer(question)).flatMap((each) => heldGrant(each, iam));
  }

  meant(asked: AskedRights, question: TokenQuestion): readonly HeldRight[] {
    const { accounts, iam } = this.#acting;
    const project = this.email === undefined ? undefined : accounts.project(this.email);
    return meantGrants(this.#bearer(question), project, asked, iam);
  }

  #bearer(question: TokenQuestion): Bearer {
    return this.email === undefined ? this.#exchange.bearer(question) : accountBearer(this.email);
  }
}

/** The exchange that a credential file names. */
function fileExchange(file: Credentials, exchanges: Exchanges): Exchange {
  const name = orElse(file.provider, () => undefined);
  const provider = name && exchanges.provider(name);
  const bearer = (question: TokenQuestion): Bearer =>
    name === undefined ? ANYONE : exchanges.bearer(name, tokenOf(question));
  return {
    principal: () => `principal of ${shown(file.audience)}`,
    trust: (question) => {
      if (name === undefined || !isKnown(question.audience))
        return sameAnswers(
          unknown("the pool provider or the audience of the token is not known", "see the earlier checks"),
        );
      const trust = exchanges.trust(name, tokenOf(question));
      return { ...trust, issuer: otherUniverse(file, provider) ?? trust.issuer };
    },
    bearer,
    users: (question) => [bearer(question)],
    trusted: () => provider && [provider.issuer],
    understood: (label, cluster) => exchanges.understood(name, label, cluster),
  };
}

/** The answer if the file names the token exchange of a universe other than the pool provider's. */
function otherUniverse({ universe }: Credentials, provider: PoolProvider | undefined): Answer | undefined {
  const declared = provider && orElse(provider.resource.provider.text("universe_domain"), () => undefined);
  if (!provider || declared === undefined || same(universe, known(declared)) !== "no") return undefined;
  return broken(
    `the credential file names the token exchange of ${shown(universe)}, but the pool provider is in ${declared}`,
    "write the universe of the google provider (universe_domain) into the credential file",
    undefined,
    seen("pool provider", provider.resource.source),
  );
}

/** The answer without the image credential provider's log, which components do not write. */
function withoutLog({ status, reason, evidence, remedy }: Answer): Answer {
  return { status, reason, evidence, remedy };
}

/** Roles with which a principal of a pool may act as a service account. */
const USERS: readonly string[] = [USER, "roles/iam.serviceAccountTokenCreator"];
const GET_ACCESS_TOKEN = "iam.serviceAccounts.getAccessToken";
/** Resources whose policy also applies to the service accounts in them. */
const ABOVE: readonly string[] = ["project", "folder", "organization"];

/** Google service accounts by e-mail address, and who may act as them. */
class Accounts {
  readonly #byEmail: ByName<Resource>;
  readonly #iam: Iam;

  constructor(terraform: Terraform, iam: Iam) {
    this.#iam = iam;
    this.#byEmail = new ByName(
      terraform.ofType("google_service_account").map((each) => [emailOf(each), each]),
    );
  }

  /** Whether the service account is declared and exists. */
  found(email: Known<string>): Answer {
    const [account, name] = [this.#byEmail.get(email), `the service account ${shown(email)}`];
    if (account === undefined)
      return later("unknown", () =>
        unknown(
          notAmongRead(name, email, this.#byEmail.names),
          "also give explain the Terraform that declares it",
        ),
      );
    const where = seen("service account", account.source);
    const log = `${DENIED} on resource (or it may not exist)`;
    const isDisabled = account.certain ? whether(account.flag("disabled"), (flag) => flag) : "unknown";
    if (isDisabled === "yes") return broken(`${name} is disabled`, "enable the service account", log, where);
    return isDisabled === "no"
      ? pass(`${name} is declared`, where)
      : unknown(
          `whether ${name} exists and is enabled is known only after apply`,
          "state disabled as a literal",
          where,
        );
  }

  /** True if only the Terraform that was read grants it anything. */
  owns(email: Known<string>): boolean {
    return this.#byEmail.get(email)?.adopted === false;
  }

  /** The project of a service account; `undefined` if it cannot be determined. */
  project(email: Known<string>): Known<string> | undefined {
    const account = this.#byEmail.get(email);
    return account ? projectOf(account) : projectOfEmail(email);
  }

  /** The answer if a module is given the service account and may change it. */
  given(email: Known<string>): Answer | undefined {
    const account = this.#byEmail.get(email);
    return this.#iam.world.answer("the service account", account ? [account] : [], [email]);
  }

  /** Whether the bearer of a token may act as the service account. */
  admits(email: Known<string>, bearer: Bearer): Answer {
    const allowed = allowing(this.#iam.to(bearer), {
      role: (role) => this.#actsAs(role),
      reaches: ({ on }) =>
        on.kind === ACCOUNT ? same(on.name, email) : ABOVE.includes(on.kind) ? "unknown" : "no",
    });
    return this.#iam.settled(this.#admitted(email, bearer, allowed), this.given(email));
  }

  #admitted(email: Known<string>, { label }: Bearer, found: ReturnType<typeof allowing>): Answer {
    const [first] = found;
    if (first?.doubt === "") return pass(`${shown(email)} lets ${label} act as it`, grantSeen(first));
    if (first || !isKnown(email) || !this.owns(email))
      return unknown(
        `whether ${shown(email)} lets ${label} act as it cannot be determined${first ? `: ${first.doubt}` : ""}`,
        "also give explain the Terraform that declares its members; grant roles/iam.workloadIdentityUser on the service account itself, without a condition",
        found.flatMap(grantSeen),
      );
    const grants = this.#iam.grants.filter(({ on }) => on.kind === ACCOUNT && same(on.name, email) === "yes");
    const acting = grants.filter(({ role }) => this.#actsAs(role) === "yes");
    const members = acting.flatMap((grant) => orElse(grant.members, () => []));
    const again = regenerated(label, members);
    const near = again?.near ?? nearest(label, members);
    const exactly =
      near === ""
        ? `grant ${USER} on the service account to the principal`
        : `write exactly the principal as the member of ${USER}`;
    return broken(
      `${shown(email)} does not let ${label} act as it${near}`,
      again?.remedy ?? exactly,
      DENIED,
      grants.map((grant) => seen(grantText(grant), grant.resource.source)),
    );
  }

  #actsAs(role: Known<string>): Ternary {
    return (
      this.#iam.holds(role, GET_ACCESS_TOKEN) ??
      whether(role, (name) => USERS.includes(name) || (name.startsWith("roles/") ? "no" : "unknown"))
    );
  }
}
