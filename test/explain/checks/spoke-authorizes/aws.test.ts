/*
 * What EKS clusters let roles do that they admit. Source: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access; AssociateAccessPolicy in the EKS API reference.
 */

import { describe, expect, it } from "vitest";
import { ARN, aws } from "../../aws/read";
import { VIEW, asked, policyOf, stack } from "../../aws/spoke";

describe("an access entry", () => {
  it.each<[string, object, string, string?]>([
    ["with a policy", stack(), "pass"],
    ["with a group that is bound", stack({ kubernetes_groups: ["deployers"] }, {}), "pass"],
    ["with a group that is not", stack({ kubernetes_groups: ["others"] }, {}), "fail"],
    ["with a group of the name of a bound user", stack({ kubernetes_groups: ["deployer"] }, {}), "fail"],
    ["with groups known only after apply", stack({ kubernetes_groups: "${var.groups}" }, {}), "unknown"],
    ["with a user that is bound", stack({ user_name: "deployer" }, {}), "pass"],
    ["with a user that is not bound", stack({ user_name: "hub" }, {}), "fail"],
    ["with a user known only after apply", stack({ user_name: "${var.user}" }, {}), "unknown"],
    ["with neither policy nor group", stack({}, {}), "fail", "has neither access policies nor groups"],
    ["for another role", stack({ principal_arn: `${ARN}2` }), "unknown", "who enters is not known"],
  ])("%s", (_, document, status, reason = "") => {
    expect(asked(aws(document)).authorized).toMatchObject({
      status,
      reason: expect.stringContaining(reason) as string,
    });
  });
});

describe("an access policy", () => {
  it.each<[string, object, string, string]>([
    ["that is known", {}, "pass", "AmazonEKSViewPolicy"],
    ["that is not known here", { policy_arn: VIEW.replace("View", "Odd") }, "unknown", "is not known here"],
    [
      "of another partition",
      { policy_arn: VIEW.replace("arn:aws:", "arn:aws-cn:") },
      "unknown",
      "is not known here",
    ],
    [
      "of a scope that EKS does not know",
      { access_scope: [{ type: "world" }] },
      "unknown",
      "is not known here",
    ],
    ["of no namespace", { access_scope: [{ type: "namespace" }] }, "unknown", "is not known here"],
    ["of a namespace", { access_scope: [{ type: "namespace", namespaces: ["a"] }] }, "pass", ""],
    [
      "of a namespace in capitals",
      { access_scope: [{ type: "Namespace", namespaces: ["a"] }] },
      "unknown",
      "is not known here",
    ],
    [
      "of no namespaces",
      { access_scope: [{ type: "namespace", namespaces: [] }] },
      "unknown",
      "is not known here",
    ],
    ["of another region", { region: "eu-north-1" }, "fail", "neither access policies nor groups"],
    ["for another role", { principal_arn: `${ARN}2` }, "fail", "neither access policies nor groups"],
  ])("%s", (_, more, status, reason) => {
    const { authorized } = asked(aws(stack({}, policyOf(more))));
    expect(authorized).toMatchObject({ status, reason: expect.stringContaining(reason) as string });
  });

  it("warns of what is wide, and of entries that are not tied to their role", () => {
    const wide = policyOf({ policy_arn: VIEW.replace("View", "ClusterAdmin") });
    const ids = (document: object): readonly string[] => asked(aws(document)).warnings.map(({ id }) => id);
    expect(ids(stack({}, wide))).toEqual(["access-entry-untied", "wide-policy"]);
    const tied = { lifecycle: { replace_triggered_by: ["${aws_iam_role.web.unique_id}"] } };
    expect(ids(stack(tied))).toEqual([]);
  });
});
