import { Clouds } from "../../explain/clouds/clouds";
import { exchangeTrust } from "../../explain/clouds/google/trust";
import { poolProviders } from "../../explain/clouds/google/workload-identity";
import { type ReadIdentities, links } from "./identity";

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The project's number stands in no argument of a pool provider; only its default audience holds it. */
const NUMBER = "${project.number}";

/** The workload identity pool providers that a stack declares. */
export const googlePoolProviders: ReadIdentities = (terraform, own) => {
  const facts = new Map(
    poolProviders(terraform, new Clouds(terraform).issuers).map((fact) => [fact.source, fact]),
  );
  return own("google_iam_workload_identity_pool_provider").flatMap((resource) => {
    const poolProvider = facts.get(resource.source);
    if (poolProvider === undefined) return [];
    const { poolId, providerId } = poolProvider;
    return [
      {
        address: resource.address,
        names: [resource.address, providerId, `${poolId}/${providerId}`],
        admits: ({ iss, sub, aud }) => {
          const [, namespace = "", name = ""] = SERVICE_ACCOUNT.exec(sub) ?? [];
          return links(
            exchangeTrust({
              exchange: { kind: "custom", projectNumber: NUMBER, poolId, providerId },
              poolProvider,
              issuer: iss,
              audience: aud,
              claims: { subject: sub, namespace, name },
            }),
          );
        },
      },
    ];
  });
};
