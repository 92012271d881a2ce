/** One thing that a kubelet refuses, or that a lint warns about, in a CredentialProviderConfig. */
export interface ConfigIssue {
  /** Where: a path as the kubelet prints it, without indices for validation errors; empty for the whole file. */
  readonly field: string;
  /** What: the kubelet's own text, field included, or the lint's explanation. */
  readonly message: string;
}
