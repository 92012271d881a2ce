/*
 * What the command lines of the clouds print of the clusters that ccoctl made in the recorded runs of
 * test/fixtures/ccoctl: the facts of the runs in the form of each command's documentation.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Ran, cli } from "../support/cli";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { type RequestCloud, payloadRequests } from "../support/credentials-requests";

type Facts = Readonly<Record<string, unknown>>;
/** Answers by command. */
export type Answers = Record<string, unknown>;

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(resolve(__dirname, "../fixtures/ccoctl", `${name}.json`), "utf8")) as T;

const byKey = <T>(list: readonly T[], key: (each: T) => string, value: (each: T) => unknown): Facts =>
  Object.fromEntries(list.map((each) => [key(each), value(each)]));
const tagList = (tags: Facts): readonly Facts[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** A GUID that is the same for the same words. */
export function guidOf(...words: readonly string[]): string {
  const hex = createHash("sha256").update(words.join("\n")).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

interface AwsRun {
  readonly provider: { readonly url: string; readonly clientIds: readonly string[]; readonly tags: Facts };
  readonly bucket: { readonly distribution?: { readonly originDomain: string; readonly comment: string } };
  readonly roles: Readonly<Record<string, { readonly tags: Facts; readonly trust: readonly Facts[] }>>;
}

const ACCOUNT = "123456789012";

/** Public bucket in us-east-2, or a private one behind CloudFront. */
export function awsAnswers(mode: "public" | "private"): Answers {
  const { [mode]: run } = read<Record<"public" | "private", AwsRun>>("aws");
  const url = run.provider.url.replace("https://", "");
  const { distribution } = run.bucket;
  return {
    "sts get-caller-identity": { UserId: "AIDA", Account: ACCOUNT, Arn: `arn:aws:iam::${ACCOUNT}:user/ops` },
    "iam get-open-id-connect-provider": {
      [`arn:aws:iam::${ACCOUNT}:oidc-provider/${url}`]: {
        Url: url,
        ClientIDList: run.provider.clientIds,
        ThumbprintList: ["9e99a48a9960b14926bb7f3b02e22da2b0ab7280"],
        CreateDate: "2026-01-01T00:00:00+00:00",
        Tags: tagList(run.provider.tags),
      },
    },
    "iam get-role": byKey(
      Object.entries(run.roles),
      ([name]) => name,
      ([RoleName, { tags, trust }]) => ({
        Role: {
          Path: "/",
          RoleName,
          RoleId: "AROA",
          Arn: `arn:aws:iam::${ACCOUNT}:role/${RoleName}`,
          AssumeRolePolicyDocument: { Version: "2012-10-17", Statement: trust },
          MaxSessionDuration: 3600,
          Tags: tagList(tags),
        },
      }),
    ),
    "s3api get-bucket-location": { "mycluster-oidc": { LocationConstraint: "us-east-2" } },
    "s3api get-public-access-block": {
      "mycluster-oidc": { PublicAccessBlockConfiguration: { BlockPublicAcls: true } },
    },
    ...(distribution && {
      "cloudfront list-distributions": {
        DistributionList: {
          Items: [
            { Id: "E9OTHER", DomainName: "d999.cloudfront.net", Origins: { Items: [] } },
            {
              Id: "E1EXAMPLE",
              DomainName: url,
              Comment: distribution.comment,
              Origins: {
                Items: [
                  {
                    DomainName: distribution.originDomain,
                    S3OriginConfig: { OriginAccessIdentity: "origin-access-identity/cloudfront/E2EXAMPLE" },
                  },
                ],
              },
            },
          ],
        },
      },
    }),
  };
}

interface AzureRun {
  readonly inputs: { readonly subscriptionId: string; readonly tenantId: string };
  readonly identities: readonly {
    readonly name: string;
    readonly resourceGroup: string;
    readonly location: string;
    readonly tags: Facts;
  }[];
  readonly roleDefinitions: readonly { readonly name: string; readonly description: string }[];
  readonly roleAssignments: readonly {
    readonly identity: string;
    readonly role: string;
    readonly scope: string;
  }[];
  readonly credentials: readonly {
    readonly identity: string;
    readonly name: string;
    readonly issuer: string;
    readonly subject: string;
    readonly audiences: readonly string[];
  }[];
}

/** Network and DNS zone in resource groups of their own, user tags. */
export function azureAnswers(): Answers {
  const run = read<AzureRun>("azure");
  const { subscriptionId, tenantId } = run.inputs;
  const scope = `/subscriptions/${subscriptionId}`;
  const idOf = (name: string): string =>
    `${scope}/resourcegroups/mycluster-oidc/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
  return {
    "account show": { id: subscriptionId, tenantId, name: "prod", state: "Enabled", isDefault: true },
    "identity list": run.identities.map(({ name, resourceGroup, location, tags }) => ({
      id: idOf(name),
      name,
      resourceGroup,
      location,
      tags,
      tenantId,
      clientId: guidOf("client", name),
      principalId: guidOf("principal", name),
      type: "Microsoft.ManagedIdentity/userAssignedIdentities",
    })),
    "identity federated-credential list": byKey(
      run.identities,
      ({ name }) => idOf(name),
      ({ name }) =>
        run.credentials
          .filter(({ identity }) => identity === name)
          .map(({ identity: _, ...credential }) => ({ ...credential, resourceGroup: "mycluster-oidc" })),
    ),
    "role definition list": run.roleDefinitions.map(({ name: roleName, description }) => ({
      roleName,
      description,
      name: guidOf("role", roleName),
      roleType: "CustomRole",
      id: `${scope}/providers/Microsoft.Authorization/roleDefinitions/${guidOf("role", roleName)}`,
      assignableScopes: [scope],
    })),
    "role assignment list": run.roleAssignments.map(({ identity, role, scope: at }) => ({
      id: `${at}/providers/Microsoft.Authorization/roleAssignments/${guidOf(identity, role, at)}`,
      name: guidOf(identity, role, at),
      principalId: guidOf("principal", identity),
      principalType: "ServicePrincipal",
      roleDefinitionId: `${scope}/providers/Microsoft.Authorization/roleDefinitions/${guidOf("role", role)}`,
      roleDefinitionName: role,
      scope: at,
    })),
    "storage account list": [
      { name: "other", resourceGroup: "x", location: "eastus" },
      {
        name: "mycluster",
        resourceGroup: "mycluster-oidc",
        location: "eastus",
        primaryEndpoints: { blob: "https://mycluster.blob.core.windows.net/" },
      },
    ],
  };
}

interface GoogleRun {
  readonly input: { readonly project: string; readonly projectNumber: string; readonly name: string };
  readonly pool: Facts;
  readonly provider: Facts;
  readonly components: readonly {
    readonly request: string;
    readonly accountId: string;
    readonly displayName: string;
    readonly role: { readonly id: string; readonly title: string };
    readonly users: readonly { readonly role: string; readonly members: readonly string[] }[];
  }[];
}

/** The issuer in a public bucket. */
export function googleAnswers(): Answers {
  const { input, pool, provider, components } = read<GoogleRun>("google");
  const { project, projectNumber, name } = input;
  const path = `projects/${projectNumber}/locations/global/workloadIdentityPools/${name}`;
  const emailOf = (id: string): string => `${id}@${project}.iam.gserviceaccount.com`;
  return {
    "projects describe": { projectId: project, projectNumber, lifecycleState: "ACTIVE", name: "My project" },
    "iam workload-identity-pools list": [{ ...pool, name: path }],
    "iam workload-identity-pools providers list": {
      [name]: [{ ...provider, name: `${path}/providers/${name}` }],
    },
    "iam service-accounts list": components.map(({ accountId, displayName }) => ({
      displayName,
      email: emailOf(accountId),
      projectId: project,
      name: `projects/${project}/serviceAccounts/${emailOf(accountId)}`,
    })),
    "iam service-accounts get-iam-policy": byKey(
      components,
      ({ accountId }) => emailOf(accountId),
      ({ users }) => ({ bindings: users, etag: "BwY=", version: 1 }),
    ),
    "iam roles list": components.map(({ role }) => ({
      name: `projects/${project}/roles/${role.id}`,
      title: role.title,
      stage: "GA",
    })),
    "storage buckets describe": { [`${name}-oidc`]: { name: `${name}-oidc`, location: "US" } },
  };
}

/** What the command printed, and the folder with its input and the public key. */
export interface Adopted extends Ran {
  readonly folder: string;
}

/** The payload requests of the recorded runs, the gated one included. */
export async function adopt(cloud: RequestCloud, answers: Answers, ...more: string[]): Promise<Adopted> {
  const folder = temporaryFolder();
  const requests = join(folder, "requests");
  mkdirSync(requests);
  for (const [place, document] of payloadRequests(cloud, "HEAD").entries())
    writeFileSync(join(requests, `${place}.json`), JSON.stringify(document));
  const { publicKey } = JSON.parse(
    readFileSync(resolve(__dirname, "../fixtures/ccoctl/aws.json"), "utf8"),
  ) as { publicKey: string };
  writeFileSync(join(folder, "serviceaccount-signer.public"), publicKey);
  const from = join(folder, "answers.json");
  writeFileSync(from, JSON.stringify(answers));
  return { ...(await cli("adopt", "--from", from, "--requests", requests, ...more)), folder };
}
