/*
 * What software that many clusters run needs on Google Cloud: for each program a row with the document of its project that
 * names the roles. The disk driver and the autoscaler of GKE are no rows: GKE runs them itself.
 */

import {
  type Kind,
  type ObjectKind,
  choice,
  example,
  like,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import type { ReadyPermissions } from "../../model/workloads";
import type { GoogleRoleGrant } from "./permission";

/** Settings of software that writes DNS records. */
export interface DnsProjectProps {
  /** Id of the project of the DNS zones. */
  readonly dnsProject: string;
}

/** Settings of `externalSecrets()`. */
export interface ExternalSecretsProps {
  /** Secrets of Secret Manager, `projects/<project>/secrets/<id>`; may be late. At least one. */
  readonly secrets: readonly string[];
}

/** Settings of `fluxSourceController()`. */
export interface FluxSourceControllerProps {
  /** Repositories of the artefacts: `artifactRegistry()` and `gcrRepository()`, without `owner`. At least one. */
  readonly from: readonly Readonly<Record<"project" | "location" | "repository", string>>[];
}

const DNS_PROJECT_PROPS: ObjectKind<DnsProjectProps> = object({ dnsProject: text });
const EXTERNAL_SECRETS_PROPS: ObjectKind<ExternalSecretsProps> = object({
  secrets: list(example(text, '"projects/shop-prod/secrets/api"')),
});
const REPOSITORY: Kind<
  Readonly<Record<"project" | "location" | "repository", string>> & { readonly owner?: never }
> = like("artifactRegistry(…) or gcrRepository(…), without owner", {
  project: text,
  location: text,
  repository: text,
  owner: optional(choice([])),
});
const FLUX_SOURCE_CONTROLLER_PROPS: ObjectKind<FluxSourceControllerProps> = object({
  from: list(REPOSITORY),
});

type Row<Props> = ReadyPermissions<Props, readonly GoogleRoleGrant[]>;

const dnsAdmin: Row<DnsProjectProps>["rights"] = ({ dnsProject }) => [
  { role: "roles/dns.admin", project: dnsProject },
];

export const EXTERNAL_DNS: Row<DnsProjectProps> = {
  serviceAccount: "external-dns/external-dns",
  source: "kubernetes-sigs/external-dns 0.22.0, docs/tutorials/gke.md",
  leavesOut: "zones of other projects; within the project nothing: every zone can be changed and deleted",
  props: DNS_PROJECT_PROPS,
  rights: dnsAdmin,
};

export const CERT_MANAGER: Row<DnsProjectProps> = {
  serviceAccount: "cert-manager/cert-manager",
  source: "cert-manager/website for 1.21.1, content/docs/configuration/acme/dns01/google.md",
  leavesOut: "zones of other projects; within the project nothing: every zone can be changed and deleted",
  props: DNS_PROJECT_PROPS,
  rights: dnsAdmin,
};

export const EXTERNAL_SECRETS: Row<ExternalSecretsProps> = {
  serviceAccount: "external-secrets/external-secrets",
  source: "external-secrets/external-secrets 2.9.0, docs/provider/google-secrets-manager.md",
  leavesOut:
    "searching by name or tag (`dataFrom.find`), `secretVersionSelectionPolicy: LatestOrFetch`, `PushSecret`",
  props: EXTERNAL_SECRETS_PROPS,
  rights: ({ secrets }) => secrets.map((secret) => ({ role: "roles/secretmanager.secretAccessor", secret })),
};

export const FLUX_SOURCE_CONTROLLER: Row<FluxSourceControllerProps> = {
  serviceAccount: "flux-system/source-controller",
  source: "fluxcd/website for 2.8.8, content/en/flux/integrations/gcp.md",
  leavesOut:
    "other repositories, buckets, objects with a `serviceAccountName`, the other controllers; within a repository nothing",
  props: FLUX_SOURCE_CONTROLLER_PROPS,
  rights: ({ from }) => {
    const all = from.map(
      (it) => `projects/${it.project}/locations/${it.location}/repositories/${it.repository}`,
    );
    return [...new Set(all)].map((repository) => ({ role: "roles/artifactregistry.reader", repository }));
  },
};
