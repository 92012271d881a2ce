/** Labels of private keys in all forms that have one (RFC 7468, PKCS#1, SEC 1, OpenSSH, PuTTY, age), even damaged. */
const LABEL =
  /(?:BEGIN|END)[^\n-]{0,40}PRIVATE[^\n-]{0,20}KEY|PRIVATE[ \t]+KEY[ \t]*-|PuTTY-User-Key-File|AGE-SECRET-KEY/i;

/** The key file of a Google service account. */
const KEY_FILE = /"private_key"\s*:\s*"/;

const JWK = /"kty"\s*:/;
/** RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1: members that only private and secret JSON Web Keys have. */
export const PRIVATE_JWK_MEMBER: RegExp = /"(?:d|p|q|dp|dq|qi|oth|k)"\s*:/;

/** The path of a file with a key or a certificate, where its content is expected; base64 has no dots. */
export const FILE_PATH: RegExp = /^(?:\.{1,2}\/|~\/)\S+$|^\S+\.(?:pub|public|pem|key|crt|cer|txt)$/i;

const BASE64 = /^[\w+/=\s-]{40,}$/;

/** True for a text that contains a labelled private key, also inside base64. */
export function holdsPrivateKey(text: string): boolean {
  return isPrivate(text) || (BASE64.test(text) && isPrivate(Buffer.from(text, "base64").toString("latin1")));
}

function isPrivate(text: string): boolean {
  return LABEL.test(text) || KEY_FILE.test(text) || (JWK.test(text) && PRIVATE_JWK_MEMBER.test(text));
}
