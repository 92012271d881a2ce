/*
 * How a cloud judges who acts in it other than by pulling: OpenShift's components by their Secrets, workloads by the
 * annotations and files of their pods. A cloud declares it in its own folder.
 */

import type { Answer } from "../answer";
import type { Json } from "../facts/access";
import type { CredentialFileFact, SecretFact } from "../facts/component-facts";
import type { ServiceAccountFact } from "../facts/kubernetes-facts";
import type { PodFact } from "../facts/pod-fragments";
import type { HubFact } from "./hub-fact";

/** Whose token is shown. */
export interface AccessToken {
  /** `iss`; `undefined` where it is not known. */
  readonly issuer: string | undefined;
  /** The only entry of `aud`; `undefined` where it is not known. */
  readonly audience: string | undefined;
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly name: string;
}

/** Whether a cloud takes the token, link by link. */
export interface AccessTrust {
  /** Whether the issuer is trusted. */
  readonly issuer: Answer;
  /** Whether the audience is accepted. */
  readonly audience: Answer;
  /** Whether the subject is admitted. */
  readonly subject: Answer;
}

/** What somebody is meant to have. */
export interface AskedRights {
  /** In the form of a request's provider part. */
  readonly rights: Json;
  /** Where it counts: scopes of Azure, `projects/<id>` of Google; empty where the rights say it, or nobody does. */
  readonly places: readonly string[];
}

/** What a Secret, an annotation or a file says to act as. */
export interface AccessIdentity {
  /** For people and for `as`: an ARN, a client id, an e-mail address. */
  readonly label: string;
  /** Whether it was found in Terraform. */
  readonly found: Answer;
  /** Judges the exchange of a token. */
  trust(token: AccessToken): AccessTrust;
  /** Whether all that is asked for is granted; with nothing asked for, whether anything is. */
  permissions(asked: AskedRights | undefined, token: AccessToken): Answer;
}

/** What was found for a token's bearer. */
export interface AccessReading {
  /** Whether what names the identity is right in itself. */
  readonly answer: Answer;
  /** What it names; `undefined` where it names nothing. */
  readonly identity: AccessIdentity | undefined;
}

/** A workload that is asked about. */
export interface AccountQuestion {
  /** The service account. */
  readonly account: ServiceAccountFact;
  /** The pods that run as it. */
  readonly pods: readonly PodFact[];
  /** What somebody wrote that its pods need; `undefined` where nobody did. */
  readonly fragment: PodFact | undefined;
  /** The files with credentials of its namespace. */
  readonly files: readonly CredentialFileFact[];
  /** True where somebody recorded that it acts in this cloud. */
  readonly declared: boolean;
  /**
   * Variables that the asking program has besides those of its container, and above them.
   *
   * @defaultValue - none
   */
  readonly program?: ReadonlyMap<string, string>;
  /**
   * The cluster.
   *
   * @defaultValue - one where the webhook of each cloud runs
   */
  readonly hub?: HubFact;
}

/** What was found for a workload. */
export interface AccountReading extends AccessReading {
  /** Whether its pods get a token and are told where it is, as far as can be seen. */
  readonly pods: Answer;
  /** The audiences of the tokens that its pods show, each once; empty where none is known. */
  readonly audiences: readonly string[];
}

/** A cloud, over the resources that were read. */
export interface CloudAccess {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** Kind of the provider part of its CredentialsRequests. */
  readonly providerKind: string;
  /** The provider part of a request for recorded permissions in words; what has another form is left out. */
  asksFor(words: readonly string[]): Json;
  /** Rights in the form of a request's provider part, each by itself in words, to compare two. */
  inWords(rights: Json): readonly string[];
  /** True for a Secret that leads an SDK of this cloud to a token, rightly or wrongly. */
  recognizes(secret: SecretFact): boolean;
  /**
   * Reads the Secret of a component whose token is at that path, `undefined` where nothing says where it is; beside it
   * are all Secrets of the cluster, by `namespace/name`.
   */
  secret(
    secret: SecretFact,
    tokenPath: string | undefined,
    beside: ReadonlyMap<string, SecretFact>,
  ): AccessReading;
  /** Reads a workload; `undefined` for one that does not act in this cloud. */
  account(question: AccountQuestion): AccountReading | undefined;
}
