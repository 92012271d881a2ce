import { type Known, known, orElse, shown, unread } from "../../model/known";
import { type Answer, pass, unknown } from "../answer";
import type {
  Cloud,
  CloudReader,
  DeclaredIdentity,
  PullIdentity,
  PullQuestion,
  PullRights,
  ShownClaims,
  TrustAnswer,
} from "../cloud";
import type { Terraform } from "../read/terraform";
import type { Issuers } from "../shared/object-store";
import { AwsAccess } from "./access";
import { distributionArn } from "./distribution";
import { Documents, policyArn } from "./documents";
import { type NamedRole, type Role, Roles, roleAttributes } from "./identity";
import { bucketAttributes, issuerBuckets } from "./issuer";
import { oidcProviderArn, oidcProviders } from "./oidc-providers";
import { AwsRights } from "./permission";
import { identityOf, placeAttributes } from "./place";
import { EcrPlugin } from "./plugin";
import { policyDocumentJson } from "./policy-document";
import { Registries } from "./registry";
import { AwsSpokes } from "./spoke";
import { Trust, letsInByStar } from "./trust";
import { stated } from "./stated";

/** AWS. */
export const awsReader: CloudReader = {
  cloud: "aws",
  stated,
  computed: [
    policyDocumentJson,
    policyArn,
    oidcProviderArn,
    distributionArn,
    ...roleAttributes,
    ...bucketAttributes,
    ...placeAttributes,
  ],
  stores: issuerBuckets,
  read: (terraform, issuers) => new Aws(terraform, issuers),
};

class Aws implements Cloud {
  readonly cloud = "aws";
  readonly pulls: EcrPlugin = new EcrPlugin((arn, question) => this.#puller(arn, question));
  readonly #terraform: Terraform;
  readonly #issuers: Issuers;
  readonly #rights = new Rights();
  #read: Read | undefined;
  #access: AwsAccess | undefined;
  #spokes: AwsSpokes | undefined;

  constructor(terraform: Terraform, issuers: Issuers) {
    this.#terraform = terraform;
    this.#issuers = issuers;
  }

  get access(): AwsAccess {
    return (this.#access ??= new AwsAccess(this.#named, this.#facts.trust));
  }

  get spokes(): AwsSpokes {
    return (this.#spokes ??= new AwsSpokes(this.#terraform, this.#named));
  }

  get identities(): readonly DeclaredIdentity[] {
    const { roles, trust } = this.#facts;
    return roles.declared.map((role) => ({
      address: role.resource.address,
      names: [role.resource.address, shown(role.resource.attribute("name")), role.pathName, ...arnsOf(role)],
      source: role.resource.source,
      trust: (claims) => declaredTrust(role, claims, trust),
    }));
  }

  get #facts(): Read {
    return (this.#read ??= new Read(this.#terraform, this.#issuers));
  }

  readonly #named = (arn: Known<string>): NamedRole => this.#facts.roles.named(arn);

  #puller(arn: Known<string> | undefined, { token }: PullQuestion): PullIdentity {
    const { registries, trust } = this.#facts;
    const named = this.#named(arn ?? unread("the role is not known"));
    const { role, account, partition } = named;
    const { issuer, audience } = token;
    const subject = `system:serviceaccount:${token.namespace}:${token.name}`;
    return {
      trust: trust.of({ role, account, partition, issuer, subject, audience }),
      label: role && named.label,
      source: role?.resource.source,
      rights: role ? this.#rights.of(named, role, registries) : NO_RIGHTS,
    };
  }
}

/** What is put together when it is first asked for. */
class Read {
  readonly roles: Roles;
  readonly registries: Registries;
  readonly trust: Trust;

  constructor(terraform: Terraform, issuers: Issuers) {
    const documents = new Documents(terraform);
    this.roles = new Roles(terraform, documents);
    this.registries = new Registries(terraform, documents);
    this.trust = new Trust(oidcProviders(terraform), issuers);
  }
}

/** One object for all roles that may do the same. */
class Rights {
  #first = new Map<unknown, unknown>();

  /** Where a repository has a policy, it matters who asks; else only what the role may. */
  of({ arn, account, partition }: NamedRole, role: Role, registries: Registries): AwsRights {
    const { policies, boundary } = role;
    const key = [
      identityOf(partition),
      identityOf(account),
      registries.isEmpty ? undefined : identityOf(arn),
      boundary,
      ...policies.flatMap(({ policy, doubt }) => [policy, doubt]),
    ];
    let level = this.#first;
    for (const part of key) {
      const next = (level.get(part) ?? new Map<unknown, unknown>()) as Map<unknown, unknown>;
      level.set(part, next);
      level = next;
    }
    const made =
      (level.get(END) as AwsRights | undefined) ??
      new AwsRights({ arn, account, partition, policies, boundary }, registries);
    level.set(END, made);
    return made;
  }
}

const END = Symbol("rights");

const NOT_READ: Answer = unknown("the IAM role is not among what was read", "name its Terraform as well");
const NO_RIGHTS: PullRights = { login: () => NOT_READ, repository: () => NOT_READ, reach: () => [] };

/** Partitions differ; account and name are what tells roles apart. */
function arnsOf({ account, pathName }: Role): readonly string[] {
  const id = orElse(account, () => undefined);
  if (id === undefined) return [];
  return ["aws", "aws-cn", "aws-us-gov"].map((partition) => `arn:${partition}:iam::${id}:role/${pathName}`);
}

/**
 * An OIDC provider that another team declares was not read; the trust policy then decides alone, as it does for AWS once
 * the OIDC provider is there. A principal such as `*` names no OIDC provider, and lets all of them in.
 */
function declaredTrust(role: Role, { issuer, subject, audience }: ShownClaims, trust: Trust): TrustAnswer {
  const { account, partition } = role;
  const claims = { issuer: known(issuer), audience: known(audience), subject };
  const answers = trust.of({ role, account, partition, ...claims });
  if (answers.issuer.status === "fail") {
    const { outcome, reason } = letsInByStar(role, issuer.replace(/^https:\/\//, ""), subject, audience);
    if (outcome === "denied") return answers;
    const answer = outcome === "allowed" ? pass(reason) : unknown(reason, "see the trust policy");
    return { issuer: answer, audience: answer, subject: answer };
  }
  if (answers.subject.status !== "pass") return answers;
  const presumed = (answer: Answer): Answer =>
    answer.status === "unknown" ? pass(`presumed: ${answer.reason}`, ...answer.evidence) : answer;
  return { ...answers, issuer: presumed(answers.issuer), audience: presumed(answers.audience) };
}
