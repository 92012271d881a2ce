/* What the command lines of the clouds print of managed clusters, in the form of each command's documentation. */

import { type Answers, guidOf } from "./answers";

const ACCOUNT = "111122223333";
export const EKS_HOST = "oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF";
const PROVIDER = `arn:aws:iam::${ACCOUNT}:oidc-provider/${EKS_HOST}`;
export const CLUSTER_ARN = `arn:aws:eks:eu-west-1:${ACCOUNT}:cluster/prod`;

/** ARN of a role of the account. */
export const roleArn = (name: string): string => `arn:aws:iam::${ACCOUNT}:role/${name}`;

/** A statement that admits tokens of service accounts as `eksctl` writes it. */
export function tokens(...serviceAccounts: readonly string[]): Answers {
  const subjects = serviceAccounts.map((each) => `system:serviceaccount:${each.replace("/", ":")}`);
  return {
    Effect: "Allow",
    Principal: { Federated: PROVIDER },
    Action: "sts:AssumeRoleWithWebIdentity",
    Condition: {
      StringEquals: {
        [`${EKS_HOST}:sub`]: subjects.length === 1 ? subjects[0] : subjects,
        [`${EKS_HOST}:aud`]: "sts.amazonaws.com",
      },
    },
  };
}

/** A statement that admits the association of one service account. */
export function association(serviceAccount: string): Answers {
  const [namespace, name] = serviceAccount.split("/");
  return {
    Effect: "Allow",
    Principal: { Service: "pods.eks.amazonaws.com" },
    Action: ["sts:TagSession", "sts:AssumeRole"],
    Condition: {
      StringEquals: {
        "aws:RequestTag/eks-cluster-arn": CLUSTER_ARN,
        "aws:RequestTag/kubernetes-namespace": namespace,
        "aws:RequestTag/kubernetes-service-account": name,
      },
    },
  };
}

/** Any cluster of the account, as the user guide shows it first. */
export const ANY_ASSOCIATION: Answers = {
  Effect: "Allow",
  Principal: { Service: "pods.eks.amazonaws.com" },
  Action: ["sts:AssumeRole", "sts:TagSession"],
};

interface RoleFacts {
  readonly trust: readonly Answers[];
  readonly settings?: Answers;
  /** Statements of each inline policy. */
  readonly inline?: Readonly<Record<string, readonly Answers[]>>;
  readonly attached?: readonly string[];
}

const READ_SALES = {
  Sid: "Read",
  Effect: "Allow",
  Action: ["s3:GetObject"],
  Resource: "arn:aws:s3:::acme-sales/*",
};
const READ_ONLY = "arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess";

/** Roles by name. */
export const ROLES: Readonly<Record<string, RoleFacts>> = {
  web: {
    trust: [tokens("shop/web", "shop/api")],
    settings: { Path: "/shop/", Description: "The shop", Tags: [{ Key: "team", Value: "shop" }] },
    inline: { sales: [READ_SALES] },
    attached: [READ_ONLY],
  },
  agent: { trust: [association("shop/agent")], inline: { sales: [READ_SALES] } },
  "any.cluster": { trust: [ANY_ASSOCIATION], attached: [READ_ONLY] },
};

const ASSOCIATIONS = [
  { id: "a-1agent", account: "agent", role: "agent" },
  { id: "a-2any", account: "worker", role: "any.cluster" },
] as const;

/** The answers for an EKS cluster with these roles. */
export function eksAnswers(roles: Readonly<Record<string, RoleFacts>> = ROLES): Answers {
  const names = Object.keys(roles);
  const each = (of: (name: string, facts: RoleFacts) => unknown): Answers =>
    Object.fromEntries(names.map((name) => [name, of(name, roles[name] as RoleFacts)]));
  const Version = "2012-10-17";
  return {
    "sts get-caller-identity": { Account: ACCOUNT },
    "eks describe-cluster": {
      prod: {
        cluster: { name: "prod", arn: CLUSTER_ARN, identity: { oidc: { issuer: `https://${EKS_HOST}` } } },
      },
    },
    "iam get-open-id-connect-provider": {
      [PROVIDER]: {
        Url: EKS_HOST,
        ClientIDList: ["sts.amazonaws.com"],
        Tags: [{ Key: "team", Value: "platform" }],
      },
    },
    "iam get-role": each((RoleName, { trust, settings }) => ({
      Role: {
        Path: "/",
        RoleName,
        Arn: roleArn(`${String(settings?.["Path"] ?? "/").slice(1)}${RoleName}`),
        MaxSessionDuration: 3600,
        AssumeRolePolicyDocument: { Version, Statement: trust },
        ...settings,
      },
    })),
    "iam list-role-policies": each((_, { inline = {} }) => ({ PolicyNames: Object.keys(inline) })),
    "iam get-role-policy": Object.fromEntries(
      names.flatMap((RoleName) =>
        Object.entries(roles[RoleName]?.inline ?? {}).map(([PolicyName, Statement]) => [
          `${RoleName}/${PolicyName}`,
          { RoleName, PolicyName, PolicyDocument: { Version, Statement } },
        ]),
      ),
    ),
    "iam list-attached-role-policies": each((_, { attached = [] }) => ({
      AttachedPolicies: attached.map((PolicyArn) => ({ PolicyName: PolicyArn.split("/").at(-1), PolicyArn })),
    })),
    "eks list-pod-identity-associations": {
      prod: {
        associations: ASSOCIATIONS.filter(({ role }) => role in roles).map(({ id, account }) => ({
          clusterName: "prod",
          namespace: "shop",
          serviceAccount: account,
          associationId: id,
        })),
      },
    },
    "eks describe-pod-identity-association": Object.fromEntries(
      ASSOCIATIONS.filter(({ role }) => role in roles).map(({ id, account, role }) => [
        id,
        {
          association: {
            clusterName: "prod",
            namespace: "shop",
            serviceAccount: account,
            roleArn: roleArn(role),
            associationId: id,
            disableSessionTags: false,
            tags: {},
          },
        },
      ]),
    ),
  };
}

