/** An identity in the form in which policies of its cloud name it, for grants made elsewhere. */
export interface AccessPrincipal {
  /** ARN of an IAM role, object id of an Azure service principal, IAM policy member of Google Cloud; may be late. */
  readonly name: string;
  /** Terraform resources that must exist before a policy names the identity, the identity itself first. */
  readonly dependencies: readonly { readonly fqn: string }[];
}
