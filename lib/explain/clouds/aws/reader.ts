import { partitions } from "../../../rules/aws/partitions";
import { ecrRoleAnnotation } from "../../../rules/aws/pull-annotation";
import { readPolicy } from "../../../rules/aws/evaluate/statements";
import { pluginCan } from "../../../rules/plugins";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../../answer";
import type { ClusterRecord } from "../../facts/cluster-record";
import type { ProviderEntry } from "../../facts/node-configuration";
import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import type {
  Cloud,
  CloudIdentity,
  CloudReader,
  PermissionAnswer,
  ReachedRepositories,
  Repository,
  TrustAnswer,
  TrustQuestion,
} from "../cloud";
import type { CloudAccess } from "../cloud-access";
import type { CloudSpokes } from "../cloud-spokes";
import { handedOver } from "../handed-over";
import type { PublishedIssuers } from "../published-issuers";
import { AwsAccess } from "./access";
import { type OidcProviderFact, Roles, oidcProviderArnAttribute, oidcProviders } from "./iam";
import { issuerBuckets } from "./issuer-buckets";
import { type NamedRole, namedRole } from "./named-role";
import { RepositoryPolicies } from "./repository-policies";
import { type AssumedRole, AwsPermissions } from "./permission";
import { pluginArguments } from "./plugin-arguments";
import { policyDocumentJson } from "./policy-documents";
import { AlikeRoles } from "./alike-roles";
import { AlikeTrust } from "./alike-trust";
import { AwsSpokes } from "./spokes";
import { NO_KEYS } from "./trust";

/** For other programs; people write it by mistake. */
const OTHER_ANNOTATION = "eks.amazonaws.com/role-arn";
const DEFAULT_ROLE = "AWS_ECR_ROLE_ARN";

/** ECR, by ecr-credential-provider. Source: kubernetes/cloud-provider-aws, cmd/ecr-credential-provider/main.go. */
export const awsReader: CloudReader = {
  computed: [policyDocumentJson, oidcProviderArnAttribute],
  stores: issuerBuckets,
  read: (terraform, issuers) => new Aws(terraform, issuers),
};

class Aws implements Cloud {
  readonly plugin = "ecr";
  readonly annotationKeys: readonly string[] = [ecrRoleAnnotation];
  readonly #terraform: Terraform;
  readonly #issuers: PublishedIssuers;
  readonly #roles: Roles;
  readonly #oidcProviders: readonly OidcProviderFact[];
  readonly #policies: RepositoryPolicies;
  readonly #permissions: AwsPermissions;
  readonly #alikeRoles = new AlikeRoles();
  readonly #alikeTrust = new AlikeTrust();
  readonly #numbers = new Map<string, number>();

  #access: CloudAccess | undefined;
  #spokes: CloudSpokes | undefined;

  constructor(terraform: Terraform, issuers: PublishedIssuers) {
    this.#terraform = terraform;
    this.#issuers = issuers;
    this.#roles = new Roles(terraform);
    this.#oidcProviders = oidcProviders(terraform);
    this.#policies = new RepositoryPolicies(terraform);
    this.#permissions = new AwsPermissions(this.#policies, this.#alikeRoles);
  }

