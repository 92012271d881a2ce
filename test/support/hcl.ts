/*
 * Terraform's templates, evaluated, where the program is not there: a second reader of what the library writes, by the
 * specification alone (github.com/hashicorp/hcl, hclsyntax/spec.md, "Templates" and "Expressions").
 */

/** What a reference such as `terraform_data.d.output` is. */
export type Values = (reference: string) => unknown;

/** A document of Terraform's JSON syntax with every template evaluated. */
export function evaluated(value: unknown, values: Values): unknown {
  if (typeof value === "string") return new Evaluation(value, values).whole();
  if (Array.isArray(value)) return value.map((each) => evaluated(each, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [evaluated(key, values), evaluated(each, values)]),
  );
}

const FUNCTIONS: Readonly<Record<string, (value: unknown) => unknown>> = {
  base64encode: (value) => Buffer.from(String(value), "utf8").toString("base64"),
  base64decode: (value) => Buffer.from(String(value), "base64").toString("utf8"),
  // Terraform escapes these three as well.
  jsonencode: (value) => JSON.stringify(value).replace(/[<>&]/g, (each) => ESCAPED[each] ?? each),
  upper: (value) => String(value).toUpperCase(),
};
const ESCAPED: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };
const SIMPLE: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

class Evaluation {
  readonly #text: string;
  readonly #values: Values;
  #at = 0;

  constructor(text: string, values: Values) {
    this.#text = text;
    this.#values = values;
  }

  /** A template that is one interpolation keeps the type of its value. */
  whole(): unknown {
    const parts = this.#parts(false);
    return parts.length === 1 ? parts[0] : parts.map(String).join("");
  }

  #parts(quoted: boolean): readonly unknown[] {
    const parts: unknown[] = [];
    let literal = "";
    const flush = (): void => {
      if (literal !== "") parts.push(literal);
      literal = "";
    };
    while (this.#at < this.#text.length && !(quoted && this.#sees('"'))) {
      if (this.#takes("$${")) literal += "${";
      else if (this.#takes("%%{")) literal += "%{";
      else if (this.#takes("${")) {
        flush();
        parts.push(this.#expression());
        this.#expect("}");
      } else if (this.#sees("%{")) throw new Error(`directive in ${this.#text}`);
      else if (quoted && this.#takes("\\")) literal += this.#escape();
      else literal += this.#text[this.#at++] ?? "";
    }
    flush();
    return parts.length === 0 ? [""] : parts;
  }

  #escape(): string {
    const sign = this.#text[this.#at++] ?? "";
    if (sign !== "u") return SIMPLE[sign] ?? this.#fail(`escape \\${sign}`);
    const digits = this.#text.slice(this.#at, this.#at + 4);
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #expression(): unknown {
    if (this.#takes('"')) {
      const parts = this.#parts(true);
      this.#expect('"');
      return parts.length === 1 ? parts[0] : parts.map(String).join("");
    }
    const name = /[A-Za-z_][\w.-]*/y;
    name.lastIndex = this.#at;
    const [reference = this.#fail("expression")] = name.exec(this.#text) ?? [];
    this.#at += reference.length;
    if (!this.#takes("(")) return this.#values(reference);
    const value = this.#expression();
    this.#expect(")");
    return (FUNCTIONS[reference] ?? this.#fail(`function ${reference}`))(value);
  }

  #sees(what: string): boolean {
    return this.#text.startsWith(what, this.#at);
  }

  #takes(what: string): boolean {
    const found = this.#sees(what);
    if (found) this.#at += what.length;
    return found;
  }

  #expect(what: string): void {
    if (!this.#takes(what)) this.#fail(what);
  }

  #fail(what: string): never {
    throw new Error(`no ${what} at ${this.#at} of ${this.#text}`);
  }
}
