/*
 * Addresses of a spoke's API server and of the proxy before it. Refusals show scheme and host at most: a user, a path, a
 * query or a whole address in a wrong form may be a password. Sources: v1alpha2 of the ClusterProfile CRD (CEL:
 * absolute URL with a host, at most 2048 characters); client-go for the schemes of a proxy.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { isLate } from "../../model/late";

const SERVER_MAX = 2048;
/** A host that is a scheme: of a value that had one already, before which another was written. */
const TWICE = /^https:\/\/https?:\/\//i;
const PROXY_SCHEMES: readonly string[] = ["http:", "https:", "socks5:"];

/** What is wrong with a server's URL, `undefined` for a good one. */
export function serverProblem(value: unknown, schemes: readonly string[] = ["https:"]): string | undefined {
  if (typeof value !== "string" || value === "") return "is empty";
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return "has no scheme, https:// is missing";
  if (value.length > SERVER_MAX) return `is longer than ${SERVER_MAX} characters`;
  if (!URL.canParse(value) || /\s/.test(value)) return "must be a valid absolute URL with a host";
  const { protocol, hostname, username, password, search, hash } = new URL(value);
  if (!schemes.includes(protocol))
    return protocol === "http:" ? "has the scheme http, not https" : "has another scheme than https";
  if (hostname === "") return "must be a valid absolute URL with a host";
  if (username !== "" || password !== "") return "has a user, which no client sends to an API server";
  return search !== "" || hash !== "" ? "has a query or a fragment" : undefined;
}

/**
 * `spoke-server-invalid` where the server is no https URL, or has the scheme of another one as its host; a late value
 * passes. Never throws.
 */
export function serverIssues(server: unknown): readonly WorkloadIdentityError[] {
  if (isLate(server)) return [];
  const isTwice = typeof server === "string" && TWICE.test(server);
  const reason = isTwice ? "has a scheme twice" : serverProblem(server);
  return reason === undefined ? [] : [refusal("spoke-server-invalid", reason, originOf(server))];
}

/** `spoke-proxy-invalid`, or `fleet-secret-material` where the proxy's URL has a password. Never throws. */
export function proxyIssues(proxy: unknown): readonly WorkloadIdentityError[] {
  if (proxy === undefined || isLate(proxy)) return [];
  if (typeof proxy !== "string" || !URL.canParse(proxy)) return [refusal("spoke-proxy-invalid", "is no URL")];
  const { protocol, hostname, username, password } = new URL(proxy);
  if (password !== "") return [refusal("fleet-secret-material", "the proxy's URL")];
  if (!PROXY_SCHEMES.includes(protocol) || hostname === "")
    return [refusal("spoke-proxy-invalid", "has no host, or a scheme that the controllers do not know")];
  return username === "" ? [] : [refusal("spoke-proxy-invalid", "has a user")];
}

function originOf(server: unknown): string | undefined {
  if (typeof server !== "string" || !/^https?:/i.test(server) || !URL.canParse(server)) return undefined;
  return new URL(server).origin;
}
