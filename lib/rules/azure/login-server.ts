import { fail } from "../../errors";
import { literal } from "../../model/late";
import { type AzureCloudName, azureCloud, azureClouds } from "./clouds";

/** A login server taken apart. */
export interface LoginServer {
  /** The whole host, as in image names. */
  readonly host: string;
  /** The registry's name, in lower case. */
  readonly registryName: string;
  /** The region of a regional host, `undefined` for the registry's own host. */
  readonly region: string | undefined;
  /** The registry's own host, without region: the same for every host of one registry, and unique in the world. */
  readonly home: string;
  /** The cloud that the suffix belongs to. */
  readonly cloud: AzureCloudName;
}

const SUFFIXES = azureClouds.map((cloud) => cloud.acrSuffix.replace(".", "\\.")).join("|");

/**
 * Registry name 5 to 50 letters and digits; a hash follows a hyphen when the registry was created with a domain
 * name label scope; regional hosts have `.<region>.geo` before the suffix (kubernetes-sigs/cloud-provider-azure
 * issue 9975).
 */
const HOST = new RegExp(`^(([a-z0-9]{5,50})(?:-[a-z0-9]+)?)(?:\\.([a-z0-9]+)\\.geo)?\\.(${SUFFIXES})$`);

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/[A-Z]/, "has upper-case letters; the kubelet compares hosts with their letter case"],
  [/\.data\./, "is a data endpoint; clients log in at the registry's own host"],
  [/[:/]/, "has a scheme, port or path"],
];

/** Reads a login server; throws `acr-login-server-invalid` or `late-value`. */
export function parseLoginServer(host: string): LoginServer {
  const [, label, registryName, region, suffix] = HOST.exec(literal(host, "loginServer")) ?? [];
  const cloud = azureClouds.find((known) => known.acrSuffix === suffix);
  if (label === undefined || registryName === undefined || cloud === undefined) {
    const reason = REASONS.find(([pattern]) => pattern.test(host))?.[1];
    return fail("acr-login-server-invalid", host, reason ?? "is not a host of a container registry");
  }
  return { host, registryName, region, home: `${label}.${cloud.acrSuffix}`, cloud: cloud.name };
}

/** The login server of a registry without domain name label: its name in lower case and the cloud's suffix. */
export function loginServerOf(registryName: string, cloud: AzureCloudName): string {
  return `${registryName.toLowerCase()}.${azureCloud(cloud).acrSuffix}`;
}
