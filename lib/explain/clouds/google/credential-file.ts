/*
 * The credential file with which Google's client libraries exchange a token.
 * Source: https://google.aip.dev/auth/4117 ("External Account Credentials").
 */

import { type Answer, broken, seen } from "../../answer";
import { at, own, text } from "../../facts/access";
import type { PoolProviderFact } from "./workload-identity";

/** What a credential file says. */
export interface CredentialFile {
  /** `//iam.googleapis.com/projects/…/providers/<id>`. */
  readonly audience: string;
  /** Where the token is. */
  readonly tokenPath: string;
  /** The service account to act as; empty where the pool's principal acts itself. */
  readonly email: string;
  /** The domain of the APIs that it names. */
  readonly universe: string;
}

const STS_AUDIENCE =
  /^\/\/iam\.googleapis\.com\/projects\/[^/]+\/locations\/global\/workloadIdentityPools\/[^/]+\/providers\/[^/]+$/;
const JWT = "urn:ietf:params:oauth:token-type:jwt";
/** The domain of Google Cloud's APIs where a file names no `universe_domain`. */
const GOOGLE = "googleapis.com";
const TOKEN_URL = /^https:\/\/sts\.([a-z0-9.-]+)\/v1\/token$/;
const IMPERSONATION =
  /^https:\/\/iamcredentials\.([a-z0-9.-]+)\/v1\/projects\/-\/serviceAccounts\/([^/:]+|\$\{[^}]+\}):generateAccessToken$/;

/** Reads a file; the problem is the end of a sentence that begins with its name. */
export function readCredentialFile(content: string): CredentialFile | { readonly problem: string } {
  const document = parsed(content);
  if (document === undefined) return { problem: "is not JSON" };
  const type = text(own(document, "type"));
  if (type === "service_account") return { problem: "is a key of a service account, which does not expire" };
  if (type !== "external_account") return { problem: `is of type ${type || "none"}, not external_account` };
  const audience = text(own(document, "audience"));
  if (!STS_AUDIENCE.test(audience))
    return { problem: `has the audience ${audience || "none"}, which is no pool provider` };
  const tokenType = text(own(document, "subject_token_type"));
  if (tokenType !== JWT) return { problem: `has the subject_token_type ${tokenType || "none"}, not ${JWT}` };
  const url = text(own(document, "token_url"));
  const universe = text(own(document, "universe_domain")) || GOOGLE;
  if (TOKEN_URL.exec(url)?.[1] !== universe)
    return { problem: `has the token_url ${url || "none"}, which is not the token exchange of ${universe}` };
  const tokenPath = text(at(document, "credential_source", "file"));
  if (tokenPath === "") return { problem: "names no credential_source.file" };
  const format = text(at(document, "credential_source", "format", "type")) || "text";
  if (format !== "text") return { problem: `has the format ${format}, the token is plain text` };
  return impersonated(document, { audience, tokenPath, email: "", universe });
}

function impersonated(
  document: unknown,
  file: CredentialFile,
): CredentialFile | { readonly problem: string } {
  const url = own(document, "service_account_impersonation_url");
  if (url === undefined) return file;
  const { universe } = file;
  const [, domain, email] = IMPERSONATION.exec(text(url)) ?? [];
  if (domain !== undefined && domain !== universe)
    return { problem: `has the service_account_impersonation_url ${text(url)}, which is not of ${universe}` };
  return email === undefined
    ? { problem: `has the service_account_impersonation_url ${text(url)}, which names no service account` }
    : { ...file, email };
}

/** Where the file asks the token exchange of another universe than the pool provider's. */
export function otherUniverse(
  { universe }: CredentialFile,
  poolProvider: PoolProviderFact | undefined,
): Answer | undefined {
  if (poolProvider === undefined || ["", universe].includes(poolProvider.universe)) return undefined;
  return broken(
    `the credential file names the token exchange of ${universe}, and the pool provider is in ${poolProvider.universe}`,
    "write the universe of the google provider (universe_domain) into the credential file",
    undefined,
    seen("pool provider", poolProvider.source),
  );
}

function parsed(content: string): unknown {
  // No document: the caller says so in words.
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
