/*
 * Reads YAML in the form in which this library writes it, twenty times as fast as a parser of the whole language.
 *
 * Sound, not complete: what it reads, it reads as the `yaml` package with YAML_RULES does, and whatever it does not
 * know for certain, it leaves to that package. It knows only as much of YAML as manifests need: block maps and
 * lists indented by two, plain and quoted texts of one line, texts of several lines behind `|`, small numbers, `true`,
 * `false`, `{}` and `[]`.
 */

/** The parsed documents in their order; `undefined` for a text that has another form, or is not YAML at all. */
export function readWrittenYaml(text: string): readonly unknown[] | undefined {
  if (!text.endsWith("\n")) return undefined;
  const lines = new Lines(text);
  const documents: unknown[] = [];
  do {
    lines.skipComments();
    documents.push(block(lines, 0));
    if (lines.refused) return undefined;
  } while (lines.separated());
  return lines.ended ? documents : undefined;
}

const INDENT = 2;

/** Deeper documents are left to a reader that counts levels. */
const INDENT_MAX = 100;

const COMMENT = /^#[\x20-\x7e]*$/;
const SEPARATOR = "---";
const BLANK = 0x20;

/** Regular expressions that backtrack need memory for each character. */
const LINE_MAX = 65_536;

/** A key at the beginning of a line's content; YAML allows at most 1,024 characters. */
const KEY = /[A-Za-z][\w./-]{0,200}:(?= .|$)/y;

/** Characters that end a line in YAML or in a regular expression. */
const OTHER_LINE_END = /[\r\u2028\u2029]/;

/**
 * Plain texts that are texts in YAML 1.1 and 1.2 alike: no indicator begins them, nothing in them ends a scalar, and
 * as they begin neither with a digit nor with a sign or dot, only words could be something else.
 */
const PLAIN = /^[A-Za-z/_](?:[\w./@%+=,()*;$~-]|:(?=[^ ])| (?=[^ ]))*$/;

/** Words that YAML 1.1 takes for null or a boolean, in lower case. */
const WORDS: ReadonlySet<string> = new Set(["null", "y", "n", "yes", "no", "on", "off", "true", "false"]);
const WORD_MAX = 5;

/** The package takes this for a number in YAML 1.1 too, although no digit precedes the exponent. */
const EXPONENT = /^e[-+]?\d+$/i;

