import { fail } from "../../errors";
import { literal } from "../../model/late";
import { type AzureCloudName, azureCloud, azureClouds } from "./clouds";

/** The parts of a login server. */
export interface LoginServer {
  /** The whole host, as in image names. */
  readonly host: string;
  /** The registry's name, in lower case. */
  readonly registryName: string;
  /** The region of a regional host; `undefined` for the registry's own host. */
  readonly region: string | undefined;
  /** The registry's own host, without region: the same for all hosts of one registry, and globally unique. */
  readonly home: string;
  /** The cloud to which the suffix belongs. */
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
  [/[A-Z]/, "has upper-case letters, but the kubelet compares the letter case of hosts"],
  [/\.data\./, "is a data endpoint, but clients log in at the registry's own host"],
  [/[:/]/, "has a scheme, port or path"],
];

export function parseLoginServer(host: string): LoginServer {
  const [, label, registryName, region, suffix] = HOST.exec(literal(host, "loginServer")) ?? [];
  const cloud = azureClouds.find((known) => known.acrSuffix === suffix);
  if (label === undefined || registryName === undefined || cloud === undefined) {
    const reason = REASONS.find(([pattern]) => pattern.test(host))?.[1];
    return fail("azure-invalid", {
      problem: `the login server ${reason ?? "is not a host of a container registry"}`,
      value: host,
      allowed: "<name>.<suffix>, <name>-<hash>.<suffix> or <name>.<region>.geo.<suffix>, in lower case",
      remedy: "copy it from `az acr show --query loginServer`",
    });
  }
  return { host, registryName, region, home: `${label}.${cloud.acrSuffix}`, cloud: cloud.name };
}

/** The login server of a registry without a domain name label: its name in lower case and the cloud's suffix. */
export function loginServerOf(registryName: string, cloud: AzureCloudName): string {
  return `${registryName.toLowerCase()}.${azureCloud(cloud).acrSuffix}`;
}

const MAX = 255;

/** Repository names as registries accept them (opencontainers/distribution-spec, "Pulling manifests", `<name>`). */
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

/**
 * Checks patterns and returns the shortest equivalent list, sorted; `undefined` means every repository.
 *
 * A pattern is a repository, or a prefix that ends in a slash and a star. These are the two comparisons that a role
 * assignment's condition can make without also covering neighbours: `team*` would cover `team-backup/x`.
 */
export function repositoryPatterns(patterns: readonly string[] | undefined): readonly string[] | undefined {
  if (patterns === undefined) return undefined;
  if (patterns.length === 0)
    return invalidRepository(patterns, "list is empty; remove it to allow every repository");
  for (const pattern of patterns) checkPattern(pattern);
  return patterns.includes("*") ? undefined : withoutCovered([...new Set(patterns)].sort());
}

/** The union of two lists, either of which may mean every repository. */
export function joinPatterns(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  return one && other && withoutCovered([...new Set([...one, ...other])].sort());
}

function invalidRepository(value: unknown, reason: string): never {
  return fail("azure-invalid", {
    problem: `repository ${reason}`,
    value,
    allowed: "a repository such as shop/web, or a prefix that ends in /* such as shop/*",
    remedy: "state the repository without registry, tag and digest",
  });
}

function checkPattern(pattern: string): void {
  const name = literal(pattern, "repositories").replace(/\/\*$/, "");
  if (pattern === "*") return;
  if (isRegistryHost(name.split("/", 1)[0] ?? ""))
    invalidRepository(pattern, "begins with the host of a registry");
  if (name.includes("*")) invalidRepository(pattern, "has a star other than after the last slash");
  if (name.length > MAX) invalidRepository(pattern, `is longer than ${MAX} characters`);
  if (!REPOSITORY.test(name)) invalidRepository(pattern, "is not a repository name");
}

/** Hosts of other registries may start a repository's name: tools that copy whole registries keep them in the path. */
function isRegistryHost(segment: string): boolean {
  return azureClouds.some(({ acrSuffix }) => segment.toLowerCase().endsWith(`.${acrSuffix}`));
}

function covers(pattern: string, repository: string): boolean {
  return pattern.endsWith("*") ? repository.startsWith(pattern.slice(0, -1)) : pattern === repository;
}

function withoutCovered(patterns: readonly string[]): readonly string[] {
  return patterns.filter(
    (pattern) => !patterns.some((other) => other !== pattern && covers(other, pattern.replace(/\*$/, ""))),
  );
}
