/*
 * The address of a spoke's API server, and who signed its certificate. Messages show at most scheme and host: a user, a
 * path, a query or a malformed address may be a password. Sources: v1alpha2 of the ClusterProfile CRD (CEL:
 * absolute URL with a host, at most 2048 characters); client-go for the schemes of a proxy.
 */

import { X509Certificate } from "node:crypto";
import { type WorkloadIdentityError, refusal } from "../../errors";
import { isLate } from "../../model/late";
import { FILE_PATH, holdsPrivateKey } from "../../model/private-key";
import { secretMaterial } from "./secret-material";

type Issues = readonly WorkloadIdentityError[];
/** True for a value known only after apply, which is accepted. */
type IsOpen = (value: unknown) => boolean;

const SERVER_MAX = 2048;
const PROXY_SCHEMES: readonly string[] = ["http:", "https:", "socks5:"];

/** What is wrong with a server's URL; `undefined` if it is valid. */
export function serverProblem(value: unknown, schemes: readonly string[] = ["https:"]): string | undefined {
  if (typeof value !== "string" || value === "") return "is empty";
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return "has no scheme; https:// is missing";
  if (value.length > SERVER_MAX) return `is longer than ${SERVER_MAX} characters`;
  if (!URL.canParse(value) || /\s/.test(value)) return "must be a valid absolute URL with a host";
  const { protocol, hostname, username, password, search, hash } = new URL(value);
  if (!schemes.includes(protocol))
    return protocol === "http:" ? "has the scheme http, not https" : "has a scheme other than https";
  if (hostname === "") return "must be a valid absolute URL with a host";
  if (username !== "" || password !== "") return "has a user, which no client sends to an API server";
  return search !== "" || hash !== "" ? "has a query or a fragment" : undefined;
}

/** Refuses a value that is not an https URL, or that has a second scheme in place of its host. */
export function serverIssues(server: unknown, isOpen: IsOpen = isLate): Issues {
  if (isOpen(server)) return [];
  const isTwice = typeof server === "string" && /^https:\/\/https?:\/\//i.test(server);
  const reason = isTwice ? "has a scheme twice" : serverProblem(server);
  if (reason === undefined) return [];
  const isUrl = typeof server === "string" && /^https?:/i.test(server) && URL.canParse(server);
  return [
    refusal("fleet-invalid", {
      problem: `the server of a spoke ${reason}`,
      value: isUrl ? new URL(server).origin : undefined,
      allowed: "https://host[:port][/path], at most 2048 characters",
      remedy: "use the URL of the spoke's API server; the endpoint attribute of a GKE cluster lacks https://",
    }),
  ];
}

/** Refuses a URL that client-go does not accept as proxy, or that contains a password. */
export function proxyIssues(proxy: unknown, isOpen: IsOpen = isLate): Issues {
  if (proxy === undefined || isOpen(proxy)) return [];
  const url = typeof proxy === "string" && URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url && url.password !== "") return [secretMaterial("the proxy's URL")];
  const reason = !url
    ? "is not a URL"
    : !PROXY_SCHEMES.includes(url.protocol) || url.hostname === ""
      ? "has no host, or a scheme that the controllers do not support"
      : url.username !== "" && "has a user";
  if (reason === false) return [];
  return [
    refusal("fleet-invalid", {
      problem: `the proxy of a spoke ${reason}`,
      allowed: "http://, https:// or socks5://host[:port], without user and password",
      remedy: "use the proxy's URL without user and password",
    }),
  ];
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const BLOCK = /-----BEGIN ([^\n-]*)-----(?:[^-]*-(?!----BEGIN))*?----END \1-----/g;

/** The CRD checks only that it is base64; client-go fails at the first connection if it contains no certificate. */
export function certificateAuthorityIssues(data: unknown, isOpen: IsOpen = isLate): Issues {
  if (isOpen(data)) return [];
  if (typeof data !== "string" || data === "") return [badAuthority("is empty")];
  if (/-----BEGIN/.test(data)) return [badAuthority("is PEM that is not encoded in base64")];
  if (FILE_PATH.test(data)) return [badAuthority("is the path of a file, not its content")];
  const text = data.replace(/[\r\n]/g, "");
  if (!BASE64.test(text)) return [badAuthority("is not base64")];
  const pem = Buffer.from(text, "base64").toString("latin1");
  if (holdsPrivateKey(pem)) return [secretMaterial("the certificate authority of a spoke")];
  const problem = certificateProblem(pem);
  return problem === undefined ? [] : [badAuthority(problem)];
}

export function badAuthority(reason: string): WorkloadIdentityError {
  return refusal("fleet-invalid", {
    problem: `the certificate authority of a spoke ${reason}`,
    allowed: "base64 of one or several PEM blocks CERTIFICATE",
    remedy:
      "use `certificate_authority[0].data` (EKS), `cluster_ca_certificate` (AKS, GKE), or the file of the API server's CA in base64",
  });
}

/** What is wrong with a text that should be PEM certificates; `undefined` if it is valid. */
export function certificateProblem(pem: string): string | undefined {
  const blocks = [...pem.matchAll(BLOCK)];
  if (blocks.length === 0) return "contains no PEM block";
  if (blocks.some(([, label]) => label !== "CERTIFICATE"))
    return "contains a PEM block that is not a CERTIFICATE";
  return blocks.some(([block]) => !isCertificate(block)) ? "contains a damaged certificate" : undefined;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== null;
  } catch {
    // OpenSSL's error describes its decoder; all that matters is that the block is damaged.
    return false;
  }
}
