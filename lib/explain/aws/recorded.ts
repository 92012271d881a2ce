/*
 * What AWS's command line prints. Sources: AWS CLI reference, iam (get-account-authorization-details, get-role), eks and
 * ecr; IAM API reference, RoleDetail and ManagedPolicyDetail. A policy's document is printed as an object.
 */

import { CommandAnswer } from "../../model/command-answer";
import { once } from "../../model/once";
import type { Json } from "../../model/parsed";
import { accountInArn } from "../../rules/aws/arn";
import { ASK } from "../../rules/aws/commands";
import { NOT_YET } from "../read/block";
import {
  ANY,
  type Recorded,
  type RecordedCommand,
  type RecordedCommands,
  type RecordedItem,
  type RecordedResource,
} from "../read/recorded";

/** Role names are unique in one account only, so that answers by name count only beside answers of one account. */
const isOfOneAccount = once((document: Recorded): boolean => {
  const arns = [
    ...document.of(ASK.role).map(({ answer }) => answer.at("Arn").stated()),
    ...document.of(ASK.provider).map(({ key }) => key),
  ];
  const callers = document.of(ASK.caller).map(({ answer }) => answer.at("Account").stated());
  return new Set([...callers, ...arns.map((arn) => accountInArn(arn))]).size === 1;
});

function roleOf({ answer, more }: RecordedItem, rights: Json): readonly RecordedResource[] {
  const [arn, name] = ["Arn", "RoleName"].map((key) => answer.at(key).stated());
  const values = {
    id: name,
    arn,
    name,
    path: answer.at("Path").text(),
    assume_role_policy: answer.at("AssumeRolePolicyDocument").json(),
    permissions_boundary: answer.at("PermissionsBoundary", "PermissionsBoundaryArn").text(),
    ...rights,
    ...more,
  };
  return [{ type: "aws_iam_role", id: arn ?? "", values }];
}

function inlinePolicy(policy: CommandAnswer): Json {
  return { name: policy.at("PolicyName").stated(), policy: policy.at("PolicyDocument").json() };
}

/** The policies of a role that other commands printed; those that were not printed are not known. */
function rightsOf({ document }: RecordedItem, name: string): Json {
  if (!isOfOneAccount(document)) return { inline_policy: NOT_YET, managed_policy_arns: NOT_YET };
  const names = document.of(ASK.policies, name).map(({ answer }) => answer.stated());
  const inline = names.map((each) => document.of(ASK.policy, `${name}/${each}`)[0]);
  const attached = document.of(ASK.attached, name);
  const used = [...document.of(ASK.policies, name), ...attached, ...inline].map((each) => each?.more);
  const [hasNames, hasArns] = [ASK.policies, ASK.attached].map((each) => document.isAnswered(each, name));
  const isPrinted = hasNames && inline.every((each) => each !== undefined);
  const rights = {
    inline_policy: isPrinted ? inline.map((each) => each && inlinePolicy(each.answer)) : NOT_YET,
    managed_policy_arns: hasArns ? attached.map(({ answer }) => answer.at("PolicyArn").stated()) : NOT_YET,
  };
  return Object.assign({}, rights, ...used) as Json;
}

/** A role by itself; its policies are what other commands say. */
function role(item: RecordedItem, all: Recorded): readonly RecordedResource[] {
  const [made, ...more] = roleOf(item, rightsOf(item, item.answer.at("RoleName").stated()));
  const isRepeated = all.of(ASK.details, made?.id).some((each) => {
    const [whole] = roleOf(each, {});
    return ["assume_role_policy", "permissions_boundary"].every(
      (key) => whole?.values[key] === made?.values[key],
    );
  });
  return made && !isRepeated ? [made, ...more] : more;
}

function roleInDetail(item: RecordedItem): readonly RecordedResource[] {
  const [inline, attached] = ["RolePolicyList", "AttachedManagedPolicies"].map((key) => item.answer.at(key));
  return roleOf(item, {
    inline_policy: inline?.exists ? inline.list().map(inlinePolicy) : NOT_YET,
    managed_policy_arns: attached?.exists
      ? attached.list().map((each) => each.at("PolicyArn").stated())
      : NOT_YET,
  });
}

