import * as google from "../../lib/cloud/google";
import { Duration, Subject } from "../../lib/index";
import { type Entry, apply, inStack, make, of } from "./entry";
import { declaresComponents, declaresPulls, declaresWorkloads } from "./makers";
import { GAR, GOOGLE_ACCESS, GRANT, ISSUER, KEYS, PROJECT, REQUESTS, type World } from "./world";

const REQUEST = REQUESTS.google.requests[0];
const provider = (world: World): object => ({ provider: world.others.google });
const MEMBER = "serviceAccount:web@shop-prod.iam.gserviceaccount.com";
const CONDITION = { title: "one bucket", expression: 'resource.name.startsWith("projects/_/buckets/a")' };
const POOL = { ...PROJECT, poolId: "prod" };
const oidcProvider = (world: World): object => ({
  pool: world.googlePool,
  providerId: "prod",
  issuer: ISSUER,
  audiences: ["openshift"],
  serviceAccounts: ["shop/web"],
  attributeMapping: { "attribute.team": "assertion.team" },
  keys: KEYS,
  ...provider(world),
});
const OIDC = ["pool", "providerId", "issuer"];
const binding = (world: World): object => ({
  role: "roles/storage.objectViewer",
  project: "shop-prod",
  member: MEMBER,
  condition: CONDITION,
  ...provider(world),
});
const pull = (world: World): object => ({
  repository: GAR,
  serviceAccount: "shop/web",
  principals: world.googleProvider,
  ...provider(world),
});
const SPOKE_GRANT = {
  ...GRANT,
  identity: MEMBER,
  principal: { name: MEMBER, dependencies: [] },
};
const declaresMember: Entry["declare"] = (made, { stack }) =>
  (made as ReturnType<typeof google.gkeSpoke>).declare(stack, {
    hub: "hub",
    spoke: "spoke-c",
    controllers: [SPOKE_GRANT],
  });

