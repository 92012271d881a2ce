/*
 * Clusters' components for tests of the composed construct: one maker and one issuer per cloud, literal wherever the
 * cloud allows it.
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { IssuerBucket, componentRoles } from "../../lib/cloud/aws";
import { componentIdentities } from "../../lib/cloud/azure";
import { componentServiceAccounts } from "../../lib/cloud/google";
import type { IComponentIdentities } from "../../lib/model/components";
import { type CredentialsRequestSelection, credentialsRequestsOf } from "../../lib/openshift";
import { PlatformComponents, type PlatformComponentsProps } from "../../lib/synth";
import { type RequestCloud, payloadRequests } from "./credentials-requests";
import { type WrittenStack, writtenStacks } from "./synth-output";
import { synthesized } from "./synthesized";

export const ISSUER = "https://oidc.example.com/prod";
export const TENANT = "11111111-2222-4333-8444-555555555555";
export const SUBSCRIPTION = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";

/** How each cloud's identities are made. */
export const componentMakers: Readonly<Record<RequestCloud, () => IComponentIdentities<Construct>>> = {
  aws: () => componentRoles({ account: "111122223333", region: "eu-west-1" }),
  azure: () => componentIdentities({ subscriptionId: SUBSCRIPTION, region: "westeurope", tenantId: TENANT }),
  google: () => componentServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" }),
};

/** The payload requests of a release, gated ones included. */
export function releaseRequests(cloud: RequestCloud, release: string): CredentialsRequestSelection {
  return credentialsRequestsOf(payloadRequests(cloud, release), {
    cloud,
    featureSet: "TechPreviewNoUpgrade",
    featureGates: "all",
  });
}

/** The properties of a cluster's components, as far as a test does not state them. */
export function componentsProps(
  cloud: RequestCloud,
  props: Partial<PlatformComponentsProps> = {},
): PlatformComponentsProps {
  return {
    clusterName: "prod",
    issuer: ISSUER,
    requests: props.requests ?? releaseRequests(cloud, "4.22"),
    identities: componentMakers[cloud](),
    ...props,
  };
}

/** A stack with the Terraform providers of all clouds. */
export function providersStack(app: Construct, id: string = "prod"): TerraformStack {
  const stack = new TerraformStack(app, id);
  new AwsProvider(stack, "aws", { region: "eu-west-1" });
  new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId: SUBSCRIPTION });
  new GoogleProvider(stack, "google");
  return stack;
}

/** An issuer whose URL is known after apply. */
export function issuerBucket(scope: Construct): IssuerBucket {
  const keys = JSON.parse(
    readFileSync(resolve(__dirname, "../fixtures/openid/keys.json"), "utf8"),
  ) as readonly { readonly pem: string }[];
  return new IssuerBucket(scope, "issuer", {
    bucketName: "acme-issuer",
    region: "eu-west-1",
    keys: [{ publicKey: keys[0]?.pem ?? "", use: "current" }],
  });
}

/** Synthesizes the components of one cluster in a stack `prod`; the properties may need the stack. */
export function synthesizedComponents(
  cloud: RequestCloud,
  props: (stack: TerraformStack) => Partial<PlatformComponentsProps> = () => ({}),
): { readonly outdir: string; readonly written: WrittenStack } {
  const outdir = synthesized((app) => {
    const stack = providersStack(app);
    new PlatformComponents(stack, "components", componentsProps(cloud, props(stack)));
  });
  const [written] = writtenStacks(outdir);
  if (!written) throw new Error("no stack was written");
  return { outdir, written };
}
