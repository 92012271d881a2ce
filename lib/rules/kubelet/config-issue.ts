import { isAtLeast } from "./feature-gates";

/** One thing that a kubelet refuses, or that a lint warns about, in a CredentialProviderConfig. */
export interface ConfigIssue {
  /** Where: a path as the kubelet prints it, without indices for validation errors; empty for the whole file. */
  readonly field: string;
  /** What: the kubelet's own text, field included, or the lint's explanation. */
  readonly message: string;
}

/** An issue whose message is the kubelet's whole line, `providers.name: Invalid value: "a b": …`. */
export function complaint(field: string, text: string): ConfigIssue {
  return { field, message: `${field}: ${text}` };
}

/** A missing field: up to 1.33 the text names it again, from 1.34 on it ends after `Required value`. */
export function required(field: string, minor: string): ConfigIssue {
  const name = field.slice(field.lastIndexOf(".") + 1);
  return complaint(
    field,
    isAtLeast(minor, "1.34") ? "Required value" : `Required value: ${name} is required`,
  );
}
