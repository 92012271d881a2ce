import { toBytes } from "./kubelet/go-text";
import { type GoUrl, parseSchemelessUrl } from "./kubelet/go-url";

/**
 * Registries that each plugin serves, as matchImages patterns; a pattern outside of them would hand tokens to
 * the plugin for images of somebody else.
 */
const REGISTRIES: Readonly<Record<string, readonly string[]>> = {
  ecr: [
    ...[
      "amazonaws.com",
      "amazonaws.com.cn",
      "amazonaws.eu",
      "c2s.ic.gov",
      "sc2s.sgov.gov",
      "cloud.adc-e.uk",
      "csp.hci.ic.gov",
    ].flatMap((suffix) => [`*.dkr.ecr.*.${suffix}`, `*.dkr.ecr-fips.*.${suffix}`]),
    ...["on.aws", "on.amazonwebservices.com.cn"].flatMap((suffix) => [
      `*.dkr-ecr.*.${suffix}`,
      `*.dkr-ecr-fips.*.${suffix}`,
    ]),
    "public.ecr.aws",
    "ecr-public.aws.com",
  ],
  acr: ["io", "cn", "de", "us"].flatMap((tld) => [`*.azurecr.${tld}`, `*.*.geo.azurecr.${tld}`]),
  gcp: ["container.cloud.google.com", "gcr.io", "*.gcr.io", "*.pkg.dev"],
};

/** The patterns of the registries that a plugin serves; empty for a plugin that is not known. */
export function registriesOf(plugin: string): readonly string[] {
  return REGISTRIES[plugin] ?? [];
}

/**
 * True when each image that the pattern matches is also matched by one of the wider patterns; host and path are
 * those that the kubelet reads in them. False for a pattern that it cannot read.
 */
export function isWithin(pattern: string, wider: readonly string[]): boolean {
  const narrow = parseSchemelessUrl(toBytes(pattern));
  if ("error" in narrow) return false;
  return wider.some((candidate) => {
    const wide = parseSchemelessUrl(toBytes(candidate));
    return !("error" in wide) && covers(wide, narrow);
  });
}

function covers(wide: GoUrl, narrow: GoUrl): boolean {
  const [outer, inner] = [wide.host.split("."), narrow.host.split(".")];
  const hosts =
    outer.length === inner.length && outer.every((part, index) => part === "*" || part === inner[index]);
  return hosts && narrow.path.startsWith(wide.path);
}
