/** The commands of Google Cloud whose answers are read, without the program. */
export const ASK = {
  project: "projects describe",
  pools: "iam workload-identity-pools list",
  providers: "iam workload-identity-pools providers list",
  accounts: "iam service-accounts list",
  policy: "iam service-accounts get-iam-policy",
  projectPolicy: "projects get-iam-policy",
  roles: "iam roles list",
  bucket: "storage buckets describe",
  cluster: "container clusters describe",
  repositoryPolicy: "artifacts repositories get-iam-policy",
} as const;
