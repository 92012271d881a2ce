/*
 * Platform components and workloads: finds what names the identity of each service account, and judges the links in the
 * order in which the SDK and the cloud reach them.
 */

import { type Known, known, same, shown, unread } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { renamedServiceAccount } from "../../rules/openshift/two-releases";
import { type Answer, type CheckResult, broken, pass, seen, unknown } from "../answer";
import type {
  AccessIdentity,
  AccessReading,
  AccountReading,
  Cloud,
  HeldRight,
  TokenQuestion,
  TrustAnswer,
} from "../cloud";
import type { CheckId } from "../check-ids";
import { ofComponent } from "../coverage/open-objects";
import type { ClusterArtefacts } from "../read/clusters";
import type { Source } from "../read/source";
import { type ServiceAccountFact, serviceAccountOf, unwritten } from "../read/service-accounts";
import { Runner, type Step, stepsOf } from "../run";
import { refusedToken } from "../shared/pods";
import type { Verdict } from "../result";
import { plainAnswer } from "../shared/words";
import {
  ANY_ACCOUNT,
  type AccessJob,
  type AccessQuestion,
  type AskedComponent,
  componentQuestions,
  podsByAccount,
  unfilled,
  withIntent,
  workloadQuestions,
} from "./access-questions";
import {
  TRUST_LINKS,
  type TrustFacts,
  UNDERSTOOD,
  accountWritten,
  filesBeside,
  misfilled,
  missing,
  trustOfAll,
  understood,
} from "./links";
import { rightGranted } from "./right-granted";

/** What the links of a component or workload look at. */
export interface AccessFacts extends TrustFacts {
  readonly declared: boolean;
  /** `namespace/name`. */
  readonly key: string;
  /** The service account; `undefined` if it was not read. */
  readonly account: ServiceAccountFact | undefined;
  /** `undefined` for a workload. */
  readonly component: AskedComponent | undefined;
  /** Whether what names the identity is well-formed; `undefined` if the cloud is not known. */
  readonly named: Answer | undefined;
  /** Whether pods get the token and the settings; `undefined` for a component. */
  readonly pods: Answer | undefined;
  /** The identity to act as; `undefined` if nothing names it. */
  readonly identity: AccessIdentity | undefined;
  readonly permission: Answer | undefined;
  readonly token: TokenQuestion;
}

const { link } = stepsOf<AccessFacts>();

const identityFound = link({
  id: "identity-found",
  question: "Is the named identity among the resources?",
  per: ["artefacts", "identity", "component", "account"],
  run: ({ artefacts, identity, component, account }) =>
    misfilled(artefacts, component?.secret ?? account) ?? identity?.found ?? missing("the identity"),
});

const CLOUD: readonly Step<AccessFacts>[] = [
  ...TRUST_LINKS,
  link({
    id: "permissions-granted",
    question: "Does the identity hold every requested permission?",
    per: ["permission"],
    run: ({ permission }) => permission ?? missing("the identity"),
  }),
  link({
    ...UNDERSTOOD,
    per: ["artefacts", "identity", "key", "component"],
    run: ({ artefacts, identity, key, component }) => {
      const files = filesBeside(artefacts, key).map(({ configMap }) => `ConfigMap ${configMap}`);
      return understood(artefacts, identity, key, component ? ofComponent(component.secretKey) : files);
    },
  }),
];

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
      question: "Does the Secret hold what the component's SDK reads, and nothing that overrides it?",
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
        // If nothing on it is needed, it may be another team's, which writes it elsewhere.
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

/** Annotations of requests that a release has only for some clusters. */
const OPTIONAL: readonly string[] = [
  "capability.openshift.io/name",
  "release.openshift.io/feature-gate",
  "release.openshift.io/feature-set",
];

function secretPresent(
  { refused, authentication }: ClusterArtefacts,
  { secret, secretKey, request }: AskedComponent,
  declared: boolean,
): Answer {
  const evidence = request === undefined ? [] : [seen(`CredentialsRequest ${request.name}`, request.source)];
  if (secret) return pass(`the Secret ${secretKey} exists`, seen("Secret", secret.source), evidence);
  const gates = [...(request?.annotations.keys() ?? [])].filter((key) => OPTIONAL.includes(key));
  if (!declared && gates.length > 0)
    return unknown(
      `the Secret ${secretKey} was not read; by ${gates.join(", ")}, its request is only for some clusters`,
      "also give explain its manifest, or leave the request out if the cluster does not have the component",
      evidence,
    );
  const [refusal] = refused.get(`Secret ${secretKey}`) ?? [];
  if (!declared && !refusal && authentication === undefined)
    return unknown(
      `the Secret ${secretKey} was not read; unless credentialsMode is Manual, the Cloud Credential Operator writes it`,
      "also give explain its manifest, and that of Authentication/cluster",
      evidence,
    );
  return broken(
    refusal
      ? `the Secret ${secretKey} is treated as absent: ${refusal.reason}`
      : `the Secret ${secretKey} is in none of the manifests`,
    "write it, or name the manifest that has it",
    `secret "${namespacedName(secretKey).name}" not found`,
    refusal ? [seen("Secret", refusal.source)] : [],
    evidence,
  );
}

