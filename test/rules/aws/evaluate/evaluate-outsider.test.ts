import { expect, it } from "vitest";
import { evaluateAwsOutsider } from "../../../../lib/rules/aws/evaluate/evaluate-outsider";

const RESOURCE = "arn:aws:s3:::b/keys.json";
const CLOUDFRONT = "cloudfront.amazonaws.com";

// "AWS JSON policy elements: Principal" and "… NotPrincipal" in the IAM user guide.
it.each<[principal: object, service: string | undefined, outcome: string]>([
  [{ Principal: "*" }, undefined, "allowed"],
  [{ Principal: { AWS: "*" } }, undefined, "allowed"],
  [{ Principal: { AWS: "111122223333" } }, undefined, "denied"],
  [{ Principal: { Service: CLOUDFRONT } }, undefined, "denied"],
  [{ Principal: { Service: [CLOUDFRONT] } }, CLOUDFRONT, "allowed"],
  [{ Principal: { Service: "ec2.amazonaws.com" } }, CLOUDFRONT, "denied"],
  [{ Principal: { Other: "*" } }, undefined, "unknown"],
  [{ Principal: { AWS: "${0#var.who}" } }, undefined, "unknown"],
  [{}, undefined, "unknown"],
  [{ Principal: "*", Action: "s3:PutObject" }, undefined, "denied"],
  [{ Principal: "*", Resource: "arn:aws:s3:::other/*" }, undefined, "denied"],
  [{ Principal: "*", Condition: { Bool: { "aws:SecureTransport": "false" } } }, undefined, "denied"],
  [{ Principal: "*", Condition: { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } } }, undefined, "unknown"],
  [{ Effect: "Deny", NotPrincipal: { AWS: "111122223333" } }, undefined, "denied"],
])("%j as %s: %s", (statement, service, outcome) => {
  const policy = {
    Statement: [{ Effect: "Allow", Action: "s3:GetObject", Resource: RESOURCE, ...statement }],
  };
  const request = {
    ...(service === undefined ? {} : { service }),
    action: "s3:GetObject",
    resource: RESOURCE,
    context: { "aws:SecureTransport": "true", "aws:SourceArn": null },
  };
  expect(evaluateAwsOutsider(policy, request).outcome).toBe(outcome);
  expect(evaluateAwsOutsider(JSON.stringify(policy), request).outcome).toBe(outcome);
});
