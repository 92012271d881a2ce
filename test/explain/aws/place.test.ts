import { describe, expect, it } from "vitest";
import { shown } from "../../../lib/model/known";
import { awsReader } from "../../../lib/explain/aws/reader";
import { accountOf, partitionOf, regionOf } from "../../../lib/explain/aws/place";
import { Terraform } from "../../../lib/explain/read/terraform";
import { readConfiguration } from "../../../lib/explain/read/terraform-configuration";
import { readTerraformShow } from "../../../lib/explain/read/terraform-show";
import { state } from "../../fixtures/explain/states";

const ARN = "arn:aws-us-gov:eks:us-gov-west-1:111122223333";
const OF = "of the provider aws>";
const source = { file: "state.json", path: "" };

const placeIn = (terraform: Terraform, type: string): readonly string[] => {
  const [resource] = terraform.ofType(type);
  return resource ? [accountOf, partitionOf, regionOf].map((of) => shown(of(resource))) : [];
};

// Attribute references of the Terraform provider hashicorp/aws; only version 6 has the region as an attribute.
describe("the account, partition and region of a resource in a state", () => {
  it.each<[string, string, Record<string, unknown>, readonly string[]]>([
    [
      "its ARN",
      "aws_eks_addon",
      { arn: `${ARN}:addon/prod/a/1` },
      ["111122223333", "aws-us-gov", "us-gov-west-1"],
    ],
    [
      "the ARN of an association",
      "aws_eks_pod_identity_association",
      { association_arn: `${ARN}:podidentityassociation/prod/a-1` },
      ["111122223333", "aws-us-gov", "us-gov-west-1"],
    ],
    [
      "the ARN of an access entry",
      "aws_eks_access_entry",
      { access_entry_arn: `${ARN}:access-entry/prod/role/1/web/1`, principal_arn: "arn:aws:iam::9:role/web" },
      ["111122223333", "aws-us-gov", "us-gov-west-1"],
    ],
    [
      "an ARN without a region",
      "aws_iam_role",
      { arn: "arn:aws:iam::111122223333:role/web" },
      ["111122223333", "aws", `<region ${OF}`],
    ],
    [
      "the account of its registry",
      "aws_ecr_repository_policy",
      { registry_id: "111122223333" },
      ["111122223333", `<partition ${OF}`, `<region ${OF}`],
    ],
    [
      "its region, whatever its ARN says",
      "aws_eks_addon",
      { arn: `${ARN}:addon/prod/a/1`, region: "us-gov-east-1" },
      ["111122223333", "aws-us-gov", "us-gov-east-1"],
    ],
    [
      "nothing",
      "aws_iam_role_policy",
      { id: "web:own" },
      [`<account ${OF}`, `<partition ${OF}`, `<region ${OF}`],
    ],
  ])("by %s", (_, type, values, place) => {
    const terraform = new Terraform(awsReader.computed);
    readTerraformShow(terraform, state({ [`${type}.x`]: values }) as Record<string, unknown>, source);
    expect(placeIn(terraform, type)).toEqual(place);
  });

  it("is not by the registry that a data source of a configuration looks into", () => {
    const terraform = new Terraform(awsReader.computed);
    const value = { data: { aws_ecr_repository: { x: { name: "shop/web", registry_id: "444455556666" } } } };
    readConfiguration(terraform, "0", [{ value, source }], undefined);
    expect(placeIn(terraform, "aws_ecr_repository")[0]).toBe(`<account ${OF}`);
  });
});