function issuerConfigured({ authentication, cluster }: ClusterArtefacts, declared: boolean): Answer {
  if (authentication === undefined)
    return declared
      ? broken(
          "no manifest of Authentication/cluster names the issuer",
          "add cluster-authentication-02-config.yaml to the installer's manifests",
          undefined,
        )
      : unknown(
          "Authentication/cluster was not read",
          "also give explain its manifest; the tokens carry its serviceAccountIssuer",
        );
  const { issuer, source } = authentication;
  const where = seen("serviceAccountIssuer", source);
  const isMissing = same<string | undefined>(issuer, known(undefined)) === "yes";
  const isRecorded = cluster.issuer !== undefined;
  const isOther = isRecorded && same<string | undefined>(cluster.issuer, issuer) === "no";
  if (!isMissing && !isOther) return pass(`the cluster's tokens have the issuer ${shown(issuer)}`, where);
  const says = isMissing ? "has no serviceAccountIssuer" : `has the issuer ${shown(issuer)}`;
  const wanted = isRecorded ? `, but ${shown(cluster.issuer)} is recorded` : "";
  return broken(
    `Authentication/cluster ${says}${wanted}`,
    "write exactly the issuer into spec.serviceAccountIssuer",
    undefined,
    where,
  );
}

export interface JudgedAccess {
  /** `namespace/name` of the service account. */
  readonly subject: string;
  /** The Secret of a component; the cloud of a workload. */
  readonly target: string;
  readonly verdict: Verdict;
  /** The identity; `null` if it is denied or not known. */
  readonly as: string | null;
  readonly checks: readonly CheckResult[];
  /** As `checks`, with the links after the first broken one judged as if it held. */
  readonly stacked: () => readonly CheckResult[];
  /** What the identity was granted; empty if its trust refuses the service account. */
  readonly held: () => readonly HeldRight[];
  /** What a workload is recorded, or a component asks, to be granted; `undefined` if nothing shows it. */
  readonly meant: () => readonly HeldRight[] | undefined;
  /** The identity whose rights these are; also `undefined` if its trust refuses the service account. */
  readonly acting: { readonly label: string; readonly source: Source | undefined } | undefined;
}

const OF_TRUST: readonly CheckId[] = ["issuer-trusted", "audience-accepted", "subject-admitted"];

export interface NamedIdentity {
  readonly key: string;
  readonly identity: AccessIdentity;
  readonly audiences: readonly Known<string>[];
}

/** What names an identity, and the audiences of its tokens. */
interface Named extends Partial<AccessReading> {
  readonly pods: Answer | undefined;
  readonly audiences: readonly Known<string>[];
}

export class Accesses {
  readonly #clouds: readonly Cloud[];

  constructor(clouds: readonly Cloud[]) {
    this.#clouds = clouds;
  }

