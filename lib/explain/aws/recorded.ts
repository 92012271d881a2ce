/*
 * What AWS's command line prints. Sources: AWS CLI reference, iam (get-account-authorization-details, get-role), eks and
 * ecr; IAM API reference, RoleDetail and ManagedPolicyDetail. A policy's document is printed as an object.
 */

import type { CommandAnswer } from "../../model/command-answer";
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
  textsOf,
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

const trustOf = ({ answer }: RecordedItem): Json => ({
  assume_role_policy: answer.at("AssumeRolePolicyDocument").json(),
  permissions_boundary: answer.at("PermissionsBoundary", "PermissionsBoundaryArn").text(),
});

const inlinePolicy = (policy: CommandAnswer): Json => ({
  name: policy.at("PolicyName").stated(),
  policy: policy.at("PolicyDocument").json(),
});

const arnOf = (attached: CommandAnswer): string => attached.at("PolicyArn").stated();

/** The policies of a role that other commands printed; those that were not printed are not known. */
function rightsOf(document: Recorded, name: string): Json {
  if (!isOfOneAccount(document)) return { inline_policy: NOT_YET, managed_policy_arns: NOT_YET };
  const names = document.of(ASK.policies, name);
  const inline = names.map(({ answer }) => document.of(ASK.policy, `${name}/${answer.stated()}`)[0]);
  const attached = document.of(ASK.attached, name);
  const isAll = document.isAnswered(ASK.policies, name) && !inline.includes(undefined);
  const rights = {
    inline_policy: isAll ? inline.map((each) => each && inlinePolicy(each.answer)) : NOT_YET,
    managed_policy_arns: document.isAnswered(ASK.attached, name)
      ? attached.map(({ answer }) => arnOf(answer))
      : NOT_YET,
  };
  const more = [...names, ...attached, ...inline].map((each) => each?.more);
  return Object.assign({}, rights, ...more) as Json;
}

/** A role whose policies other commands print; nothing if it was also printed with them, and is the same there. */
function role(item: RecordedItem, all: Recorded): Json | undefined {
  const own = JSON.stringify(trustOf(item));
  const whole = all.of(ASK.details, item.answer.at("Arn").stated());
  if (whole.some((each) => JSON.stringify(trustOf(each)) === own)) return undefined;
  return { ...trustOf(item), ...rightsOf(item.document, item.answer.at("RoleName").stated()) };
}

function roleInDetail(item: RecordedItem): Json {
  const [inline, attached] = [item.answer.at("RolePolicyList"), item.answer.at("AttachedManagedPolicies")];
  return {
    ...trustOf(item),
    inline_policy: inline.exists ? inline.list().map(inlinePolicy) : NOT_YET,
    managed_policy_arns: attached.exists ? attached.list().map(arnOf) : NOT_YET,
  };
}

function documentOf(versions: readonly CommandAnswer[]): Json {
  const version = versions.find((each) => each.at("IsDefaultVersion").flag());
  return { policy: version?.at("Document").json() ?? NOT_YET };
}

function provider({ key: arn, answer }: RecordedItem): Json {
  const url = answer.at("Url").stated();
  if (!arn.endsWith(`:oidc-provider/${url}`)) answer.refuse(`that of ${arn}`);
  return { id: arn, arn, url, client_id_list: textsOf(answer.at("ClientIDList")) };
}

/** A list of associations does not say which role they give. */
function association({ answer }: RecordedItem, all: Recorded): Json | undefined {
  const role_arn = answer.at("roleArn").text();
  const described = all.of(ASK.association, answer.at("associationId").stated());
  const isDescribed = described.some((each) => each.answer.at("roleArn").isText);
  return role_arn === undefined && isDescribed ? undefined : { role_arn: role_arn ?? NOT_YET };
}

const REPOSITORY = /^arn:[a-z-]+:ecr:([a-z0-9-]+):(\d{12}):repository\/(.+)$/;

/** The output does not say the region, the ARN does. */
function regionOf({ key, answer }: RecordedItem): Json {
  const [account, name] = ["registryId", "repositoryName"].map((each) => answer.at(each).stated());
  const [, region, ofAccount, ofName] = REPOSITORY.exec(key) ?? [];
  return ofAccount === account && ofName === name ? { region } : answer.refuse(`that of ${key}`);
}

