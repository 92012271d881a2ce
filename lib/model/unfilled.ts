/*
 * Texts that a template literal built of a value that is not there: `${process.env.TEAM}/web` is "undefined/web", and
 * would be granted, or never match, without a word.
 */

/** A whole part between slashes or colons, so that `is-undefined` and `null.example.com` are names. */
const PART = /(?:^|[/:])(undefined|null|NaN|\[object Object\])(?=$|[/:])/;

const LENGTH_MAX = 2048;

/** Returns the part that shows it; `undefined` for other names and for prose, scripts and documents. */
export function unfilledPart(text: string): string | undefined {
  const part = text.length > LENGTH_MAX ? undefined : PART.exec(text)?.[1];
  if (part === undefined || text.includes("/dev/null")) return undefined;
  return /\s/.test(text.replaceAll("[object Object]", "")) ? undefined : part;
}