/** Entry points of `./google`. */
export const googleEntries: Readonly<Record<string, Entry>> = {
  artifactRegistry: of(google.artifactRegistry, ["project", "location", "repository"], registry),
  "ArtifactRegistryRepository.docker": {
    settings: registry,
    required: ["project", "location", "repository"],
    call: (given) => google.ArtifactRegistryRepository.docker(given as never),
  },
  gcrRepository: of(google.gcrRepository, ["project", "host"], gcr),
  "ArtifactRegistryRepository.gcr": {
    settings: gcr,
    required: ["project", "host"],
    call: (given) => google.ArtifactRegistryRepository.gcr(given as never),
  },
  ComponentServiceAccount: {
    ...inStack(
      google.ComponentServiceAccount,
      ["request", "clusterName", "project", "oidcProvider"],
      (world) => ({
        request: REQUEST,
        clusterName: "prod",
        project: "shop-prod",
        oidcProvider: world.googleProvider,
        condition: CONDITION,
        ...provider(world),
      }),
    ),
    open: ["request"],
  },
  componentServiceAccounts: {
    ...of(google.componentServiceAccounts, ["project", "projectNumber"], (world) => ({
      ...PROJECT,
      pool: { poolId: "components" },
      overrides: { [REQUEST?.name ?? ""]: { reason: "needs it" } },
      keys: KEYS,
      ...provider(world),
    })),
    declare: declaresComponents("google"),
  },
  connectGatewaySpoke: {
    ...of(google.connectGatewaySpoke, ["project", "projectNumber", "membership", "role"], (world) => ({
      ...PROJECT,
      membership: "spoke-c",
      role: "roles/gkehub.gatewayReader",
      ...provider(world),
    })),
    declare: declaresMember,
  },
  FederatedServiceAccount: inStack(
    google.FederatedServiceAccount,
    ["project", "accountId", "principals", "serviceAccounts"],
    (world) => ({
      project: "shop-prod",
      accountId: "web-prod",
      principals: world.googleProvider,
      serviceAccounts: ["shop/web"],
      ...provider(world),
    }),
  ),
  gke: of(google.gke, [], () => ({ name: "prod", project: "shop-prod", location: "europe-west1" })),
  gkeSpoke: {
    ...of(google.gkeSpoke, ["cluster", "project"], (world) => ({
      cluster: { endpoint: "203.0.113.9", clusterCaCertificate: "LS0tLS1CRUdJTi4uLg==" },
      project: "shop-prod",
      ...provider(world),
    })),
    declare: declaresMember,
  },
  GoogleAccess: {
    settings: access,
    required: [],
    call: (given) => make(google.GoogleAccess, given),
  },
  googleAccess: {
    ...of(google.googleAccess, [], access),
    call: (given) => apply(google.googleAccess, given),
  },
  externalDns: of(google.externalDns, ["dnsProject"], () => ({ dnsProject: "shop-dns" })),
  certManager: of(google.certManager, ["dnsProject"], () => ({ dnsProject: "shop-dns" })),
  fluxSourceController: of(google.fluxSourceController, ["from"], () => ({
    from: [google.artifactRegistry({ project: "shop-prod", location: "europe", repository: "charts" })],
  })),
  externalSecrets: of(google.externalSecrets, ["secrets"], () => ({
    secrets: ["projects/shop-prod/secrets/db"],
  })),
  IssuerBucket: inStack(google.IssuerBucket, ["bucket", "project", "location", "keys"], (world) => ({
    bucket: "prod-oidc",
    project: "shop-prod",
    location: "eu",
    keys: KEYS,
    cacheDuration: Duration.minutes(5),
    ...provider(world),
  })),
  ManagedPool: {
    settings: () => PROJECT,
    required: ["project", "projectNumber"],
    call: (given) => make(google.ManagedPool, given),
  },
  OidcProvider: inStack(google.OidcProvider, OIDC, oidcProvider),
  "OidcProvider.fromProviderId": {
    settings: (world) => ({ pool: world.googlePool, providerId: "prod", issuer: ISSUER }),
    required: ["pool", "providerId"],
    call: (given, { stack, id }) => google.OidcProvider.fromProviderId(stack, id, given as never),
  },
  "OidcProvider.forIssuer": {
    settings: oidcProvider,
    required: OIDC,
    call: (given, { stack }) => google.OidcProvider.forIssuer(stack, given as never),
  },
  "OidcProvider.forProviderId": {
    settings: oidcProvider,
    required: OIDC,
    call: (given, { stack }) => google.OidcProvider.forProviderId(stack, given as never),
  },
  ProjectRole: inStack(google.ProjectRole, ["project", "roleId", "title", "permissions"], (world) => ({
    project: "shop-prod",
    roleId: "prod_web",
    title: "web",
    permissions: ["storage.buckets.get"],
    ...provider(world),
  })),
  PullBinding: inStack(google.PullBinding, ["repository", "serviceAccount", "principals"], pull),
  "PullBinding.forServiceAccount": {
    settings: pull,
    required: ["repository", "serviceAccount", "principals"],
    call: (given, { stack }) => google.PullBinding.forServiceAccount(stack, given as never),
  },
  pullPrincipals: {
    ...of(google.pullPrincipals, ["project", "projectNumber"], (world) => ({
      ...PROJECT,
      pool: { poolId: "pulls" },
      keys: KEYS,
      ...provider(world),
    })),
    declare: declaresPulls(GAR),
  },
  RoleBinding: inStack(google.RoleBinding, ["role", "member"], binding),
  "RoleBinding.once": {
    settings: binding,
    required: ["role", "member"],
    call: (given, { stack, id }) => google.RoleBinding.once(stack, id, given as never),
  },
  WorkloadIdentityPool: inStack(
    google.WorkloadIdentityPool,
    ["project", "projectNumber", "poolId"],
    (world) => ({ ...POOL, displayName: "prod", ...provider(world) }),
  ),
  "WorkloadIdentityPool.fromPoolId": {
    settings: () => POOL,
    required: ["project", "projectNumber", "poolId"],
    call: (given, { stack, id }) => google.WorkloadIdentityPool.fromPoolId(stack, id, given as never),
  },
  "WorkloadIdentityPool.fleet": {
    settings: () => PROJECT,
    required: ["project", "projectNumber"],
    call: (given) => google.WorkloadIdentityPool.fleet(given as never),
  },
  "WorkloadIdentityPool.forPoolId": {
    settings: (world) => ({ ...POOL, ...provider(world) }),
    required: ["project", "projectNumber", "poolId"],
    call: (given, { stack }) => google.WorkloadIdentityPool.forPoolId(stack, given as never),
  },
  "WorkloadServiceAccount.fromEmail": {
    settings: (world) => ({
      email: "web@shop-prod.iam.gserviceaccount.com",
      project: "shop-prod",
      ...provider(world),
    }),
    required: ["email"],
    call: (given, { stack, id }) => google.WorkloadServiceAccount.fromEmail(stack, id, given as never),
    declare: (made, { stack, googleProvider }) =>
      (made as google.IWorkloadServiceAccount).admit(stack, Subject.of("shop/web"), googleProvider),
  },
  WorkloadServiceAccount: inStack(
    google.WorkloadServiceAccount,
    ["serviceAccount", "access", "clusterName", "project", "oidcProvider"],
    (world) => ({
      serviceAccount: "shop/web",
      access: [
        GOOGLE_ACCESS,
        google.googleAccess({ roles: [{ role: "roles/pubsub.viewer", project: "shop-prod" }] }),
      ],
      clusterName: "prod",
      project: "shop-prod",
      oidcProvider: world.googleProvider,
      tokenLifetime: Duration.hours(1),
      ...provider(world),
    }),
  ),
  workloadServiceAccounts: {
    ...of(google.workloadServiceAccounts, ["project", "projectNumber"], (world) => ({
      ...PROJECT,
      pool: { poolId: "workloads" },
      keys: KEYS,
      ...provider(world),
    })),
    declare: declaresWorkloads(GOOGLE_ACCESS),
  },
};

function registry(): object {
  return { project: "shop-prod", location: "europe-west1", repository: "images", images: ["web"] };
}

function gcr(): object {
  return { project: "shop-prod", host: "eu.gcr.io", images: ["web"] };
}

function access(): object {
  return {
    roles: [{ role: "roles/storage.objectViewer", bucket: "shop-images", condition: CONDITION }],
    permissions: ["reads images"],
    declare: () => undefined,
  };
}
