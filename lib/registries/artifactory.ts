/*
 * Artifactory: the plugin exchanges the token, or on AWS the role that it assumes with it, for a token of Artifactory.
 * What it does on Azure needs nothing of Azure, and works for any cluster.
 *
 * Source: jfrog/jfrog-credentials-provider v1.4.0, internal/provider/provider.go, helm/CHANGELOG.md and AZURE.md;
 * resources of the Terraform provider jfrog/platform.
 */

import { fail } from "../errors";
import type { Plugin } from "../model/plugin";
import type { TokenRegistry } from "../model/pulls";
import { type ObjectKind, checkGiven, object, optional, text } from "../model/shape";
import {
  OidcRegistry,
  REGISTRY_PROPS,
  type RegistryProps,
  pluginRow,
  resourceName,
  rowPlugin,
  subjectOf,
} from "./oidc-registry";

const EXCHANGE = "JFrogExchange";
const ROLE = "eks.amazonaws.com/role-arn";
const GOOGLE = "iam.gke.io/gcp-service-account";

export const artifactoryPlugin: Plugin = pluginRow({
  executable: "jfrog-credentials-provider",
  executables: /^jfrog-credentials?-provider(?![a-z0-9])/,
  annotations: [EXCHANGE],
  alsoReads: [
    "eks.amazonaws.com/role-arn",
    "azure.workload.identity/client-id",
    "iam.gke.io/gcp-service-account",
  ],
  newest: "1.4",
  abilities: {
    tokens: [
      { from: "0.0", outcome: "unknown", reason: "before v1.4.0 it depends on the cloud" },
      { from: "1.4.0", outcome: "yes", reason: "since v1.4.0 in every cloud" },
    ],
  },
  entry: { cacheType: "ServiceAccount" },
});

/** Settings of {@link artifactory}. */
export interface ArtifactoryProps extends RegistryProps {
  /** User of Artifactory whose permissions decide, and to which it maps the subject, or the role. */
  readonly user: string;
  /**
   * A role of AWS that the plugin assumes with the token; its trust policy names the subject, and Artifactory admits the
   * role. May be late.
   *
   * @defaultValue - the plugin hands the token itself to Artifactory
   */
  readonly roleArn?: string;
  /**
   * E-mail address of a Google service account, for nodes on Google Cloud: the plugin insists on one, but uses the token.
   *
   * @defaultValue - what the plugin does on Azure, for which the usual audience is `api://AzureADTokenExchange`
   */
  readonly googleServiceAccount?: string;
  /**
   * Name of the OIDC integration in Artifactory, which roles do not need: a small letter, then small letters, digits
   * and `-`.
   *
   * @defaultValue "kubernetes"
   */
  readonly provider?: string;
}

const ARTIFACTORY_PROPS: ObjectKind<ArtifactoryProps> = object({
  ...REGISTRY_PROPS.shape,
  user: text,
  roleArn: optional(text),
  googleServiceAccount: optional(text),
  provider: optional(text),
});

/**
 * Returns repositories of Artifactory, pulled with plugin v1.4.0 or newer. Writes the registry's side as Terraform JSON
 * to `registries/<host>.json`.
 *
 * JFrog's own chart edits the file of the operator on OpenShift that MachineConfigs of this library replace: install
 * only one of them.
 */
export function artifactory(props: ArtifactoryProps): OidcRegistry {
  checkGiven("artifactory()", ARTIFACTORY_PROPS, props);
  const { user, roleArn, googleServiceAccount, provider = "kubernetes", ...others } = props;
  if (roleArn !== undefined && googleServiceAccount !== undefined)
    fail("node-conflict", {
      problem: "artifactory() is given two ways to an Artifactory token",
      value: [roleArn, googleServiceAccount],
      allowed: "`roleArn`, `googleServiceAccount`, or none of the two",
      remedy: "keep the one of the nodes' cloud",
    });
  const { audience = roleArn === undefined ? props.host : "sts.amazonaws.com" } = props;
  const variables = { artifactory_url: props.host, disable_provider_autoupdate: "true" };
  const [key, value] = roleArn === undefined ? [GOOGLE, googleServiceAccount] : [ROLE, roleArn];
  const plugin = {
    ...rowPlugin(artifactoryPlugin),
    env: Object.entries({ ...variables, ...wayOf(props, provider, audience) }).map(([name, each]) => ({
      name,
      value: each,
    })),
    annotationKeys: value === undefined ? [EXCHANGE] : [key, EXCHANGE],
  };
  const annotations = { [EXCHANGE]: "true", ...(value !== undefined && { [key]: value }) };
  const document = (_: string, registry: TokenRegistry): object => ({
    terraform: { required_providers: { platform: { source: "jfrog/platform" } } },
    resource: roleArn === undefined ? mappings(registry, provider) : roles(registry),
  });
  return new OidcRegistry({ ...others, audience, plugin, annotations, identity: user }, document);
}

function wayOf(
  { roleArn, googleServiceAccount }: ArtifactoryProps,
  provider: string,
  audience: string,
): Readonly<Record<string, string>> {
  if (roleArn !== undefined)
    return { cloud_provider: "aws", aws_auth_method: "assume_role", secret_ttl_seconds: "14400" };
  const exchange = { jfrog_oidc_provider_name: provider };
  return googleServiceAccount === undefined
    ? { cloud_provider: "azure", azure_app_audience: audience, ...exchange }
    : {
        cloud_provider: "google",
        google_service_account_email: googleServiceAccount,
        jfrog_oidc_audience: audience,
        ...exchange,
      };
}

function roles({ pulls }: TokenRegistry): object {
  const rows = pulls.map(
    ({ identity = "", annotations = {} }) => [identity, annotations[ROLE] ?? ""] as const,
  );
  refuseSecond(rows, "Artifactory takes one role of AWS for each user");
  return {
    platform_aws_iam_role: Object.fromEntries(
      rows.map(([username, role]) => [resourceName(username), { username, iam_role: role }]),
    ) as object,
  };
}

/** In seconds. The plugin tells the kubelet no duration, which keeps the answer for ten minutes; by default it is 60. */
const EXPIRES_IN = 3_600;

function mappings({ issuer, audience, pulls }: TokenRegistry, provider: string): object {
  const users = pulls.map(({ serviceAccount, identity = "" }) => [serviceAccount, identity] as const);
  refuseSecond(users, "Artifactory takes a service account for one user");
  const rows = [...new Map(users)].map(([serviceAccount, username], place) => {
    const name = resourceName(serviceAccount);
    const mapping = {
      name,
      provider_name: provider,
      priority: place + 1,
      claims_json: `{"iss":"${issuer}","sub":"${subjectOf(serviceAccount)}","aud":"${audience}"}`,
      token_spec: {
        username,
        scope: "applied-permissions/user",
        audience: "*@*",
        expires_in: EXPIRES_IN,
      },
    };
    return [name, mapping];
  });
  const configuration = { name: provider, issuer_url: issuer, provider_type: "generic", audience };
  return {
    platform_oidc_configuration: { [resourceName(provider)]: configuration },
    platform_oidc_identity_mapping: Object.fromEntries(rows) as object,
  };
}

function refuseSecond(rows: readonly (readonly [key: string, value: string])[], problem: string): void {
  const first = new Map([...rows].reverse());
  const second = rows.find(([key, value]) => first.get(key) !== value);
  if (second !== undefined)
    fail("node-conflict", {
      problem,
      value: second,
      allowed: `${second[0]} with ${first.get(second[0]) ?? ""} alone`,
      remedy: "give the other workloads a service account, and a user, of their own",
    });
}
