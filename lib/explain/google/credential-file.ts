/*
 * The credential file with which Google's client libraries exchange a token.
 * Source: https://google.aip.dev/auth/4117 ("External Account Credentials").
 */

import { type Known, andThen, isKnown, known, map, match, orElse, same, shown } from "../../model/known";
import { type Tree, childOf, optionalText, parsedTree } from "../../model/tree";
import { type CustomExchange, customExchange } from "./exchange";
import { piecesOf } from "./names";

/** A file, or what is wrong with it: the end of a sentence that begins with its name. */
export type ReadFile = CredentialFile | { readonly problem: string };

/** What a credential file says. */
export interface CredentialFile {
  /** The pool provider. */
  readonly exchange: Known<CustomExchange | undefined>;
  /** `//iam.googleapis.com/projects/…/providers/<id>`. */
  readonly audience: Known<string>;
  /** Where the token is. */
  readonly tokenPath: Known<string>;
  /** The service account to act as; `undefined` where the pool's principal acts itself. */
  readonly email: Known<string> | undefined;
  /** The domain of the APIs that it names. */
  readonly universe: Known<string>;
}

const JWT = "urn:ietf:params:oauth:token-type:jwt";
/** The domain of Google Cloud's APIs where a file names no `universe_domain`. */
const GOOGLE = "googleapis.com";
const IMPERSONATION =
  /^https:\/\/iamcredentials\.([^/]+)\/v1\/projects\/-\/serviceAccounts\/([^/:]+):generateAccessToken$/;

/** Reads a file. */
export function readCredentialFile(content: Known<string>): Known<ReadFile> {
  const document = parsedTree(content);
  return match(
    document,
    () => read(document),
    () => (isKnown(content) ? known({ problem: "is not JSON" }) : (content as Known<never>)),
  );
}

function read(document: Tree): Known<ReadFile> {
  const field = (...keys: readonly string[]): Known<string | undefined> =>
    optionalText(childOf(document, ...keys));
  const wrong = (problem: string): Known<{ readonly problem: string }> => known({ problem });
  const isOther = (text: Known<string | undefined>, wanted: string): boolean =>
    same<string | undefined>(text, known(wanted)) === "no";
  const [type, tokenType, url] = [field("type"), field("subject_token_type"), field("token_url")];
  if (!isOther(type, "service_account") && isKnown(type))
    return wrong("is a key of a service account, which does not expire");
  if (isOther(type, "external_account")) return wrong(`is of type ${written(type)}, not external_account`);
  const audience = map(field("audience"), (text) => text ?? "");
  const exchange = customExchange(audience);
  if (orElse(exchange, () => "open") === undefined)
    return wrong(`has the audience ${written(audience)}, which is no pool provider`);
  if (isOther(tokenType, JWT)) return wrong(`has the subject_token_type ${written(tokenType)}, not ${JWT}`);
  const universe = map(field("universe_domain"), (text) => text || GOOGLE);
  const tokenUrl = match(
    universe,
    (domain) => (isOther(url, `https://sts.${domain}/v1/token`) ? domain : undefined),
    () => undefined,
  );
  if (tokenUrl !== undefined)
    return wrong(`has the token_url ${written(url)}, which is not the token exchange of ${tokenUrl}`);
  const tokenPath = map(field("credential_source", "file"), (text) => text ?? "");
  if (same(tokenPath, known("")) === "yes") return wrong("names no credential_source.file");
  const format = map(field("credential_source", "format", "type"), (text) => text || "text");
  if (isOther(format, "text")) return wrong(`has the format ${written(format)}, the token is plain text`);
  return withImpersonation(field("service_account_impersonation_url"), {
    exchange,
    audience,
    tokenPath,
    email: undefined,
    universe,
  });
}

function written(text: Known<string | undefined>): string {
  return orElse(text, () => "x") ? shown(text) : "none";
}

function withImpersonation(url: Known<string | undefined>, file: CredentialFile): Known<ReadFile> {
  if (orElse(url, () => "open") === undefined) return known(file);
  const address = map(url, (text) => text ?? "");
  return andThen(piecesOf(address, IMPERSONATION), (pieces): Known<ReadFile> => {
    const [domain, email] = pieces ?? [];
    const has = `has the service_account_impersonation_url ${shown(address)}`;
    if (!domain || !email) return known({ problem: `${has}, which names no service account` });
    return same(domain, file.universe) === "no"
      ? known({ problem: `${has}, which is not of ${shown(file.universe)}` })
      : known({ ...file, email });
  });
}
