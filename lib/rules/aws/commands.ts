/** The commands of AWS whose answers are read, without the program. */
export const ASK = {
  provider: "iam get-open-id-connect-provider",
  role: "iam get-role",
  policies: "iam list-role-policies",
  policy: "iam get-role-policy",
  attached: "iam list-attached-role-policies",
  caller: "sts get-caller-identity",
  location: "s3api get-bucket-location",
  publicAccess: "s3api get-public-access-block",
  distributions: "cloudfront list-distributions",
  cluster: "eks describe-cluster",
  associations: "eks list-pod-identity-associations",
  association: "eks describe-pod-identity-association",
  details: "iam get-account-authorization-details",
  version: "iam get-policy-version",
  repositoryPolicy: "ecr get-repository-policy",
} as const;
