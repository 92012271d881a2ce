import { Issuer } from "../model/issuer";
import type { IIssuerHost } from "../model/issuer-host";

/** A cluster's issuer: its URL, to the letter, or what publishes it in this configuration. */
export type GivenIssuer = string | Issuer | IIssuerHost;

/** The issuer; throws `issuer-invalid` or `issuer-trailing-slash`. */
export function issuerOf(given: GivenIssuer): Issuer {
  const hosted = typeof given === "object" && given !== null && "issuer" in given;
  return Issuer.of(hosted ? given.issuer : given);
}
