/*
 * Platform components and workloads: the links in the order in which SDK and cloud come to them.
 */

import { known, same, shown } from "../../model/known";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { AccessIdentity } from "../cloud";
import type { ClusterArtefacts } from "../read/facts";
import type { ServiceAccountFact } from "../read/service-accounts";
import { Runner, type Step, stepsOf } from "../run";
import type { AccessJob, AskedComponent } from "./access-questions";
import { TRUST_LINKS, type TrustFacts, accountWritten, missing } from "./links";

/** What the links of a component or workload look at. */
export interface AccessFacts extends TrustFacts {
  /** True where it is recorded. */
  readonly declared: boolean;
  /** `namespace/name`. */
  readonly key: string;
  /** The service account; `undefined` where it was not read. */
  readonly account: ServiceAccountFact | undefined;
  /** `undefined` for a workload. */
  readonly component: AskedComponent | undefined;
  /** Whether what names the identity is right in itself; `undefined` where the cloud is not known. */
  readonly named: Answer | undefined;
  /** Whether pods get token and settings; `undefined` for a component. */
  readonly pods: Answer | undefined;
  /** As whom; `undefined` where nothing names it. */
  readonly identity: AccessIdentity | undefined;
  readonly permission: Answer | undefined;
}

const { link } = stepsOf<AccessFacts>();

const identityFound = link({
  id: "identity-found",
  question: "Is the identity that is named among the resources?",
  per: ["identity"],
  run: ({ identity }) => identity?.found ?? missing("the identity"),
});

const CLOUD: readonly Step<AccessFacts>[] = [
  ...TRUST_LINKS,
  link({
    id: "permissions-granted",
    question: "Does the identity hold every permission that is asked for?",
    per: ["permission"],
    run: ({ permission }) => permission ?? missing("the identity"),
  }),
];

/** The links of each job. */
export const accessRunners: Readonly<Record<AccessJob, Runner<AccessFacts>>> = {
  component: new Runner([
    link({
      id: "secret-present",
      question: "Is the Secret that the component reads among the manifests?",
      per: ["artefacts", "component", "declared"],
      run: ({ artefacts, component, declared }) =>
        component ? secretPresent(artefacts, component, declared) : missing("the Secret"),
    }),
    link({
      id: "secret-well-formed",
      question: "Does the Secret say what the component's SDK reads, and nothing that wins over it?",
      per: ["named"],
      run: ({ named }) => named ?? missing("the cloud of the Secret"),
    }),
    identityFound,
    link({
      id: "issuer-configured",
      question: "Does the cluster write the issuer into its tokens?",
      per: ["artefacts", "declared"],
      run: ({ artefacts, declared }) => issuerConfigured(artefacts, declared),
    }),
    ...CLOUD,
  ]),
  workload: new Runner([
    link({
      id: "account-present",
      question: "Is the workload's service account among the objects of the cluster?",
      per: ["artefacts", "key", "account", "named"],
      run: ({ artefacts, key, account, named }) =>
        // Where nothing on it is needed, it may be another team's, which writes it elsewhere.
        accountWritten(artefacts, key, account, named?.status === "pass", "error looking up service account"),
    }),
    link({
      id: "account-annotated",
      question: "Do annotations or a credential file name the identity of the workload?",
      per: ["named"],
      run: ({ named }) => named ?? missing("the cloud of the workload"),
    }),
    link({
      id: "pods-configured",
      question: "Do the workload's pods get a token and know where it is, as far as can be seen?",
      per: ["pods"],
      run: ({ pods }) => pods ?? missing("the cloud of the workload"),
    }),
    identityFound,
    ...CLOUD,
  ]),
};

/** Annotations by which a release's request is not for every cluster. */
const OPTIONAL: readonly string[] = [
  "capability.openshift.io/name",
  "release.openshift.io/feature-gate",
  "release.openshift.io/feature-set",
];

function secretPresent(
  { refused }: ClusterArtefacts,
  { secret, secretKey, request }: AskedComponent,
  declared: boolean,
): Answer {
  const asked = request === undefined ? [] : [seen(`CredentialsRequest ${request.name}`, request.source)];
  if (secret) return pass(`the Secret ${secretKey} exists`, seen("Secret", secret.source), ...asked);
  const gates = [...(request?.annotations.keys() ?? [])].filter((key) => OPTIONAL.includes(key));
  if (!declared && gates.length > 0)
    return unknown(
      `the Secret ${secretKey} is not among what was read; its request is for some clusters only, by ${gates.join(", ")}`,
      "name its manifest as well, or leave the request out where the cluster does not have the component",
      ...asked,
    );
  const [refusal] = refused.get(`Secret ${secretKey}`) ?? [];
  return broken(
    refusal
      ? `the Secret ${secretKey} counts as absent: ${refusal.reason}`
      : `the Secret ${secretKey} is in none of the manifests`,
    "write it, or name the manifest that has it",
    `secret "${secretKey.split("/")[1] ?? ""}" not found`,
    ...(refusal ? [seen("Secret", refusal.source)] : []),
    ...asked,
  );
}

function issuerConfigured({ authentication, cluster }: ClusterArtefacts, declared: boolean): Answer {
  if (authentication === undefined)
    return declared
      ? broken(
          "no manifest Authentication/cluster says the issuer",
          "add cluster-authentication-02-config.yaml to the installer's manifests",
          undefined,
        )
      : unknown(
          "Authentication/cluster is not among what was read",
          "name its manifest as well; its serviceAccountIssuer is what the tokens say",
        );
  const { issuer, source } = authentication;
  const where = seen("serviceAccountIssuer", source);
  const isMissing = same<string | undefined>(issuer, known(undefined)) === "yes";
  const isRecorded = cluster.issuer !== undefined;
  const isOther = isRecorded && same<string | undefined>(cluster.issuer, issuer) === "no";
  if (!isMissing && !isOther) return pass(`the cluster's tokens are of ${shown(issuer)}`, where);
  const says = isMissing ? "has no serviceAccountIssuer" : `says ${shown(issuer)}`;
  const wanted = isRecorded ? `, recorded is ${shown(cluster.issuer)}` : "";
  return broken(
    `Authentication/cluster ${says}${wanted}`,
    "write exactly the issuer into spec.serviceAccountIssuer",
    undefined,
    where,
  );
}
