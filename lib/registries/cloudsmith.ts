/*
 * Cloudsmith: the plugin exchanges the token at `https://api.cloudsmith.io/openid/<organization>/` for one of a service.
 *
 * Source: cloudsmith-io/cloudsmith-kubernetes-credential-provider v0.0.1 (alpha), main.go; resources of the Terraform
 * provider cloudsmith-io/cloudsmith.
 */

import type { Plugin } from "../model/plugin";
import type { TokenRegistry } from "../model/pulls";
import { type ObjectKind, checkGiven, object, text } from "../model/shape";
import {
  OidcRegistry,
  REGISTRY_PROPS,
  type RegistryProps,
  pluginRow,
  resourceName,
  rowPlugin,
  subjectOf,
} from "./oidc-registry";

export const cloudsmithPlugin: Plugin = pluginRow({
  executable: "cloudsmith-kubernetes-credential-provider",
  registries: ["docker.cloudsmith.io"],
  entry: {
    cacheType: "ServiceAccount",
    optionalAnnotationKeys: [
      "cloudsmith.io/service-slug",
      "cloudsmith.io/org-slug",
      "cloudsmith.io/api-host",
    ],
  },
});

/** Settings of {@link cloudsmith}. */
export interface CloudsmithProps extends RegistryProps {
  /** Slug of the organization. */
  readonly organization: string;
  /** Slug of the service whose permissions decide; it is the same for all service accounts of a cluster. */
  readonly service: string;
}

const CLOUDSMITH_PROPS: ObjectKind<CloudsmithProps> = object({
  ...REGISTRY_PROPS.shape,
  organization: text,
  service: text,
});

/** Returns repositories of Cloudsmith; writes the OIDC settings as Terraform JSON to `registries/<host>.json`. */
export function cloudsmith(props: CloudsmithProps): OidcRegistry {
  checkGiven("cloudsmith()", CLOUDSMITH_PROPS, props);
  const { organization, service, audience = "cloudsmith", ...others } = props;
  const env = [
    { name: "CLOUDSMITH_ORG_SLUG", value: organization },
    { name: "CLOUDSMITH_SERVICE_SLUG", value: service },
  ];
  const plugin = { ...rowPlugin(cloudsmithPlugin), env };
  const document = (_: string, { issuer, pulls }: TokenRegistry): object => ({
    terraform: { required_providers: { cloudsmith: { source: "cloudsmith-io/cloudsmith" } } },
    resource: {
      cloudsmith_oidc: Object.fromEntries(
        pulls.map(({ serviceAccount }) => [
          resourceName(serviceAccount),
          {
            name: serviceAccount,
            namespace: organization,
            enabled: true,
            provider_url: issuer,
            claims: { aud: audience, sub: subjectOf(serviceAccount) },
            service_accounts: [service],
          },
        ]),
      ) as object,
    },
  });
  return new OidcRegistry({ ...others, audience, plugin, identity: service }, document);
}
