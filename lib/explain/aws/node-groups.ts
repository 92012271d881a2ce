/*
 * The user data that EKS gives the nodes of managed node groups, through launch templates. Source: EKS user guide,
 * "Customize managed nodes with launch templates".
 */

import { type Known, andThen, is, known, orElse, unread } from "../../model/known";
import type { Block, Resource } from "../read/block";
import { bytesOfBase64 } from "../read/encoded-content";
import type { NodePool } from "../read/objects";
import type { Terraform } from "../read/terraform";

const TEMPLATE = "aws_launch_template";
/** Only nodeadm reads the user data that is read here. */
const AMI_TYPE = /^(?:AL2023_(?:x86_64|ARM_64)_(?:STANDARD|NEURON|NVIDIA)|CUSTOM)$/;

/** The managed node groups, each with its user data; `undefined` where it has none. */
export function nodeGroups(terraform: Terraform): readonly NodePool[] {
  return terraform
    .ofType("aws_eks_node_group")
    .filter(({ adopted }) => !adopted)
    .map((group) => ({
      name: orElse(group.stated("node_group_name"), () => group.address),
      cluster: group.stated("cluster_name"),
      kubelet: orElse(group.text("version"), () => undefined),
      userData: andThen(group.text("ami_type"), (type = "CUSTOM") =>
        AMI_TYPE.test(type)
          ? andThen(group.block("launch_template"), (block) =>
              block ? userData(terraform, block) : known(undefined),
            )
          : unread(`its AMI is of the type ${type}`),
      ),
      source: group.source,
    }));
}

function userData(terraform: Terraform, block: Block): Known<string | undefined> {
  const template =
    block.referred("id", ["id"]) ??
    block.referred("name", ["name"]) ??
    terraform.ofType(TEMPLATE).find((each) => ["id", "name"].some((key) => isSame(block, each, key)));
  if (template?.type !== TEMPLATE) return unread("its launch template was not read");
  const isNewest =
    block.referred("version", ["latest_version"]) === template ||
    is(block.text("version"), "$Latest") === "yes" ||
    is(block.text("version"), orElse(template.text("latest_version"), () => "") ?? "") === "yes";
  if (!isNewest) return unread("it has another version of its launch template than the newest");
  return andThen(template.text("user_data"), (encoded = "") => {
    const bytes = bytesOfBase64(encoded);
    if (bytes === undefined) return unread("its user data is not base64, so EC2 refuses the launch template");
    return known(encoded === "" ? undefined : bytes.toString());
  });
}

function isSame(block: Block, template: Resource, key: string): boolean {
  const value = orElse(template.text(key), () => undefined);
  return value !== undefined && is(block.text(key), value) === "yes";
}
