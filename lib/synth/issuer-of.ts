import { Issuer } from "../model/issuer";
import type { IIssuerHost } from "../model/issuer-host";

/** A cluster's issuer: its URL, to the letter, or what publishes it in this configuration. */
export type GivenIssuer = string | Issuer | IIssuerHost;

/** The issuer; throws `issuer-invalid` or `issuer-trailing-slash`. */
export function issuerOf(given: GivenIssuer): Issuer {
  return typeof given === "object" && "issuer" in given ? given.issuer : Issuer.of(given);
}
