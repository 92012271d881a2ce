import { known, orElse, shown, unread } from "../../model/known";
import { type Answer, pass } from "../answer";
import type { Cloud, CloudReader, DeclaredIdentity, Granted, ShownClaims, TrustAnswer } from "../cloud";
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
import { BY_TOKENS, grantedBy, heldRights, organizationRights } from "./held";
import { roleAccess } from "./access";
import { distributionArn, bucketAttributes, issuerBuckets } from "./issuer";
import { Documents, policyArn, policyDocumentJson } from "./documents";
import { type NamedRole, type Role, Roles, labelOf, roleAttributes } from "./identity";
import { oidcProviderArn, oidcProviders } from "./oidc-providers";
import { AwsRights } from "./permission";
import { memoryKey, placeAttributes } from "./place";
import { ecrPlugin } from "./plugin";
import { PodIdentities, associatedRoles } from "./pod-identity";
import { pulledOnFargate } from "./pods";
import { recorded } from "./recorded";
import { Registries, repositoryAttributes } from "./registry";
import { ResourcePolicies } from "./resource-policies";
import { AwsSpokes } from "./spoke";
import { stated } from "./stated";
import { Trust, askedOf } from "./trust";
import type { TrustQuestion } from "./trust-links";

export const awsReader: CloudReader = {
  cloud: "aws",
  title: "AWS",
  providers: ["aws"],
  stated,
  computed: [
    policyDocumentJson,
    distributionArn,
    ...policyArn,
    ...oidcProviderArn,
    ...roleAttributes,
    ...bucketAttributes,
    ...repositoryAttributes,
    ...placeAttributes,
  ],
  clusters: eksClusters,
  recorded,
  stores: issuerBuckets,
  read: aws,
};

/** Resources that grant rights to people and programs outside of clusters or limit them, and long-lived keys. */
const NOT_JUDGED: readonly string[] = [
  "aws_ecrpublic_repository_policy",
  "aws_eks_identity_provider_config",
  "aws_iam_access_key",
  "aws_iam_group_membership",
  "aws_iam_group_policy",
  "aws_iam_group_policy_attachment",
  "aws_iam_user_group_membership",
  "aws_iam_user_policy",
  "aws_iam_user_policy_attachment",
  "aws_organizations_policy_attachment",
  "aws_rolesanywhere_profile",
];

function aws(terraform: Terraform, issuers: Issuers, world: ClosedWorld): Cloud {
  const documents = new Documents(terraform);
  const roles = new Roles(terraform, documents, world);
  const trust = new Trust(oidcProviders(terraform), issuers, world.isWhole);
  const registries = new Registries(terraform, documents, world);
  const policies = new ResourcePolicies(terraform, documents);
  const read = { terraform, documents, roles, trust, registries };
  let identities: readonly DeclaredIdentity[] | undefined;
  return {
    cloud: "aws",
    pulls: ecrPlugin(pullers(read)),
    access: roleAccess(roles, trust, new PodIdentities(terraform, roles), policies),
    spokes: new AwsSpokes(terraform, roles),
    get identities(): Cloud["identities"] {
      return (identities ??= roles.declared.map((role) => declaredIdentity(role, trust)));
    },
    get granted(): Cloud["granted"] {
      return allGranted(read);
    },
  };
}

interface Read {
  readonly terraform: Terraform;
  readonly documents: Documents;
  readonly roles: Roles;
  readonly trust: Trust;
  readonly registries: Registries;
}

function declaredIdentity(role: Role, trust: Trust): DeclaredIdentity {
  const { address, source } = role.resource;
  const arns = arnsOf(role);
  return {
    id: arns[0] ?? `${address} ${role.pathName}`,
    address,
    names: [address, shown(role.resource.attribute("name")), role.pathName, ...arns],
    source,
    trust: (claims) => declaredTrust(role, claims, trust),
    admitsAnyAudience: (claims) => trust.isWide(questionOf(role, claims)),
    get terms() {
      return trust.terms(role);
    },
  };
}

function allGranted({ terraform, documents, roles, trust, registries }: Read): readonly Granted[] {
  const others = roles.declared.flatMap((role) => {
    const issuers = trust.named(role);
    // Trust in tokens of issuers is compared subject by subject.
    return grantedBy(role.trust, `the role ${role.pathName}`, role.resource.source)
      .filter(
        ({ to, rights }) => !issuers.has(to) || rights().every(({ covers }) => covers?.action !== BY_TOKENS),
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
    ...roles.declared.map((role) => heldBy(role, roles)),
    ...elsewhere,
    ...grantedAccess(terraform, (arn) => roles.named(arn).role !== undefined),
    ...associatedRoles(terraform),
    ...organizationRights(terraform, documents),
    ...grantsNotRead(terraform, NOT_JUDGED),
  ];
}

function heldBy(role: Role, roles: Roles): Granted {
  return {
    to: labelOf(role.arn, role),
    isHeld: true,
    isOwn: true,
    at: role.resource.source,
    rights: () => {
      const { policies, boundary } = roles.of(role.resource);
      return heldRights(policies, boundary, role.resource);
    },
  };
}

/** Judges the roles that the plugin is given; one object holds the rights of all that may do the same. */
function pullers({ terraform, roles, trust, registries }: Read): Parameters<typeof ecrPlugin>[0] {
  const memory = new Recent<string, AwsRights>();
  return (arn, { token }) => {
    const named = roles.named(arn ?? unread("the role is not known"));
    const { role, missing, label } = named;
    const question = askedOf(named, token);
    return {
      trust: question ? trust.of(question) : sameAnswers(missing),
      admitsAnyAudience: () => question !== undefined && trust.isWide(question),
      admits: (namespace, name) => question !== undefined && trust.admits(question, { namespace, name }),
      label: role && label,
      source: role?.resource.source,
      trusted: () => role && trust.issuersOf(role),
      understood: (cluster) =>
        pulledOnFargate(terraform, cluster, token.namespace) ?? roles.understood(named, cluster),
      rights: role ? rightsOf(named, role, registries, memory) : noRights(missing),
    };
  };
}

/** If a repository has a policy, the asking role matters; otherwise only the role's rights do. */
function rightsOf(
  { arn, account, partition }: NamedRole,
  { policies, boundary }: Role,
  registries: Registries,
  memory: Recent<string, AwsRights>,
): AwsRights {
  const held = policies.flatMap(({ policy, doubt }) => [policy, doubt]);
  const key = memoryKey(partition, account, registries.isEmpty ? undefined : arn, boundary, ...held);
  return memory.get(key, () => new AwsRights({ arn, account, partition, policies, boundary }, registries));
}

/** A trust in EKS Pod Identity, which is for one service account only if a condition compares its name. */
function ofPods(granted: Granted): Granted {
  if (granted.to !== POD_IDENTITY_SERVICE) return granted;
  const tag = "aws:requesttag/kubernetes-service-account";
  const isTied = granted.rights().every(({ covers }) => covers?.under.toLowerCase().includes(tag) === true);
  return isTied ? { ...granted, isOwn: true } : { ...granted, isOpen: true, who: ANY_POD };
}

const ANY_POD = "any pod of the account's EKS clusters to which an association gives the role";

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
