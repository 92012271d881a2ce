/*
 * Grammars of names, for the walk that searches for names with given properties.
 */

/** The names that exist, character by character. */
export interface Grammar {
  /** For each state, the one that follows a character; negative if it is not allowed. The first is the start. */
  readonly steps: readonly ((sign: string) => number)[];
  /** The state in which a name may end. */
  readonly end: number;
  /** Characters besides lower-case letters and digits; `undefined` for every character in the patterns. */
  readonly signs: string | undefined;
  /** Length of the longest name. */
  readonly lengthMax: number;
}

export const ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyz0123456789";

const IN_COMPONENT = 1;

/** A state in which letters and digits lead to one state, and certain characters to others. */
function after(alphanumeric: number, signs: Readonly<Record<string, number>> = {}): (sign: string) => number {
  return (sign) => (ALPHANUMERIC.includes(sign) ? alphanumeric : (signs[sign] ?? -1));
}

/**
 * Names of repositories.
 *
 * Source: opencontainers/distribution-spec, "Pulling manifests", `<name>`; 255 is the longest that registries accept.
 */
export const REPOSITORY_NAMES: Grammar = {
  steps: [
    // At the start of a component.
    after(IN_COMPONENT),
    after(IN_COMPONENT, { "/": 0, ".": 0, _: 2, "-": 3 }),
    // One underscore may be followed by a second.
    after(IN_COMPONENT, { _: 0 }),
    // A hyphen may be followed by more.
    after(IN_COMPONENT, { "-": 3 }),
  ],
  end: IN_COMPONENT,
  signs: "/-._",
  lengthMax: 255,
};

/**
 * Service accounts as in subjects, `<namespace>:<name>`: a DNS label and a DNS subdomain.
 *
 * Source: kubernetes.io/docs/concepts/overview/working-with-objects/names.
 */
export const SERVICE_ACCOUNTS: Grammar = {
  steps: [
    after(1),
    after(1, { "-": 2, ":": 3 }),
    after(1, { "-": 2 }),
    after(4),
    after(4, { "-": 5, ".": 3 }),
    after(4, { "-": 5 }),
  ],
  end: 4,
  signs: ":-.",
  lengthMax: 317,
};

/** Any text that is not empty: names of actions and of the resources on which they act. */
export const ANY_TEXT: Grammar = { steps: [() => 1, () => 1], end: 1, signs: undefined, lengthMax: 600 };
