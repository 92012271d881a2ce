import { EksAccessEntry } from "@cdktf/provider-aws/lib/eks-access-entry/index.js";
import { EksAccessPolicyAssociation } from "@cdktf/provider-aws/lib/eks-access-policy-association/index.js";
import { Annotations, type TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { type AccessPrincipal, ACCESS_PRINCIPAL } from "../../model/access-principal";
import { type EksAccess, type EksPolicyGrant, EKS_ACCESS, accessPolicyArn } from "../../rules/aws/spoke";
import { waitFor } from "../shared/across-stacks";
import { roleIdTrigger } from "./eks-spoke-role-id";
import { PROVIDER } from "../shared/kinds";
import { type ObjectKind, checkProps, object, optional, record, text } from "../../model/shape";

/** Settings of an {@link EksSpokeEntry}. */
export interface EksSpokeEntryProps extends EksAccess {
  /** Name of the cluster; a reference where Terraform declares it. */
  readonly clusterName: string;
  /** Region of the cluster. */
  readonly region: string;
  /** Name of the partition. */
  readonly partition: string;
  /** The IAM role that is let in. */
  readonly principal: AccessPrincipal;
  /**
   * Tags of the entry.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Terraform provider of the cluster's account.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

const EKS_SPOKE_ENTRY_PROPS: ObjectKind<EksSpokeEntryProps> = object({
  ...EKS_ACCESS.shape,
  clusterName: text,
  region: text,
  partition: text,
  principal: ACCESS_PRINCIPAL,
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});

/**
 * An IAM role in an EKS cluster: its access entry, and the access policies of the entry.
 *
 * An entry holds the role's unique id besides its ARN, and a role that was made again under the same ARN is not let
 * in (EKS user guide, "Create access entries"). So the entry is replaced together with the role; and its policies,
 * which go with it, together with the entry.
 *
 * Children: `Resource`, and each access policy under its name.
 */
export class EksSpokeEntry extends Construct {
  /** The access entry. */
  readonly resource: EksAccessEntry;
  /** The access policies, sorted by name. */
  readonly policies: readonly EksAccessPolicyAssociation[];

  constructor(scope: Construct, id: string, props: EksSpokeEntryProps) {
    checkProps(new.target.name, scope, id, EKS_SPOKE_ENTRY_PROPS, props);
    super(scope, id);
    const { clusterName, region, principal, kubernetesGroups, tags, provider } = props;
    const trigger = roleIdTrigger(this, principal);
    this.resource = new EksAccessEntry(this, "Resource", {
      clusterName,
      region,
      principalArn: principal.name,
      type: "STANDARD",
      ...(kubernetesGroups.length > 0 && { kubernetesGroups: [...kubernetesGroups] }),
      ...(tags && { tags: { ...tags } }),
      ...(trigger !== undefined && { lifecycle: { replaceTriggeredBy: [trigger] } }),
      ...(provider && { provider }),
    });
    waitFor(this.resource, principal.dependencies);
    if (trigger === undefined) Annotations.of(this).addWarning(UNTIED);
    this.policies = props.accessPolicies.map((grant) => this.#associate(grant, props));
  }

  #associate({ policy, namespaces }: EksPolicyGrant, props: EksSpokeEntryProps): EksAccessPolicyAssociation {
    const { clusterName, region, partition, principal, provider } = props;
    const address = `${this.resource.terraformResourceType}.${this.resource.friendlyUniqueId}`;
    const association = new EksAccessPolicyAssociation(this, policy, {
      clusterName,
      region,
      principalArn: principal.name,
      policyArn: accessPolicyArn(partition, policy),
      accessScope:
        namespaces === undefined ? { type: "cluster" } : { type: "namespace", namespaces: [...namespaces] },
      lifecycle: { replaceTriggeredBy: [`${address}.access_entry_arn`] },
      ...(provider && { provider }),
    });
    waitFor(association, [this.resource]);
    return association;
  }
}

const UNTIED =
  "the access entry is not tied to the unique id of its IAM role, which this app does not declare: when the role is made again under the same name, the entry must be replaced by hand";
