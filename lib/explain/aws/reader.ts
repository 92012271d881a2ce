import { type Known, known, orElse, shown, unread } from "../../model/known";
import { serviceAccountUser } from "../../model/namespaced-name";
import { type Answer, pass } from "../answer";
import type {
  Cloud,
  CloudReader,
  DeclaredIdentity,
  Granted,
  PullIdentity,
  PullQuestion,
  ShownClaims,
  TrustAnswer,
} from "../cloud";
import { partitions } from "../../rules/aws/partitions";
import { POD_IDENTITY_SERVICE } from "../../rules/aws/pod-identity";
import type { ClosedWorld } from "../coverage/closed-world";
import type { Terraform } from "../read/terraform";
import type { Issuers } from "../shared/object-store";
import { grantsNotRead } from "../shared/not-read";
import { Recent } from "../shared/references";
import { eksClusters } from "./clusters";
import { noRights, sameAnswers } from "../shared/same-answers";
import { grantedAccess } from "./access-entry";
import { organizationRights } from "./organization";
import { BY_TOKENS, grantedBy, heldRights } from "./held";
import { RoleAccess } from "./access";
import { distributionArn, bucketAttributes, issuerBuckets } from "./issuer";
import { Documents, policyArn, policyDocumentJson } from "./documents";
import { type NamedRole, type Role, Roles, labelOf, roleAttributes } from "./identity";
import { oidcProviderArn, oidcProviders } from "./oidc-providers";
import { AwsRights } from "./permission";
import { memoryKey, placeAttributes } from "./place";
import { EcrPlugin } from "./plugin";
import { PodIdentities } from "./pod-identity";
import { pulledOnFargate } from "./pods";
import { recorded } from "./recorded";
import { Registries, repositoryAttributes } from "./registry";
import { ResourcePolicies } from "./resource-policies";
import { AwsSpokes } from "./spoke";
import { stated } from "./stated";
import { Trust } from "./trust";
import type { TrustQuestion } from "./trust-links";

export const awsReader: CloudReader = {
  cloud: "aws",
  title: "AWS",
  providers: ["aws"],
  stated,
  computed: [
    policyDocumentJson,
    policyArn,
    oidcProviderArn,
    distributionArn,
    ...roleAttributes,
    ...bucketAttributes,
    ...repositoryAttributes,
    ...placeAttributes,
  ],
  clusters: eksClusters,
  recorded,
  stores: issuerBuckets,
  read: (terraform, issuers, world) => new Aws(terraform, issuers, world),
};

/** Resources that grant rights to people and programs outside of clusters, and long-lived keys. */
const NOT_JUDGED: readonly string[] = [
  "aws_ecrpublic_repository_policy",
  "aws_iam_access_key",
  "aws_iam_group_membership",
  "aws_iam_group_policy",
  "aws_iam_group_policy_attachment",
  "aws_iam_user_group_membership",
  "aws_iam_user_policy",
  "aws_iam_user_policy_attachment",
  "aws_rolesanywhere_profile",
];