export const SUBSCRIPTION = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
export const AKS_ISSUER = "https://westeurope.oic.prod-aks.azure.com/t/c/";
export const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop`;
export const CONDITION =
  "@Resource[Microsoft.Storage/storageAccounts/blobServices/containers:name] StringEquals 'sales'";

/** Resource id of an identity as `az` prints it. */
export const identityId = (name: string): string =>
  `${GROUP.replace("resourceGroups", "resourcegroups")}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;

/** A role assignment of the identity `web`. */
export function assignment(role: string, scope: string, more: Answers = {}): Answers {
  const name = guidOf(role, scope);
  const id = `${scope}/providers/Microsoft.Authorization/roleAssignments/${name}`;
  const roleDefinitionId = `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/${guidOf(role)}`;
  const principalId = guidOf("principal", "web");
  return {
    id,
    name,
    principalId,
    roleDefinitionName: role,
    roleDefinitionId,
    scope,
    condition: null,
    ...more,
  };
}

/** A credential that admits a service account of the cluster. */
export function credential(name: string, serviceAccount: string, more: Answers = {}): Answers {
  const subject = `system:serviceaccount:${serviceAccount.replace("/", ":")}`;
  return { name, issuer: AKS_ISSUER, subject, audiences: ["api://AzureADTokenExchange"], ...more };
}

/** The answers for an AKS cluster with the identities `web` and `other`. */
export function aksAnswers(): Answers {
  const identity = (name: string, tags: Answers): Answers => ({
    id: identityId(name),
    name,
    resourceGroup: "shop",
    location: "westeurope",
    tags,
    principalId: guidOf("principal", name),
    clientId: guidOf("client", name),
  });
  return {
    "account show": { id: SUBSCRIPTION, tenantId: guidOf("tenant") },
    "aks show": {
      prod: {
        name: "prod",
        oidcIssuerProfile: { enabled: true, issuerUrl: AKS_ISSUER },
        securityProfile: { workloadIdentity: { enabled: true } },
      },
    },
    "identity list": [identity("web", { team: "shop" }), identity("other", {})],
    "identity federated-credential list": {
      [identityId("web")]: [credential("web-1", "shop/web"), credential("api", "shop/api")],
      [identityId("other")]: [credential("x", "shop/x", { issuer: "https://elsewhere.example.com" })],
    },
    "role assignment list": [
      assignment("Storage Blob Data Reader", `${GROUP}/providers/Microsoft.Storage/storageAccounts/sales`, {
        condition: CONDITION,
        conditionVersion: "2.0",
        description: "sales only",
      }),
      assignment("Reader", GROUP),
    ],
  };
}

export const GSA = "web-shop@acme-prod.iam.gserviceaccount.com";

/** The principal of a service account in GKE's own pool. */
export const principal = (serviceAccount: string): string => {
  const [namespace, name] = serviceAccount.split("/");
  return `principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/acme-prod.svc.id.goog/subject/ns/${namespace}/sa/${name}`;
};

/** The answers for a GKE cluster, whose service accounts act as a Google service account or hold roles themselves. */
export function gkeAnswers(): Answers {
  const role = "roles/iam.workloadIdentityUser";
  return {
    "projects describe": { projectId: "acme-prod", projectNumber: "123456789012" },
    "container clusters describe": {
      prod: {
        name: "prod",
        location: "europe-west1",
        workloadIdentityConfig: { workloadPool: "acme-prod.svc.id.goog" },
      },
    },
    "iam service-accounts list": [
      {
        email: GSA,
        name: `projects/acme-prod/serviceAccounts/${GSA}`,
        displayName: "Web",
        description: "The shop",
      },
    ],
    "iam service-accounts get-iam-policy": {
      [GSA]: {
        bindings: [
          {
            role,
            members: ["web", "api"].map((each) => `serviceAccount:acme-prod.svc.id.goog[shop/${each}]`),
          },
        ],
      },
    },
    "projects get-iam-policy": {
      bindings: [
        {
          role: "roles/storage.objectViewer",
          members: [`serviceAccount:${GSA}`, principal("shop/jobs"), "user:a@b.example"],
        },
        {
          role: "roles/pubsub.viewer",
          members: [`serviceAccount:${GSA}`],
          condition: { title: "until 2030", expression: 'request.time < timestamp("2030-01-01T00:00:00Z")' },
        },
      ],
    },
  };
}
