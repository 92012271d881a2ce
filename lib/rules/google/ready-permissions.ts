/*
 * What software that many clusters run needs on Google Cloud: for each program a row with the document of its project that
 * names the roles. The disk driver and the autoscaler of GKE are no rows: GKE runs them itself.
 */

import { type ObjectKind, list, object, text } from "../../model/shape";
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

const DNS_PROJECT_PROPS: ObjectKind<DnsProjectProps> = object({ dnsProject: text });
const EXTERNAL_SECRETS_PROPS: ObjectKind<ExternalSecretsProps> = object({ secrets: list(text) });

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