class Aws implements Cloud {
  readonly cloud = "aws";
  readonly pulls: EcrPlugin = new EcrPlugin((arn, question) => this.#puller(arn, question));
  readonly #terraform: Terraform;
  readonly #issuers: Issuers;
  readonly #world: ClosedWorld;
  readonly #rights = new Rights();
  #read: Read | undefined;
  #identities: readonly DeclaredIdentity[] | undefined;

  constructor(terraform: Terraform, issuers: Issuers, world: ClosedWorld) {
    this.#terraform = terraform;
    this.#world = world;
    this.#issuers = issuers;
  }

  get access(): RoleAccess {
    return this.#facts.access;
  }

  get spokes(): AwsSpokes {
    return this.#facts.spokes;
  }

  get identities(): readonly DeclaredIdentity[] {
    return (this.#identities ??= this.#declared());
  }

  #declared(): readonly DeclaredIdentity[] {
    const { roles, trust } = this.#facts;
    return roles.declared.map((role) => ({
      id: arnsOf(role)[0] ?? `${role.resource.address} ${role.pathName}`,
      address: role.resource.address,
      names: [role.resource.address, shown(role.resource.attribute("name")), role.pathName, ...arnsOf(role)],
      source: role.resource.source,
      trust: (claims) => declaredTrust(role, claims, trust),
      admitsAnyAudience: (claims) => trust.isWide(questionOf(role, claims)),
      get terms() {
        return trust.terms(role);
      },
    }));
  }

  get granted(): readonly Granted[] {
    const { roles, registries, trust, documents } = this.#facts;
    const others = roles.declared.flatMap((role) => {
      const issuers = trust.named(role);
      // Trust in tokens of issuers is compared subject by subject.
      return grantedBy(role.trust, `the role ${role.pathName}`, role.resource.source)
        .filter(
          ({ to, rights }) =>
            !issuers.has(to) || rights().every(({ covers }) => covers?.action !== BY_TOKENS),
        )
        .map(ofPods);
    });
    const elsewhere = roles.elsewhere.map(({ role, held: all }): Granted => ({
      to: `the role ${role}`,
      isHeld: false,
      isOwn: false,
      rights: () => heldRights(all, undefined, undefined),
    }));
    return [
      ...registries.granted,
      ...others,
      ...this.#heldByRoles(),
      ...elsewhere,
      ...grantedAccess(
        this.#terraform.ofType("aws_eks_access_policy_association"),
        (arn) => roles.named(arn).role !== undefined,
      ),
      ...organizationRights(this.#terraform, documents),
      ...grantsNotRead(this.#terraform, NOT_JUDGED),
    ];
  }

  #heldByRoles(): readonly Granted[] {
    const { roles } = this.#facts;
    return roles.declared.map((role) => ({
      to: labelOf(role.arn, role),
      isHeld: true,
      isOwn: true,
      at: role.resource.source,
      rights: () => {
        const { policies, boundary } = roles.of(role.resource);
        return heldRights(policies, boundary, role.resource.source);
      },
    }));
  }

  get #facts(): Read {
    return (this.#read ??= readAws(this.#terraform, this.#issuers, this.#world));
  }

  #puller(arn: Known<string> | undefined, { token }: PullQuestion): PullIdentity {
    const { roles, registries, trust } = this.#facts;
    const named = roles.named(arn ?? unread("the role is not known"));
    const { role, missing, account, partition, label } = named;
    const { issuer, audience } = token;
    const subject = known(serviceAccountUser(token));
    const question = role && { role, account, partition, issuer, subject, audience };
    return {
      trust: question ? trust.of(question) : sameAnswers(missing),
      admitsAnyAudience: () => question !== undefined && trust.isWide(question),
      admits: (namespace, name) => question !== undefined && trust.admits(question, { namespace, name }),
      label: role && label,
      source: role?.resource.source,
      trusted: () => role && trust.issuersOf(role),
      understood: (cluster) =>
        pulledOnFargate(this.#terraform, cluster, token.namespace) ?? roles.understood(named, cluster),
      rights: role ? this.#rights.of(named, role, registries) : noRights(missing),
    };
  }
}

/** A trust in EKS Pod Identity, which is for one service account only if a condition compares its name. */
function ofPods(granted: Granted): Granted {
  if (granted.to !== POD_IDENTITY_SERVICE) return granted;
  const tag = "aws:requesttag/kubernetes-service-account";
  const isTied = granted.rights().every(({ covers }) => covers?.under.toLowerCase().includes(tag) === true);
  return isTied ? { ...granted, isOwn: true } : { ...granted, isOpen: true, who: ANY_POD };
}

const ANY_POD = "any pod of the account's EKS clusters to which an association gives the role";

type Read = ReturnType<typeof readAws>;

/** The facts, computed on first use. */
function readAws(
  terraform: Terraform,
  issuers: Issuers,
  world: ClosedWorld,
): {
  readonly documents: Documents;
  readonly roles: Roles;
  readonly registries: Registries;
  readonly trust: Trust;
  readonly access: RoleAccess;
  readonly spokes: AwsSpokes;
} {
  const documents = new Documents(terraform);
  const roles = new Roles(terraform, documents, world);
  const trust = new Trust(oidcProviders(terraform), issuers, world.isWhole);
  return {
    documents,
    roles,
    trust,
    registries: new Registries(terraform, documents, world),
    access: new RoleAccess(
      roles,
      trust,
      new PodIdentities(terraform, roles),
      new ResourcePolicies(terraform, documents),
    ),
    spokes: new AwsSpokes(terraform, roles),
  };
}

/** One object for all roles that may do the same. */
class Rights {
  readonly #made = new Recent<string, AwsRights>();

  /** If a repository has a policy, the asking role matters; otherwise only the role's rights do. */
  of({ arn, account, partition }: NamedRole, role: Role, registries: Registries): AwsRights {
    const { policies, boundary } = role;
    const held = policies.flatMap(({ policy, doubt }) => [policy, doubt]);
    const key = memoryKey(partition, account, registries.isEmpty ? undefined : arn, boundary, ...held);
    const make = (): AwsRights => new AwsRights({ arn, account, partition, policies, boundary }, registries);
    return this.#made.get(key, make);
  }
}

/** The role's ARN in every partition: account and name identify a role. */
function arnsOf({ account, pathName }: Role): readonly string[] {
  const id = orElse(account, () => undefined);
  return id === undefined ? [] : partitions.map(({ name }) => `arn:${name}:iam::${id}:role/${pathName}`);
}

/**
 * An OIDC provider that another team declares may not have been read; then the trust policy decides alone, as it does
 * in AWS once the OIDC provider exists.
 */
function declaredTrust(role: Role, claims: ShownClaims, trust: Trust): TrustAnswer {
  const answers = trust.of(questionOf(role, claims));
  if (answers.subject.status !== "pass") return answers;
  const presumed = (answer: Answer): Answer =>
    answer.status === "unknown" ? pass(`presumed: ${answer.reason}`, answer.evidence) : answer;
  return { ...answers, issuer: presumed(answers.issuer), audience: presumed(answers.audience) };
}

function questionOf(role: Role, { issuer, subject, audience }: ShownClaims): TrustQuestion {
  const { account, partition } = role;
  const claims = { issuer, audience: known(audience), subject: known(subject) };
  return { role, account, partition, ...claims };
}
