/*
 * Platform components and workloads: the links in the order in which SDK and cloud come to them.
 */

import { known, same, shown } from "../../model/known";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { AccessIdentity, TrustAnswer } from "../cloud";
import type { ClusterArtefacts } from "../read/facts";
import type { ServiceAccountFact } from "../read/service-accounts";
import { type Source, sourceText } from "../read/source";
import { Runner, stepsOf } from "../run";
import type { AccessJob, AskedComponent } from "./access-questions";
import { issuerConfirmed } from "./trust";

/** What the links of a component or workload look at. */
export interface AccessFacts {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
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
  /** What the cloud says of the token. */
  readonly trust: TrustAnswer | undefined;
  /** What the cloud says of the identity. */
  readonly permission: Answer | undefined;
}

function missing(what: string): Answer {
  return unknown(`${what} is not known`, "see the checks before");
}

const { link } = stepsOf<AccessFacts>();

const identityFound = link({
  id: "identity-found",
  question: "Is the identity that is named among the resources?",
  why: "A cloud answers the same for an identity that does not exist and for one that may not be used.",
  per: ["artefacts", "identity", "component", "account"],
  run: ({ artefacts, identity, component, account }) =>
    misfilled(artefacts, component?.secret ?? account) ?? identity?.found ?? missing("the identity"),
});

/** An identity that `bind` was given and that is none of what the state has in its place. */
function misfilled(
  artefacts: ClusterArtefacts,
  named: { readonly documents: readonly Source[] } | undefined,
): Answer | undefined {
  for (const source of named?.documents ?? []) {
    const said = artefacts.misfilled.get(sourceText(source));
    if (said !== undefined)
      return broken(
        `${said}: the outputs were of another cluster, or old`,
        "run bind again with the outputs of this state",
        undefined,
        seen("what bind wrote", source),
      );
  }
  return undefined;
}

/** What follows once it is known whom to act as. */
const CLOUD = [
  link({
    id: "issuer-trusted",
    question: "Does the cloud trust the issuer of the cluster's tokens?",
    why: "Clouds compare it exactly; a slash at the end or another host makes it a stranger.",
    per: ["artefacts", "trust"],
    run: ({ artefacts, trust }) => (trust ? issuerConfirmed(trust.issuer, artefacts) : missing("the cloud")),
  }),
  link({
    id: "audience-accepted",
    question: "Does the cloud accept the audience?",
    why: "A token for another audience is refused; the audience is written in four places that must agree.",
    per: ["artefacts", "trust"],
    run: ({ trust }) => trust?.audience ?? missing("the cloud"),
  }),
  link({
    id: "subject-admitted",
    question: "Does the cloud admit this service account?",
    why: "The identity is for named service accounts only; another namespace or name must not become it.",
    per: ["artefacts", "trust"],
    run: ({ trust }) => trust?.subject ?? missing("the cloud"),
  }),
  link({
    id: "permissions-granted",
    question: "Does the identity hold every permission that is asked for?",
    why: "One missing permission stops a component in the middle of its work, often long after the installation.",
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
      why: "In manual mode nothing else writes it, and the component waits for it without end.",
      per: ["component", "declared"],
      run: ({ component, declared }) =>
        component ? secretPresent(component, declared) : missing("the Secret"),
    }),
    link({
      id: "secret-well-formed",
      question: "Does the Secret say what the component's SDK reads, and nothing that wins over it?",
      why: "A wrong key or path is met only when the component first calls the cloud; a long-lived key in it would be used instead.",
      per: ["named"],
      run: ({ named }) => named ?? missing("the cloud of the Secret"),
    }),
    identityFound,
    link({
      id: "issuer-configured",
      question: "Does the cluster write the issuer into its tokens?",
      why: "Without Authentication/cluster the tokens are of https://kubernetes.default.svc, which no cloud can look up.",
      per: ["artefacts", "declared"],
      run: ({ artefacts, declared }) => issuerConfigured(artefacts, declared),
    }),
    ...CLOUD,
  ]),
  workload: new Runner([
    link({
      id: "account-present",
      question: "Is the workload's service account among the objects of the cluster?",
      why: "The token is the service account's; a pod that names one that does not exist is not created.",
      per: ["key", "account", "named"],
      run: ({ key, account, named }) => accountPresent(key, account, named),
    }),
    link({
      id: "account-annotated",
      question: "Do annotations or a credential file name the identity of the workload?",
      why: "The webhook and the SDK find the identity there; without it pods start and have no credentials.",
      per: ["named"],
      run: ({ named }) => named ?? missing("the cloud of the workload"),
    }),
    link({
      id: "pods-configured",
      question: "Do the workload's pods get a token and know where it is, as far as can be seen?",
      why: "What the pods themselves must have is written in other manifests, and nothing complains where it is missing.",
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

function secretPresent({ secret, secretKey, request }: AskedComponent, declared: boolean): Answer {
  const asked = request === undefined ? [] : [seen(`CredentialsRequest ${request.name}`, request.source)];
  if (secret) return pass(`the Secret ${secretKey} exists`, seen("Secret", secret.source), ...asked);
  const gates = [...(request?.annotations.keys() ?? [])].filter((key) => OPTIONAL.includes(key));
  if (!declared && gates.length > 0)
    return unknown(
      `the Secret ${secretKey} is not among what was read; its request is for some clusters only, by ${gates.join(", ")}`,
      "name its manifest as well, or leave the request out where the cluster does not have the component",
      ...asked,
    );
  return broken(
    `the Secret ${secretKey} is in none of the manifests`,
    "write it, or name the manifest that has it",
    `secret "${secretKey.split("/")[1] ?? ""}" not found`,
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
  const remedy = "write exactly the issuer into spec.serviceAccountIssuer";
  if (same<string | undefined>(issuer, known(undefined)) === "yes")
    return broken("Authentication/cluster has no serviceAccountIssuer", remedy, undefined, where);
  if (cluster.issuer !== undefined && same<string | undefined>(cluster.issuer, issuer) === "no")
    return broken(
      `Authentication/cluster says ${shown(issuer)}, recorded is ${shown(cluster.issuer)}`,
      remedy,
      undefined,
      where,
    );
  return pass(`the cluster's tokens are of ${shown(issuer)}`, where);
}

function accountPresent(
  key: string,
  account: ServiceAccountFact | undefined,
  named: Answer | undefined,
): Answer {
  const [namespace = "", name = ""] = key.split("/");
  if (account?.source)
    return pass(`the service account ${key} exists`, seen("ServiceAccount", account.source));
  if (account) return pass(`the service account ${key} exists, as every namespace has one of that name`);
  // Where nothing on it is needed, it may be another team's, which writes it elsewhere.
  return named?.status === "pass"
    ? unknown(`the service account ${key} is not among what was read`, "name its manifest as well")
    : broken(
        `the service account ${key} is in none of the manifests`,
        `add a ServiceAccount ${name} in namespace ${namespace}, or name the manifest that has it`,
        `error looking up service account ${key}: serviceaccount "${name}" not found`,
      );
}
