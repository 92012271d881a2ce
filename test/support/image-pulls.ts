/*
 * Clusters, registries and makers for tests of the composed construct.
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { type EcrSource, ecr, pullRoles } from "../../lib/cloud/aws";
import { type AcrSource, acr, pullIdentities } from "../../lib/cloud/azure";
import { type ArtifactRegistryRepository, artifactRegistry, pullPrincipals } from "../../lib/cloud/google";
import type { ICluster } from "../../lib/model/cluster";
import type { IPullIdentities } from "../../lib/model/pulls";
import { type KubernetesProps, kubernetes } from "../../lib/node";
import { type OpenShiftProps, openShift } from "../../lib/openshift";
import { ImagePulls, type ImagePullsProps } from "../../lib/synth";
import { type WrittenStack, writtenStacks } from "./synth-output";
import { synthesized } from "./synthesized";

export const ISSUER = "https://oidc.example.com/prod";
export const ACCOUNT = "111122223333";
export const REGION = "eu-west-1";
export const REGISTRY_ID =
  "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop";

/** A self-managed cluster whose nodes have all three plugins. */
export function plainCluster(props: Partial<KubernetesProps> = {}): ICluster<Construct> {
  return kubernetes({
    name: "prod",
    version: "1.35",
    issuer: ISSUER,
    plugins: { ecr: "1.35.2", acr: "1.36.5", gcp: { version: "36.3.8", abilities: ["custom-pools"] } },
    ...props,
  });
}

/** A self-managed OpenShift cluster on AWS. */
export function openShiftCluster(props: Partial<OpenShiftProps> = {}): ICluster<Construct> {
  return openShift({
    name: "prod",
    version: "4.22",
    platform: "aws",
    issuer: ISSUER,
    pools: ["worker"],
    ...props,
  });
}

export function fromEcr(...repositories: readonly string[]): EcrSource {
  const names = repositories.length > 0 ? repositories : ["shop/web"];
  return ecr({ account: ACCOUNT, region: REGION, repositories: names });
}

export function fromAcr(...repositories: readonly string[]): AcrSource {
  return acr({
    registry: REGISTRY_ID,
    roleAssignmentMode: "AbacRepositoryPermissions",
    ...(repositories.length > 0 ? { repositories } : {}),
  });
}

export function fromGoogle(repository: string = "tools"): ArtifactRegistryRepository {
  return artifactRegistry({ project: "acme-images", location: "europe-west1", repository });
}

/** The makers of all three clouds; what a test states replaces the default. */
export const makers = {
  aws: (props: Parameters<typeof pullRoles>[0] = {}): IPullIdentities<Construct> =>
    pullRoles({ account: ACCOUNT, region: REGION, ...props }),
  azure: (props: Partial<Parameters<typeof pullIdentities>[0]> = {}): IPullIdentities<Construct> =>
    pullIdentities({ resourceGroupName: "identities", location: "westeurope", ...props }),
  google: (props: Partial<Parameters<typeof pullPrincipals>[0]> = {}): IPullIdentities<Construct> =>
    pullPrincipals({ project: "acme-images", projectNumber: "123456789012", ...props }),
} as const;

/** Pulls of one cluster in a stack `prod`, synthesized. */
export interface SynthesizedPulls {
  /** The output folder. */
  readonly outdir: string;
  /** The stack as it was written. */
  readonly written: WrittenStack;
}

/** Synthesizes one ImagePulls; the properties may need the stack. */
export function synthesizedPulls(props: (stack: TerraformStack) => ImagePullsProps): SynthesizedPulls {
  const outdir = synthesized((app) => {
    const stack = new TerraformStack(app, "prod");
    new AwsProvider(stack, "aws", { region: REGION });
    new AzurermProvider(stack, "azurerm", { features: [{}] });
    new GoogleProvider(stack, "google");
    new ImagePulls(stack, "pulls", props(stack));
  });
  const [written] = writtenStacks(outdir);
  if (!written) throw new Error("no stack was written");
  return { outdir, written };
}
