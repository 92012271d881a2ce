import type { ComponentsRequest } from "../../../lib/model/components";
import type { CredentialsRequest } from "../../../lib/model/credentials-request";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { credentialsRequest } from "../../../lib/rules/openshift/credentials-request";
import { payloadRequests } from "../../support/credentials-requests";

export const SUBSCRIPTION = "00000000-0000-0000-0000-000000000001";
export const TENANT = "00000000-0000-0000-0000-000000000002";
export const ISSUER = "https://mycluster.blob.core.windows.net/mycluster";

/** All requests of a release's payload. */
export function release(version: string): readonly CredentialsRequest[] {
  return payloadRequests("azure", version).map((document) =>
    credentialsRequest(document, { file: "payload" }),
  );
}

/** A request of a few permissions; `openshift-ingress-azure` unless changed. */
export function request(change: Partial<CredentialsRequest> = {}): CredentialsRequest {
  return {
    name: "openshift-ingress-azure",
    annotations: {},
    secret: { namespace: "openshift-ingress-operator", name: "cloud-credentials" },
    subjects: [Subject.of("openshift-ingress-operator/ingress-operator")],
    cloudTokenPath: undefined,
    providerKind: "AzureProviderSpec",
    providerSpec: {
      permissions: ["Microsoft.Network/dnsZones/A/write", "Microsoft.Network/dnsZones/A/delete"],
    },
    source: { file: "requests/06.yaml", document: 2 },
    ...change,
  };
}

/** The components of a cluster. */
export function components(...requests: readonly CredentialsRequest[]): ComponentsRequest {
  return { clusterName: "mycluster", issuer: Issuer.of(ISSUER), requests };
}