function managedPolicy(
  arn: string,
  versions: readonly CommandAnswer[],
  more: Json,
): readonly RecordedResource[] {
  const version = versions.find((each) => each.at("IsDefaultVersion").value === true);
  const name = arn.slice(arn.lastIndexOf("/") + 1);
  const values = { id: arn, arn, name, policy: version?.at("Document").json() ?? NOT_YET, ...more };
  return [{ type: "aws_iam_policy", id: arn, values }];
}

function provider({ key: arn, answer, more }: RecordedItem): readonly RecordedResource[] {
  const url = answer
    .at("Url")
    .stated()
    .replace(/^https:\/\//, "");
  if (!arn.endsWith(`:oidc-provider/${url}`)) answer.refuse(`the OIDC provider ${arn}`);
  const ids = answer.at("ClientIDList");
  const values = { id: arn, arn, url, client_id_list: ids.exists ? ids.texts() : NOT_YET, ...more };
  return [{ type: "aws_iam_openid_connect_provider", id: arn, values }];
}

function cluster({ answer, more }: RecordedItem): readonly RecordedResource[] {
  const [arn, name] = ["arn", "name"].map((key) => answer.at(key).stated());
  const values = {
    id: name,
    arn,
    name,
    version: answer.at("version").text(),
    identity: [{ oidc: [{ issuer: answer.at("identity", "oidc", "issuer").text() ?? NOT_YET }] }],
    access_config: [{ authentication_mode: answer.at("accessConfig", "authenticationMode").text() ?? "" }],
    compute_config: [{ enabled: answer.at("computeConfig", "enabled").value === true }],
    ...more,
  };
  return [{ type: "aws_eks_cluster", id: arn ?? "", values }];
}

/** A list of associations does not say which role they give. */
function association({ answer, more }: RecordedItem, all: Recorded): readonly RecordedResource[] {
  const id = answer.at("associationId").stated();
  const isDescribed = all.of(ASK.association, id).some((each) => each.answer !== answer);
  if (!answer.at("roleArn").exists && isDescribed) return [];
  const values = {
    id,
    association_arn: answer.at("associationArn").text(),
    cluster_name: answer.at("clusterName").stated(),
    namespace: answer.at("namespace").stated(),
    service_account: answer.at("serviceAccount").stated(),
    role_arn: answer.at("roleArn").text() ?? NOT_YET,
    target_role_arn: answer.at("targetRoleArn").text(),
    policy: answer.at("policy").text(),
    disable_session_tags: answer.at("disableSessionTags").value === true,
    ...more,
  };
  return [{ type: "aws_eks_pod_identity_association", id, values }];
}

const REPOSITORY = /^arn:[a-z-]+:ecr:([a-z0-9-]+):(\d{12}):repository\/(.+)$/;

function repositoryPolicy({ key, answer, more }: RecordedItem): readonly RecordedResource[] {
  const [account, repository] = ["registryId", "repositoryName"].map((each) => answer.at(each).stated());
  const [, region, ofAccount = account, ofName = repository] = REPOSITORY.exec(key) ?? [];
  if (ofAccount !== account || ofName !== repository) answer.refuse(`the policy of ${key}`);
  const policy = answer.at("policyText").stated();
  const values = { id: repository, repository, registry_id: account, region, policy, ...more };
  return [
    { type: "aws_ecr_repository_policy", id: `${region ?? ""} ${account ?? ""} ${repository ?? ""}`, values },
  ];
}

const ROLE = "RoleName Arn Path AssumeRolePolicyDocument";
const OF_ROLE = "RoleId CreateDate Description MaxSessionDuration Tags RoleLastUsed InstanceProfileList";
const BOUNDARY = {
  PermissionsBoundary: { read: "PermissionsBoundaryArn", harmless: "PermissionsBoundaryType" },
};
const ROLE_ARN = { RoleName: ANY, Arn: /^arn:[a-z-]+:iam::\d{12}:role\//, AssumeRolePolicyDocument: ANY };
const ASSOCIATION: Omit<RecordedCommand, "command"> = {
  read: "associationId associationArn clusterName namespace serviceAccount roleArn targetRoleArn policy disableSessionTags",
  harmless: "createdAt modifiedAt tags externalId ownerArn",
  shape: { associationArn: ANY, associationId: ANY, serviceAccount: ANY },
  key: (answer) => answer.at("associationId").stated(),
  resources: association,
};
/** Each role is printed whole, however many of them are. */
const LISTS = "UserDetailList GroupDetailList RoleDetailList Policies IsTruncated Marker NextToken";

const rows: readonly RecordedCommand[] = [
  {
    command: ASK.details,
    in: "RoleDetailList",
    beside: LISTS,
    shape: ROLE_ARN,
    key: (answer) => answer.at("Arn").stated(),
    read: `${ROLE} RolePolicyList`,
    harmless: OF_ROLE,
    blocks: { ...BOUNDARY, AttachedManagedPolicies: { read: "PolicyArn", harmless: "PolicyName" } },
    resources: roleInDetail,
  },
  {
    command: ASK.details,
    in: "Policies",
    beside: LISTS,
    shape: { Arn: /^arn:[a-z-]+:iam::(?:\d{12}|aws):policy\//, PolicyName: ANY, PolicyVersionList: ANY },
    read: "Arn PolicyName Path PolicyVersionList",
    harmless:
      "PolicyId DefaultVersionId AttachmentCount PermissionsBoundaryUsageCount IsAttachable Description CreateDate UpdateDate Tags",
    resources: ({ answer, more }) =>
      managedPolicy(answer.at("Arn").stated(), answer.at("PolicyVersionList").list(), more),
  },
  {
    command: ASK.role,
    in: "Role",
    isKeyed: true,
    shape: ROLE_ARN,
    read: ROLE,
    harmless: OF_ROLE,
    blocks: BOUNDARY,
    resources: role,
  },
  {
    command: ASK.policies,
    in: "PolicyNames",
    isKeyed: true,
  },
  {
    command: ASK.policy,
    isKeyed: true,
    read: "RoleName PolicyName PolicyDocument",
    shape: { RoleName: ANY, PolicyName: ANY, PolicyDocument: ANY },
    lacks: "of which account the role is",
  },
  {
    command: ASK.attached,
    in: "AttachedPolicies",
    isKeyed: true,
    read: "PolicyArn",
    harmless: "PolicyName",
    shape: { PolicyArn: ANY, PolicyName: ANY },
    lacks: "of which role they are",
  },
  {
    command: ASK.version,
    in: "PolicyVersion",
    isKeyed: true,
    read: "Document IsDefaultVersion",
    harmless: "VersionId CreateDate",
    shape: { VersionId: ANY, Document: ANY },
    lacks: "of which policy it is",
    resources: ({ key, answer, more }) => managedPolicy(key, [answer], more),
  },
  {
    command: ASK.provider,
    isKeyed: true,
    read: "Url ClientIDList",
    harmless: "ThumbprintList CreateDate Tags",
    shape: { Url: ANY, ClientIDList: ANY },
    lacks: "of which account it is",
    resources: provider,
  },
  { command: ASK.caller, read: "Account", harmless: "UserId Arn", shape: { Account: /^\d{12}$/, Arn: ANY } },
  {
    command: ASK.cluster,
    in: "cluster",
    isKeyed: true,
    shape: { name: ANY, arn: /^arn:[a-z-]+:eks:[a-z0-9-]+:\d{12}:cluster\// },
    read: "name arn version identity",
    harmless:
      "createdAt endpoint roleArn resourcesVpcConfig kubernetesNetworkConfig logging status certificateAuthority clientRequestToken platformVersion tags encryptionConfig health id outpostConfig upgradePolicy zonalShiftConfig remoteNetworkConfig storageConfig deletionProtection controlPlaneScalingConfig",
    blocks: {
      accessConfig: { read: "authenticationMode", harmless: "bootstrapClusterCreatorAdminPermissions" },
      computeConfig: { read: "enabled", harmless: "nodePools nodeRoleArn" },
    },
    resources: cluster,
  },
  { command: ASK.associations, in: "associations", isKeyed: true, ...ASSOCIATION },
  { command: ASK.association, in: "association", isKeyed: true, ...ASSOCIATION },
  {
    command: ASK.repositoryPolicy,
    isKeyed: true,
    shape: { registryId: /^\d{12}$/, repositoryName: ANY, policyText: ANY },
    read: "registryId repositoryName policyText",
    resources: repositoryPolicy,
  },
];

export const recorded: RecordedCommands = {
  program: "aws",
  rows,
  others: [ASK.location, ASK.publicAccess, ASK.distributions],
};
