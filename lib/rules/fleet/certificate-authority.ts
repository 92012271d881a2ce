/*
 * `certificate-authority-data`: base64 of PEM certificates. The CRD checks base64 alone; client-go fails at the first
 * connection when no certificate is in it.
 */

import { X509Certificate } from "node:crypto";
import { type WorkloadIdentityError, refusal } from "../../errors";
import { isLate } from "../../model/late";
import { holdsPrivateKey } from "../../model/private-key";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const BLOCK = /-----BEGIN ([^\n-]*)-----[\s\S]*?-----END \1-----/g;

/** `spoke-ca-invalid`, or `fleet-secret-material` where a private key is in it; a late value passes. Never throws. */
export function certificateAuthorityIssues(data: unknown): readonly WorkloadIdentityError[] {
  if (isLate(data)) return [];
  if (typeof data !== "string" || data === "") return [refusal("spoke-ca-invalid", "is empty")];
  if (/-----BEGIN/.test(data)) return [refusal("spoke-ca-invalid", "is PEM that is not encoded in base64")];
  const text = data.replace(/[\r\n]/g, "");
  if (!BASE64.test(text)) return [refusal("spoke-ca-invalid", "is no base64")];
  const pem = Buffer.from(text, "base64").toString("latin1");
  if (holdsPrivateKey(pem)) return [refusal("fleet-secret-material", "the certificate authority of a spoke")];
  const problem = certificateProblem(pem);
  return problem === undefined ? [] : [refusal("spoke-ca-invalid", problem)];
}

/** What is wrong with a text that shall be PEM certificates, `undefined` for a good one. */
export function certificateProblem(pem: string): string | undefined {
  const blocks = [...pem.matchAll(BLOCK)];
  if (blocks.length === 0) return "holds no PEM block";
  if (blocks.some(([, label]) => label !== "CERTIFICATE")) return "holds a PEM block that is no CERTIFICATE";
  return blocks.some(([block]) => !isCertificate(block)) ? "holds a damaged certificate" : undefined;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== null;
  } catch {
    // OpenSSL's reason speaks of its decoder; that the block is damaged is all there is to say.
    return false;
  }
}
