import { fail } from "../errors";
import { literal } from "./late";
import { namespaceName, serviceAccountName } from "./kubernetes-name";
import { serviceAccountUser } from "./namespaced-name";
import { type Kind, unfilled, wrongKind } from "./shape";

/**
 * A Kubernetes service account as the subject of its tokens.
 */
export class Subject {
  /** The service account's namespace. */
  readonly namespace: string;
  /** The service account's name. */
  readonly name: string;

  private constructor(namespace: string, name: string) {
    this.namespace = namespaceName(namespace);
    this.name = serviceAccountName(name);
  }

  /** Parses `namespace/name`, or returns a subject unchanged. */
  static of(serviceAccount: string | Subject): Subject {
    if (serviceAccount instanceof Subject) return serviceAccount;
    const parts = String(literal(serviceAccount, "service account")).split("/");
    const [namespace, name] = parts;
    const mistake = unfilled(parts.join("/"));
    if (mistake) throw mistake.error("service account");
    if (parts.length !== 2 || namespace === undefined || name === undefined)
      return fail("identities-invalid", {
        problem: "service account is not written as namespace/name",
        value: serviceAccount,
        allowed: "namespace/name, for example shop/web",
        remedy: "write the namespace, one slash and the service account's name",
      });
    if (/[*?]/.test(namespace + name))
      return fail("identities-invalid", {
        problem: "service account is a pattern, but one service account is meant",
        value: serviceAccount,
        allowed: "namespace/name without * and ?, for example shop/web",
        remedy:
          "list each service account; only IAM roles of AWS take patterns: the `wildcards` of `trusts` of PullRole and WorkloadRole, each with a reason",
      });
    return new Subject(namespace, name);
  }

  /** `namespace/name`, the form that users write. */
  get key(): string {
    return `${this.namespace}/${this.name}`;
  }

  /** `system:serviceaccount:<namespace>:<name>`, the `sub` claim. */
  toString(): string {
    return serviceAccountUser(this);
  }
}

const TITLE = '"namespace/name", or a Subject';

export const SUBJECT: Kind<string | Subject> = {
  title: TITLE,
  mistake: (value) => {
    if (value instanceof Subject) return undefined;
    return typeof value === "string" ? unfilled(value) : wrongKind(value, TITLE);
  },
  example: () => '"shop/web"',
};
