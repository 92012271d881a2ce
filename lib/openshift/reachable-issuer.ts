import { fail } from "../errors";
import { GivenIssuer, Issuer } from "../model/issuer";

/**
 * Returns an issuer whose keys clouds can fetch; throws `issuer-invalid`, `issuer-trailing-slash` or
 * `issuer-cluster-internal`.
 *
 * No plugin of OpenShift pulls from a cloud that takes uploaded keys, so an internal issuer can serve nothing here.
 */
export function reachableIssuer(issuer: GivenIssuer): Issuer {
  const checked = Issuer.of(issuer);
  return checked.clusterInternal ? fail("issuer-cluster-internal", checked.url, "clouds") : checked;
}