const SINGLE_QUOTED = /^'[\x20-\x26\x28-\x7e]*'$/;
/** The escapes that mean the same in JSON. */
const DOUBLE_QUOTED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\(?:["\\nrt]|u[0-9a-fA-F]{4}))*"$/;

/**
 * Texts that begin with a digit: names with a letter that no number, hexadecimal number or time has, UUIDs, whose
 * dashes no number has, and versions, whose second dot no number has.
 */
const DIGIT_FIRST = /^\d[\w./-]*$/;
const OF_NO_NUMBER = /[g-np-su-wy]/i;
const UUID_OR_VERSION = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d+\.\d+\.\d+)$/;

/** What a text of several lines must not have: a blank at its beginning, and characters that are read in other ways. */
const NOT_LITERAL = /^$|^[ \n]|[^\n\x20-\x7e]/;

/** Fifteen digits are exact in a double. */
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/** The lines of a text, taken apart one after the other. */
class Lines {
  /** Blanks before the current line's content; below 0 where a document ends. */
  indent = -1;
  /** Whether the current line begins an entry of a list. */
  dash = false;
  /** The current line's key; `undefined` where it has none. */
  key: string | undefined;
  /** The text after the key, or the whole content without a key. */
  rest: string | undefined;
  /** True once the text has something that is not read here. */
  refused = false;
  readonly #text: string;
  #line = "";
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.advance();
  }

  get ended(): boolean {
    return this.#next > this.#text.length;
  }

  advance(): void {
    const end = this.#text.indexOf("\n", this.#next);
    this.indent = -1;
    if (end < 0) {
      this.#next = this.#text.length + 1;
      return;
    }
    this.#line = this.#text.slice(this.#next, end);
    this.#next = end + 1;
    if (this.#line === SEPARATOR) return;
    this.#take(this.#line);
  }

  /** Takes a line apart by hand: the matches of a regular expression would take most of the memory. */
  #take(line: string): void {
    let begin = 0;
    while (line.charCodeAt(begin) === BLANK) begin++;
    const dash = line.startsWith("- ", begin);
    const at = dash ? begin + INDENT : begin;
    if (at >= line.length || line.length > LINE_MAX || OTHER_LINE_END.test(line)) return this.refuse();
    KEY.lastIndex = at;
    const end = KEY.test(line) ? KEY.lastIndex : at;
    this.indent = begin;
    this.dash = dash;
    this.key = end === at ? undefined : line.slice(at, end - 1);
    this.rest = end === at ? line.slice(at) : end === line.length ? undefined : line.slice(end + 1);
  }

  /** Takes the lines below the current one that begin at that indent, and moves past them. */
  literal(indent: number): string {
    const blanks = " ".repeat(indent);
    const begin = this.#next;
    let last = "";
    for (;;) {
      const end = this.#text.indexOf("\n", this.#next);
      const line = this.#text.slice(this.#next, Math.max(end, this.#next));
      if (end < 0 || (line !== "" && !line.startsWith(blanks))) break;
      last = line;
      this.#next = end + 1;
    }
    const lines = this.#text.slice(begin, Math.max(begin, this.#next - 1)).split("\n");
    const text = lines.map((line) => line.slice(indent)).join("\n");
    this.advance();
    // A blank first line would leave the indent open; how many blank last lines count depends on the indicator.
    if (NOT_LITERAL.test(text) || last.trim() === "") this.refuse();
    return text;
  }

  /** Moves past the comments before a document. */
  skipComments(): void {
    while (this.indent === 0 && this.#line.startsWith("#") && COMMENT.test(this.#line)) this.advance();
  }

  /** Moves past the separator of two documents; false if there is none. */
  separated(): boolean {
    if (this.ended || this.#line !== SEPARATOR) return false;
    this.advance();
    return true;
  }

  /** Takes the dash from the line: what follows it begins a nested map. */
  undash(): void {
    this.dash = false;
    this.indent += INDENT;
  }

  /** Leaves the text to the next reader. */
  refuse(): void {
    this.refused = true;
    this.indent = -1;
  }
}

/** The map or list at that indent. */
function block(lines: Lines, indent: number): unknown {
  if (lines.indent !== indent || indent > INDENT_MAX) return lines.refuse();
  return lines.dash ? list(lines, indent) : map(lines, indent);
}

function map(lines: Lines, indent: number): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  while (lines.indent === indent) {
    const { key, rest } = lines;
    // A key given twice is an error, which the other reader reports.
    if (lines.dash || key === undefined || isWord(key) || Object.hasOwn(result, key)) {
      lines.refuse();
      return result;
    }
    result[key] = value(lines, rest, indent + INDENT);
  }
  return result;
}

function value(lines: Lines, rest: string | undefined, indent: number): unknown {
  if (rest === "|" || rest === "|-") return lines.literal(indent) + (rest === "|" ? "\n" : "");
  lines.advance();
  return rest === undefined ? block(lines, indent) : scalar(lines, rest);
}

function list(lines: Lines, indent: number): unknown[] {
  const result: unknown[] = [];
  while (lines.indent === indent && lines.dash) {
    const { key, rest = "" } = lines;
    if (key === undefined) {
      lines.advance();
      result.push(scalar(lines, rest));
    } else {
      lines.undash();
      result.push(map(lines, indent + INDENT));
    }
  }
  return result;
}

function scalar(lines: Lines, text: string): unknown {
  if (PLAIN.test(text)) {
    if (!isWord(text)) return text;
    if (text === "true" || text === "false") return text === "true";
  } else if (DOUBLE_QUOTED.test(text)) {
    return text.includes("\\") ? (JSON.parse(text) as unknown) : text.slice(1, -1);
  } else if (SINGLE_QUOTED.test(text)) return text.slice(1, -1);
  else if (NUMBER.test(text)) return Number(text);
  else if (DIGIT_FIRST.test(text) && (OF_NO_NUMBER.test(text) || UUID_OR_VERSION.test(text))) return text;
  else if (text === "{}") return {};
  else if (text === "[]") return [];
  return lines.refuse();
}

function isWord(text: string): boolean {
  return (text.length <= WORD_MAX && WORDS.has(text.toLowerCase())) || EXPONENT.test(text);
}