  get access(): CloudAccess {
    return (this.#access ??= new AwsAccess(this.#named, this.#oidcProviders, this.#issuers));
  }

  get spokes(): CloudSpokes {
    return (this.#spokes ??= new AwsSpokes(this.#terraform, this.#named));
  }

  needs(): readonly "tokens"[] {
    return ["tokens"];
  }

  arguments(
    entry: ProviderEntry,
    _node: unknown,
    registry: Pick<Repository, "host">,
    cluster: ClusterRecord,
  ): Answer {
    return pluginArguments(entry, registry, cluster);
  }

  annotations(question: TrustQuestion): Answer {
    const { account, entry } = question;
    const role = roleArnOf(question);
    const where = seen("annotations of the service account", account.source);
    if (role !== undefined && role !== "") return pass(`the plugin is told the role ${role}`, where);
    const confused = account.annotations.has(OTHER_ANNOTATION)
      ? `; ${OTHER_ANNOTATION} is there, which the plugin does not read`
      : "";
    const present = account.annotations.has(ecrRoleAnnotation);
    const reason = !present
      ? `the service account has no ${ecrRoleAnnotation}${confused}`
      : role === ""
        ? `${ecrRoleAnnotation} is empty`
        : `the entry does not list ${ecrRoleAnnotation} among its annotation keys, so the kubelet does not hand it on`;
    return broken(
      reason,
      present && role !== ""
        ? "list the key in requiredServiceAccountAnnotationKeys"
        : `annotate it with ${ecrRoleAnnotation}`,
      withoutRoleLog(question),
      where,
      seen("tokenAttributes", entry.source),
    );
  }

  trust(question: TrustQuestion): TrustAnswer {
    const arn = roleArnOf(question) ?? "";
    const { role, label, account: home, partition } = this.#named(arn);
    const [issuer, audience, subject] = this.#alikeTrust.of({
      role,
      account: home,
      partition,
      issuer: question.cluster.issuer,
      subject: `system:serviceaccount:${question.namespace}:${question.name}`,
      audience: question.entry.tokenAttributes?.audience ?? "",
      oidcProviders: this.#oidcProviders,
    });
    const assumed = role && {
      arn: isLateText(arn) ? "" : arn,
      partition: partition ?? "",
      account: home,
      role,
    };
    return {
      issuer: this.#issuers.judged(issuer, question.cluster.issuer, NO_KEYS),
      audience,
      subject,
      identity: assumed && new AwsIdentity(label, this.#key(assumed), assumed),
    };
  }

  permission(identity: CloudIdentity, repository: Repository): PermissionAnswer {
    if (identity instanceof AwsIdentity) return this.#permissions.of(identity.assumed, repository);
    const answer = unknown("the IAM role is not among what was read", "name its Terraform as well");
    return { login: answer, repository: answer };
  }

  reach(identity: CloudIdentity): readonly ReachedRepositories[] {
    const policies = identity instanceof AwsIdentity ? identity.assumed.role.policies : [];
    return policies.flatMap((policy) => {
      const read = readPolicy(policy);
      if ("problem" in read) return [{ pattern: "a policy that was not read", comparable: false }];
      return read.statements
        .filter(({ effect, actions }) => effect === "Allow" && mayPull(actions))
        .flatMap(({ resources }) =>
          resources === undefined || resources.negated
            ? [{ pattern: "everything but some", comparable: false }]
            : resources.values.map(imagePattern),
        );
    });
  }

  readonly #named = (arn: string): NamedRole => namedRole(arn, this.#terraform, this.#roles);

  /** A policy's text by a short name, since texts are long and roles many. */
  readonly #number = (policy: string): number => {
    const known = this.#numbers.get(policy) ?? this.#numbers.size;
    this.#numbers.set(policy, known);
    return known;
  };

  /** Where a repository has a policy, it matters who asks; else only what the role may. */
  #key(assumed: AssumedRole): string {
    const { role, arn, account, partition } = assumed;
    const who = this.#policies.empty ? "" : arn;
    const documents = [role.boundary ?? "", ...role.policies, ...role.perhaps.map(({ policy }) => policy)];
    // How many policies are certain tells where those that are not begin.
    const policies = this.#alikeRoles.keyOf(role) ?? [role.policies.length, ...documents.map(this.#number)];
    return `${partition} ${account} ${policies.toString()} ${who}`;
  }
}

/** A role as whom a service account acts. */
class AwsIdentity implements CloudIdentity {
  readonly label: string;
  readonly permissionKey: string;
  readonly assumed: AssumedRole;

  constructor(label: string, permissionKey: string, assumed: AssumedRole) {
    this.label = label;
    this.permissionKey = permissionKey;
    this.assumed = assumed;
  }

  get source(): Source {
    return this.assumed.role.source;
  }
}

const WITHOUT_ROLE = "no arn provided, cannot assume role using ServiceAccountToken";

/** A plugin that falls back succeeds, and what a successful plugin writes the kubelet drops. */
function withoutRoleLog({ cluster: { plugins = {} } }: TrustQuestion): string {
  const falls = pluginCan("ecr", plugins["ecr"] ?? {}, "unannotated-node-identity").outcome === "yes";
  return falls ? `${SILENT}: the plugin writes "${WITHOUT_ROLE}" and succeeds as the node` : WITHOUT_ROLE;
}

/** The role that the plugin assumes: the annotation as handed over, or the entry's default where it is absent. */
function roleArnOf({ entry, account }: TrustQuestion): string | undefined {
  return handedOver(entry, account, ecrRoleAnnotation) ?? entry.env.get(DEFAULT_ROLE);
}

function mayPull({
  values,
  negated,
}: {
  readonly values: readonly string[];
  readonly negated: boolean;
}): boolean {
  const named = values.some((value) => /^(?:\*|ecr:(?:\*|Batch\*|BatchGet\*|BatchGetImage))$/i.test(value));
  return named !== negated;
}

const REPOSITORY_ARN = /^arn:[^:]*:ecr:([^:]*):(\d{12}):repository\/(.+)$/;

function imagePattern(arn: string): ReachedRepositories {
  const [, region = "", account, name] = REPOSITORY_ARN.exec(arn) ?? [];
  const partition = partitions.find(({ regions }) => regions.test(region));
  return account === undefined || name === undefined || partition === undefined
    ? { pattern: arn === "*" ? "every repository of ECR" : arn, comparable: false }
    : { pattern: `${account}.dkr.ecr.${region}.${partition.dnsSuffix}/${name}`, comparable: true };
}
