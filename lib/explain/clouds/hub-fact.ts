/** The cluster of a workload, as far as it bears on the pods. */
export interface HubFact {
  /** Clouds whose pod identity webhook runs there; `undefined` where nobody said it. */
  readonly webhooks: readonly string[] | undefined;
  /** The issuer; `undefined` where it is not known. */
  readonly issuer: string | undefined;
}