const ROLE: Omit<RecordedCommand, "command"> = {
  type: "aws_iam_role",
  shape: { RoleName: ANY, Arn: /^arn:[a-z-]+:iam::\d{12}:role\//, AssumeRolePolicyDocument: ANY },
  id: "arn",
  texts: "id=RoleName name=RoleName arn=Arn path=Path?",
  read: "AssumeRolePolicyDocument RolePolicyList",
  harmless: "RoleId InstanceProfileList",
  blocks: {
    PermissionsBoundary: { read: "PermissionsBoundaryArn", harmless: "PermissionsBoundaryType" },
    AttachedManagedPolicies: { read: "PolicyArn PolicyName" },
  },
};
const ASSOCIATION: Omit<RecordedCommand, "command"> = {
  isKeyed: true,
  type: "aws_eks_pod_identity_association",
  shape: { associationArn: ANY, associationId: ANY, serviceAccount: ANY },
  key: (answer) => answer.at("associationId").stated(),
  texts:
    "id=associationId association_arn=associationArn? cluster_name=clusterName namespace service_account=serviceAccount target_role_arn=targetRoleArn? policy?",
  flags: "disable_session_tags=disableSessionTags",
  read: "roleArn",
  harmless: "ownerArn",
  values: association,
};
/** Each role is printed whole, however many of them are. */
const LISTS = "UserDetailList GroupDetailList RoleDetailList Policies IsTruncated Marker NextToken";

const rows: readonly RecordedCommand[] = [
  {
    ...ROLE,
    command: ASK.details,
    in: "RoleDetailList",
    beside: LISTS,
    key: (answer) => answer.at("Arn").stated(),
    values: roleInDetail,
  },
  {
    command: ASK.details,
    in: "Policies",
    beside: LISTS,
    type: "aws_iam_policy",
    shape: { Arn: /^arn:[a-z-]+:iam::(?:\d{12}|aws):policy\//, PolicyVersionList: ANY },
    texts: "id=Arn arn=Arn name=PolicyName path=Path?",
    read: "PolicyVersionList",
    harmless: "DefaultVersionId PermissionsBoundaryUsageCount IsAttachable CreateDate UpdateDate",
    values: ({ answer }) => documentOf(answer.at("PolicyVersionList").list()),
  },
  { ...ROLE, command: ASK.role, in: "Role", isKeyed: true, values: role },
  { command: ASK.policies, in: "PolicyNames", isKeyed: true },
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
    read: "PolicyArn PolicyName",
    shape: { PolicyArn: ANY, PolicyName: ANY },
    lacks: "of which role they are",
  },
  {
    command: ASK.version,
    in: "PolicyVersion",
    isKeyed: true,
    type: "aws_iam_policy",
    read: "Document IsDefaultVersion VersionId CreateDate",
    shape: { VersionId: ANY, Document: ANY },
    lacks: "of which policy it is",
    values: ({ key, answer }) => ({
      id: key,
      arn: key,
      name: key.replace(/^.*\//, ""),
      ...documentOf([answer]),
    }),
  },
  {
    command: ASK.provider,
    isKeyed: true,
    type: "aws_iam_openid_connect_provider",
    read: "Url ClientIDList",
    harmless: "CreateDate",
    shape: { Url: ANY, ClientIDList: ANY },
    lacks: "of which account it is",
    values: provider,
  },
  { command: ASK.caller, read: "Account UserId Arn", shape: { Account: /^\d{12}$/, Arn: ANY } },
  {
    command: ASK.cluster,
    in: "cluster",
    isKeyed: true,
    type: "aws_eks_cluster",
    shape: { name: ANY, arn: /^arn:[a-z-]+:eks:[a-z0-9-]+:\d{12}:cluster\// },
    id: "arn",
    texts: "id=name name arn version?",
    read: "identity",
    harmless: "resourcesVpcConfig logging clientRequestToken health connectorConfig",
    blocks: {
      accessConfig: { read: "authenticationMode bootstrapClusterCreatorAdminPermissions" },
      computeConfig: { read: "enabled nodePools nodeRoleArn" },
    },
    values: ({ answer }) => ({
      identity: [{ oidc: [{ issuer: answer.at("identity", "oidc", "issuer").text() ?? NOT_YET }] }],
      access_config: [{ authentication_mode: answer.at("accessConfig", "authenticationMode").text() ?? "" }],
      compute_config: [{ enabled: answer.at("computeConfig", "enabled").flag() }],
    }),
  },
  { ...ASSOCIATION, command: ASK.associations, in: "associations" },
  { ...ASSOCIATION, command: ASK.association, in: "association" },
  {
    command: ASK.repositoryPolicy,
    isKeyed: true,
    type: "aws_ecr_repository_policy",
    shape: { registryId: /^\d{12}$/, repositoryName: ANY, policyText: ANY },
    lacks: "of which region it is",
    texts: "id=repositoryName repository=repositoryName registry_id=registryId policy=policyText",
    values: regionOf,
  },
];

export const recorded: RecordedCommands = {
  program: "aws",
  rows,
  others: [ASK.location, ASK.publicAccess, ASK.distributions],
};
