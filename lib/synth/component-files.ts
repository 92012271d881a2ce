/*
 * The files for the `manifests/` folder of OpenShift's installer, under the names that `ccoctl` gives them.
 */

import { fail } from "../errors";
import type { ComponentSecret, ComponentsDeclaration, IComponentIdentities } from "../model/components";
import type { CredentialsRequest, SecretReference } from "../model/credentials-request";
import type { Issuer } from "../model/issuer";
import { isRecord } from "../model/record";
import { ofRequest, requestLabel } from "../model/request-label";
import { Secret } from "../kubernetes";
import { ServiceAccountIssuer, UpgradeableTo } from "../openshift";
import { AUTHENTICATION_FILE } from "../openshift/cluster-settings";
import type { ClusterManifests } from "./cluster-manifests";
import { manifestFile } from "./manifest-name";

const AUTHENTICATION = { order: 0, exactName: true } as const;
const SECRETS = { order: 5, exactName: true } as const;

/** Names of files for the running cluster, as opposed to those for the installer. */
const NUMBERED = /^manifests\/\d\d-/;
const UPGRADE_GATE = {
  order: 90,
  comment: [
    "For the running cluster, after the Secrets of the next release have been applied; not for the installer.",
    "Apply with `kubectl apply --server-side`: the operator owns the object's other fields. Never prune or delete with this file.",
  ],
} as const;

/**
 * Refuses two requests for one Secret, a Secret that the cloud's identities write themselves, and two Secrets whose
 * files would have one name: namespace `a-b` with Secret `c` gives the same name as `a` with `b-c`.
 */
export function checkComponentFiles(
  requests: readonly CredentialsRequest[],
  { cloud, furtherSecrets = [] }: Pick<IComponentIdentities<unknown>, "cloud" | "furtherSecrets">,
): void {
  const reserved = new Set(furtherSecrets.map(keyOf));
  const bySecret = new Map<string, CredentialsRequest>();
  const byFile = new Map<string, CredentialsRequest>();
  for (const request of requests) {
    const secret = keyOf(request.secret);
    const file = ofRequest(request, () => manifestFile(secretFile(request.secret), SECRETS));
    if (NUMBERED.test(file)) refuseNumbered(request, file);
    if (reserved.has(secret)) refuseReserved(request, secret, cloud);
    const same = bySecret.get(secret);
    if (same) refuseShared(`the Secret ${secret}`, same, request);
    const first = byFile.get(file);
    if (first) refuseShared(`the file ${file}, which is named after namespace and Secret`, first, request);
    bySecret.set(secret, request);
    byFile.set(file, request);
  }
}

function refuseNumbered(request: CredentialsRequest, file: string): never {
  return fail("openshift-invalid", {
    problem: `the Secret of ${requestLabel(request)} would be written to a file whose name begins like those for the running cluster`,
    value: file,
    allowed: "a namespace that does not begin with two digits and a dash",
    remedy: "give the request a secretRef in another namespace",
  });
}

function refuseReserved(request: CredentialsRequest, secret: string, cloud: string): never {
  return fail("openshift-conflict", {
    problem: `${requestLabel(request)} asks for a Secret that the identities of ${cloud} write themselves`,
    value: secret,
    allowed: "any other Secret",
    remedy: "give the request another secretRef, or leave it out",
  });
}

function refuseShared(what: string, first: CredentialsRequest, second: CredentialsRequest): never {
  return fail("openshift-conflict", {
    problem: `${requestLabel(first)} and ${requestLabel(second)} share ${what}, so one would overwrite the other`,
    remedy:
      "remove one of the two, filter by the annotation in which they differ, or give one of them another secretRef",
  });
}

/** Writes `Authentication/cluster`, one Secret per file, and the further Secrets of the cloud. */
export function writeComponentFiles(
  manifests: ClusterManifests,
  issuer: Issuer,
  { grants, secrets }: ComponentsDeclaration,
): void {
  const authentication = AUTHENTICATION_FILE.replace(/\.yaml$/, "");
  new ServiceAccountIssuer(manifests.chart(authentication, AUTHENTICATION), "issuer", { issuer });
  for (const { secret } of grants) writeSecret(manifests, secretFile(secret), secret);
  for (const { file, ...secret } of secrets) writeSecret(manifests, file, secret);
}

/**
 * The cluster's OpenShift version if a construct of the stack has recorded it, as `ImagePulls` does with the version of
 * `openShift()`; otherwise `undefined`.
 */
export function recordedVersion(manifests: ClusterManifests, clusterName: string): string | undefined {
  const openShift = manifests.recorded.find(({ name }) => name === clusterName)?.["openShift"];
  const version = isRecord(openShift) ? openShift["version"] : undefined;
  return typeof version === "string" ? version : undefined;
}

export function writeUpgradeGate(manifests: ClusterManifests, version: string): void {
  new UpgradeableTo(manifests.chart("upgradeable-to", UPGRADE_GATE), "gate", { version });
}

function writeSecret(manifests: ClusterManifests, file: string, secret: ComponentSecret): void {
  new Secret(manifests.chart(file, SECRETS), "secret", secret);
}

function keyOf({ namespace, name }: SecretReference): string {
  return `${namespace}/${name}`;
}

/** The name that `ccoctl` gives the Secret's file, without `.yaml`. */
function secretFile({ namespace, name }: SecretReference): string {
  return `${namespace}-${name}-credentials`;
}
