/*
 * The role that a component's Secret names is in the cluster's account and partition.
 * Source: terraform-provider-aws, arguments region, allowed_account_ids and assume_role.
 */

import { describe, expect, it } from "vitest";
import { INGRESS, accessArtefacts, resultOf, withTerraform } from "../fixtures/explain/access";
import { type Artefacts, type Edit, edited, statuses } from "../fixtures/explain/artefacts";

const SECRET = "manifests/openshift-ingress-operator-cloud-credentials-credentials.yaml";
const ACCOUNT = "111122223333";
const OTHER = "111122223339";
const artefacts = accessArtefacts("aws", payload());

/** Three components, so that two agree against one. */
function payload(): readonly object[] {
  return ["openshift-ingress-operator", "openshift-image-registry", "openshift-machine-api"].map(
    (namespace) => ({
      apiVersion: "cloudcredential.openshift.io/v1",
      kind: "CredentialsRequest",
      metadata: { name: namespace, namespace: "openshift-cloud-credential-operator" },
      spec: {
        secretRef: { name: "cloud-credentials", namespace },
        serviceAccountNames: [namespace === "openshift-ingress-operator" ? "ingress-operator" : "operator"],
        providerSpec: {
          apiVersion: "cloudcredential.openshift.io/v1",
          kind: "AWSProviderSpec",
          statementEntries: [{ effect: "Allow", action: ["ec2:DescribeRegions"], resource: "*" }],
        },
      },
    }),
  );
}

/** The provider's arguments in the place of its own. */
function provided(values: Record<string, unknown>): Artefacts {
  return withTerraform(artefacts, (configuration) => {
    const { provider } = configuration as unknown as { provider: { aws: Record<string, unknown>[] } };
    provider.aws = [values];
  });
}

const region = "eu-west-1";
const role = (account: string): object => ({ role_arn: `arn:aws:iam::${account}:role/deploy` });
const inAccount: Edit = [SECRET, `arn:aws:iam::${ACCOUNT}`, `arn:aws:iam::${OTHER}`];
const inPartition: Edit = [SECRET, "arn:aws:iam", "arn:aws-cn:iam"];

describe("the role of a Secret", () => {
  it.each<[string, Record<string, unknown>, readonly Edit[], string, string]>([
    ["of an unknown account", { region }, [], "pass", "pass"],
    ["of another account than those beside", { region }, [inAccount], "unknown", "pass"],
    [
      "of another account than the provider's",
      { region, allowed_account_ids: [ACCOUNT] },
      [inAccount],
      "pass",
      "unknown",
    ],
    [
      "of the account of an assumed role",
      { region, assume_role: [role(OTHER), role(ACCOUNT)] },
      [],
      "pass",
      "pass",
    ],
    [
      "of another account than an assumed role's",
      { region, assume_role: [role(OTHER)] },
      [],
      "pass",
      "unknown",
    ],
    [
      "of another account than that of a role assumed by a token",
      { region, assume_role_with_web_identity: role(OTHER) },
      [],
      "pass",
      "unknown",
    ],
    ["of another partition than those beside", {}, [inPartition], "unknown", "pass"],
    ["of another partition than the provider's region", { region }, [inPartition], "fail", "skipped"],
    [
      "of another partition than the provider, all of them",
      { region: "us-gov-west-1" },
      [],
      "fail",
      "skipped",
    ],
  ])("%s", (_, provider, edits, secret, found) => {
    expect(statuses(resultOf(edited(provided(provider), edits), INGRESS))).toMatchObject({
      "secret-well-formed": secret,
      "identity-found": found,
    });
  });
});
