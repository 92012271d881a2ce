import { fail } from "../errors";
import { literal } from "./late";

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;
const LABEL_FORM = "1 to 63 of a-z, 0-9 and -, starting and ending with a letter or digit";
const SUBDOMAIN_FORM = "1 to 253 of a-z, 0-9, - and ., each part starting and ending with a letter or digit";

/** True for an RFC 1123 label as Kubernetes checks it: 1 to 63 characters. */
export function isDnsLabel(value: unknown): value is string {
  return typeof value === "string" && value.length <= LABEL_MAX && LABEL.test(value);
}

/** True for an RFC 1123 subdomain as Kubernetes checks it: 1 to 253 characters. */
export function isDnsSubdomain(value: unknown): value is string {
  return typeof value === "string" && value.length <= SUBDOMAIN_MAX && SUBDOMAIN.test(value);
}

export function namespaceName(value: string): string {
  return isDnsLabel(literal(value, "namespace"))
    ? value
    : fail("identities-invalid", {
        problem: "namespace is not a DNS label",
        value,
        allowed: LABEL_FORM,
        remedy: "use the name of an existing namespace",
      });
}

export function serviceAccountName(value: string): string {
  return isDnsSubdomain(literal(value, "service account name"))
    ? value
    : fail("identities-invalid", {
        problem: "service account name is not a DNS subdomain",
        value,
        allowed: SUBDOMAIN_FORM,
        remedy: "use the name of the service account as `kubectl get serviceaccounts` prints it",
      });
}

/** Returns the name of a Secret, a ConfigMap and the like after checking it. */
export function objectName(value: string): string {
  return isDnsSubdomain(literal(value, "name of an object"))
    ? value
    : fail("kubernetes-invalid", {
        problem: "name of a Kubernetes object is not a DNS subdomain",
        value,
        allowed: SUBDOMAIN_FORM,
        remedy: "use a name like cloud-credentials",
      });
}

/** Returns a cluster's name after checking it; a DNS label fits into every derived name. */
export function clusterName(value: string): string {
  return isDnsLabel(literal(value, "cluster name"))
    ? value
    : fail("cluster-invalid", {
        problem: "cluster name is not a DNS label",
        value,
        allowed: LABEL_FORM,
        remedy: "use a short name; it becomes part of the names of roles and identities",
      });
}