  /**
   * The results of a cluster for the questions that are asked. `entering` are the service accounts of controllers that
   * enter spokes, or all of a namespace: a separate job, which needs no rights in the cloud.
   */
  *of(
    artefacts: ClusterArtefacts,
    job: AccessJob,
    isAsked: (question: AccessQuestion) => boolean,
    entering: ReadonlySet<string>,
  ): Generator<JudgedAccess> {
    for (const question of this.#questions(artefacts, job, entering))
      if (isAsked(question)) yield this.#judged(question);
  }

  /** The identities that components and workloads name, and the audiences of their tokens. */
  *identities(artefacts: ClusterArtefacts, entering: ReadonlySet<string>): Generator<NamedIdentity> {
    for (const job of ["component", "workload"] as const)
      for (const question of this.#questions(artefacts, job, entering)) {
        const { identity, audiences } = this.#named(question);
        if (identity) yield { key: question.key, identity, audiences };
      }
  }

  #questions(
    artefacts: ClusterArtefacts,
    job: AccessJob,
    entering: ReadonlySet<string>,
  ): readonly AccessQuestion[] {
    const acts = (cloud: Cloud, key: string): boolean =>
      ![key, `${namespacedName(key).namespace}/*`].some((each) => entering.has(each)) &&
      this.#reading(artefacts, cloud, key, false) !== undefined;
    return job === "component"
      ? componentQuestions(artefacts, this.#clouds)
      : workloadQuestions(artefacts, this.#clouds, acts);
  }

  /** How a workload finds its identity in a cloud; `undefined` for one that does not act there. */
  #reading(
    artefacts: ClusterArtefacts,
    { access }: Cloud,
    key: string,
    declared: boolean,
  ): AccountReading | undefined {
    const pods = podsByAccount(artefacts).get(key) ?? [];
    const account = serviceAccountOf(artefacts, key) ?? unwritten(key);
    const reading = access.account({
      account,
      pods,
      fragment: artefacts.podFragments.get(key),
      files: filesBeside(artefacts, key),
      declared,
      program: new Map(),
      native: true,
      cluster: artefacts.cluster,
      webhooks: artefacts.webhooks,
      granted: (right) => rightGranted(artefacts, key, right),
    });
    if (reading === undefined) return undefined;
    const open = unfilled(account);
    const isOpen = open && reading.answer.status !== "fail" && reading.identity?.found.status !== "pass";
    return {
      ...reading,
      answer: isOpen ? open : reading.answer,
      pods: refusedToken(pods) ?? reading.pods,
    };
  }

  #judged(question: AccessQuestion): JudgedAccess {
    const { job, key, component, cloud, asks } = question;
    const chain = accessRunners[job].run(this.#facts(question));
    const { verdict, checks, facts } = chain;
    const { identity } = facts;
    const isLetIn = checks.every(({ id, status }) => !OF_TRUST.includes(id) || status !== "fail");
    return {
      subject: key,
      target: component?.secretKey ?? cloud?.cloud ?? "",
      verdict,
      as: verdict === "denied" ? null : (identity?.label ?? null),
      checks,
      stacked: () => chain.stacked(),
      held: () => (isLetIn ? (identity?.held(facts.token) ?? []) : []),
      meant: () => (asks ? identity?.meant(asks, facts.token) : undefined),
      acting:
        !isLetIn || identity === undefined
          ? undefined
          : { label: identity.label, source: identity.found.evidence[0]?.source },
    };
  }

  #named({ artefacts, cloud, key, component, declared }: AccessQuestion): Named {
    const workload = component ? undefined : cloud && this.#reading(artefacts, cloud, key, declared);
    const secret =
      component?.secret && cloud?.access.secret(component.secret, component.tokenPath, artefacts.secrets);
    const audiences = component ? [known(component.audience)] : (workload?.audiences ?? []);
    return { ...(workload ?? secret), pods: workload?.pods, audiences };
  }

  #facts(question: AccessQuestion): AccessFacts {
    const { artefacts, key, component, declared, asks } = question;
    const { identity, answer: named, pods, audiences } = this.#named(question);
    const token = tokenOf(artefacts, key, audiences);
    const permission = identity?.permissions(asks, token);
    return {
      artefacts,
      declared,
      key,
      account: serviceAccountOf(artefacts, key),
      component,
      named,
      pods,
      identity,
      token,
      trust: identity && subjectNamed(trustOfAll(identity, token, audiences, artefacts), key),
      permission: permission && withIntent(permission, component?.intent),
    };
  }
}

/** The token of a service account, for the first of several audiences. */
export function tokenOf(
  { issuer }: ClusterArtefacts,
  key: string,
  [audience = unread("the audience of the token is not known")]: readonly Known<string>[],
): TokenQuestion {
  return { issuer, audience, ...namespacedName(key) };
}

/** The cloud's answer about the subject; explains a service account that OpenShift has renamed. */
function subjectNamed(trust: TrustAnswer, key: string): TrustAnswer {
  const { namespace, name } = namespacedName(key);
  const { subject } = trust;
  if (name === ANY_ACCOUNT)
    return {
      ...trust,
      subject: unknown(
        "which service accounts the component has is not known",
        "also give explain the folder of its CredentialsRequest",
        subject.evidence,
      ),
    };
  const history = subject.status === "fail" ? renamedServiceAccount(namespace, name) : undefined;
  if (history === undefined) return trust;
  return { ...trust, subject: { ...plainAnswer(subject), reason: `${subject.reason}; ${history}` } };
}
