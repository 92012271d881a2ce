/** The audience that AWS's own tools use, in every partition. */
export const defaultAwsAudience = "sts.amazonaws.com";

/**
 * The service account annotation that the ECR plugin reads; fixed in kubernetes/cloud-provider-aws,
 * cmd/ecr-credential-provider/main.go. `eks.amazonaws.com/role-arn` is for other programs and is not read.
 */
export const ecrRoleAnnotation = "eks.amazonaws.com/ecr-role-arn";

/** The annotations of a service account that pulls as a role; the ARN may be late. */
export function pullAnnotations(roleArn: string): Readonly<Record<string, string>> {
  return { [ecrRoleAnnotation]: roleArn };
}
