/*
 * Artifactory: the plugin exchanges the token, or on AWS the role that it assumes with it, for a token of Artifactory.
 * `oidc` is what it does on Azure, which needs nothing of Azure.
 *
 * Source: jfrog/jfrog-credentials-provider v1.4.0, internal/provider/provider.go, helm/CHANGELOG.md and AZURE.md;
 * resources of the Terraform provider jfrog/platform.
 */

import { fail } from "../errors";
import type { CredentialProviderEnv } from "../model/image-credential-provider";
import type { Plugin } from "../model/plugin";
import type { TokenRegistry } from "../model/pulls";
import { type ObjectKind, checkGiven, choice, object, optional, text } from "../model/shape";
import {
  OidcRegistry,
  REGISTRY_PROPS,
  type RegistryProps,
  pluginRow,
  rowPlugin,
  subjectOf,
} from "./oidc-registry";

const EXCHANGE = "JFrogExchange";

/** The plugin for Artifactory. */
export const artifactoryPlugin: Plugin = pluginRow({
  executable: "jfrog-credentials-provider",
  annotations: [EXCHANGE],
  newest: "1.4",
  abilities: {
    tokens: [
      {
        from: "0.0",
        outcome: "unknown",
        reason: "before v1.4.0 it depends on the cloud, and on Azure on an application",
      },
      { from: "1.4.0", outcome: "yes", reason: "since v1.4.0 for AWS, Azure and Google alike" },
    ],
  },
  entry: { cacheType: "ServiceAccount", env: [{ name: "disable_provider_autoupdate", value: "true" }] },
});

/** What of the plugin's three ways a setting belongs to. */
type Way = "aws" | "azure" | "google" | "oidc";

/** Settings of {@link artifactory}. */
export interface ArtifactoryProps extends RegistryProps {
  /**
   * How the plugin gets a token of Artifactory: for a role of AWS that the service account assumes, or for the service
   * account token itself, with the audience that is usual in Azure or Google, or with another (`oidc`).
   */
  readonly through: "aws" | "azure" | "google" | "oidc";
  /**
   * User of Artifactory whose permissions decide. Artifactory maps the subject to it, or on AWS the role.
   */
  readonly user: string;
  /**
   * Only for `aws`, and required there: the role, which the registry's owner admits. Its trust policy names the subject;
   * it may be late.
   *
   * @defaultValue - none
   */
  readonly roleArn?: string;
  /**
   * Not for `aws`: name of the OIDC integration in Artifactory.
   *
   * @defaultValue "kubernetes"
   */
  readonly provider?: string;
  /**
   * Only for `google`, and required there: e-mail address of a Google service account, which the plugin insists on and
   * does not use.
   *
   * @defaultValue - none
   */
  readonly googleServiceAccount?: string;
}

const ARTIFACTORY_PROPS: ObjectKind<ArtifactoryProps> = object({
  ...REGISTRY_PROPS.shape,
  through: choice(["aws", "azure", "google", "oidc"]),
  user: text,
  roleArn: optional(text),
  provider: optional(text),
  googleServiceAccount: optional(text),
});

interface WayRow {
  readonly audience: string | undefined;
  readonly key?: readonly [annotation: string, setting: "roleArn" | "googleServiceAccount"];
  readonly env: (provider: string, audience: string, account: string) => Readonly<Record<string, string>>;
}

const azure = (provider: string, audience: string): Readonly<Record<string, string>> => ({
  cloud_provider: "azure",
  azure_app_audience: audience,
  jfrog_oidc_provider_name: provider,
});

const WAYS: Readonly<Record<Way, WayRow>> = {
  aws: {
    audience: "sts.amazonaws.com",
    key: ["eks.amazonaws.com/role-arn", "roleArn"],
    env: () => ({ cloud_provider: "aws", aws_auth_method: "assume_role", secret_ttl_seconds: "14400" }),
  },
  azure: { audience: "api://AzureADTokenExchange", env: azure },
  google: {
    audience: "artifactory",
    key: ["iam.gke.io/gcp-service-account", "googleServiceAccount"],
    env: (provider, audience, account) => ({
      cloud_provider: "google",
      google_service_account_email: account,
      jfrog_oidc_audience: audience,
      jfrog_oidc_provider_name: provider,
    }),
  },
  oidc: { audience: undefined, env: azure },
};

