/*
 * The name of an object in its namespace, which Kubernetes calls a `NamespacedName`, and the names that a service
 * account has in tokens. Names of objects hold neither `/` nor `:`, so each form can be taken apart again.
 */

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Takes `namespace/name` apart; a part that is not there is empty. */
export function namespacedName(key: string): NamespacedName {
  const slash = key.indexOf("/");
  return slash < 0
    ? { namespace: key, name: "" }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export const SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:";

/**
 * `system:serviceaccount:<namespace>:<name>`, which is the user name of a service account and the `sub` claim of its
 * tokens (kubernetes/kubernetes, staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go).
 */
export function serviceAccountUser({ namespace, name }: NamespacedName): string {
  return `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`;
}

/** `namespace/name` of a service account's user name, patterns included; another user name as it is. */
export function serviceAccountText(user: string): string {
  return user.startsWith(SERVICE_ACCOUNT_PREFIX)
    ? user.slice(SERVICE_ACCOUNT_PREFIX.length).replace(":", "/")
    : user;
}

/** The service account of a user name or `sub` claim; `undefined` if it is another user. */
export function serviceAccountOfUser(user: string): NamespacedName | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