/**
 * Returns repositories of Artifactory, pulled with plugin v1.4.0 or newer. Writes the registry's side as Terraform JSON
 * to `registries/<host>.json`.
 *
 * JFrog's own chart edits the file of the operator on OpenShift that MachineConfigs of this library replace: install
 * only one of them.
 */
export function artifactory(props: ArtifactoryProps): OidcRegistry {
  checkGiven("artifactory()", ARTIFACTORY_PROPS, props);
  const { through, user, roleArn, provider = "kubernetes", googleServiceAccount, ...others } = props;
  const way = WAYS[through];
  const { audience = way.audience ?? props.host } = props;
  const [key, setting] = way.key ?? [];
  const value = setting && props[setting];
  const idle = (["roleArn", "googleServiceAccount"] as const).find((each) => each !== setting && props[each]);
  if (idle !== undefined || (setting !== undefined && !value))
    fail(idle === undefined ? "node-missing" : "node-unused", {
      problem: `\`${idle ?? setting ?? ""}\` ${idle === undefined ? "is required" : "has no effect"} for artifactory() through ${through}`,
      value: through,
      allowed: "`roleArn` for aws, `googleServiceAccount` for google",
      remedy: idle === undefined ? "state it" : "leave it out, or choose the way that it is for",
    });
  const account = googleServiceAccount ?? "";
  const stated = { artifactory_url: props.host, ...way.env(provider, audience, account) };
  const row = rowPlugin(artifactoryPlugin);
  const env: readonly CredentialProviderEnv[] = [
    ...(row.env ?? []),
    ...Object.entries(stated).map(([name, each]) => ({ name, value: each })),
  ];
  const annotationKeys = key === undefined ? [EXCHANGE] : [key, EXCHANGE];
  const annotations = { [EXCHANGE]: "true", ...(key !== undefined && value && { [key]: value }) };
  const optional =
    through === "azure" ? { optionalAnnotationKeys: ["azure.workload.identity/client-id"] } : {};
  const plugin = { ...row, env, annotationKeys, ...optional };
  const document = (_: string, registry: TokenRegistry): object =>
    through === "aws" ? roles(registry) : mappings(registry, provider, through);
  return new OidcRegistry({ ...others, audience, plugin, annotations, identity: user }, document);
}

const PROVIDERS = { required_providers: { platform: { source: "jfrog/platform" } } };

function roles({ pulls }: TokenRegistry): object {
  const rows = pulls.map(({ identity = "", annotations = {} }) => [
    identity.replace(/\W/g, "_"),
    { name: identity, iam_role: annotations["eks.amazonaws.com/role-arn"] },
  ]);
  return { terraform: PROVIDERS, resource: { platform_aws_iam_role: Object.fromEntries(rows) as object } };
}

function mappings({ issuer, audience, pulls }: TokenRegistry, provider: string, through: Way): object {
  const rows = pulls.map(({ serviceAccount, identity = "" }, place) => [
    serviceAccount.replace(/[/.]/g, "_"),
    {
      name: serviceAccount.replace("/", "-"),
      provider_name: provider,
      priority: place + 1,
      claims_json: `{"iss":"${issuer}","sub":"${subjectOf(serviceAccount)}","aud":"${audience}"}`,
      token_spec: {
        username: identity,
        scope: "applied-permissions/user",
        audience: tokenAudience(through, audience),
      },
    },
  ]);
  const configuration = { name: provider, issuer_url: issuer, provider_type: "generic", audience };
  return {
    terraform: PROVIDERS,
    resource: {
      platform_oidc_configuration: { [provider]: configuration },
      platform_oidc_identity_mapping: Object.fromEntries(rows) as object,
    },
  };
}

/** The audience that the plugin asks for in the exchange. */
function tokenAudience(through: Way, audience: string): string {
  return through === "google" ? audience : "*@*";
}
