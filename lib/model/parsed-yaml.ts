import {
  type Document,
  type DocumentOptions,
  LineCounter,
  type ParseOptions,
  type ParsedNode,
  type SchemaOptions,
  YAMLParseError,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseAllDocuments,
} from "yaml";

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/**
 * Returns the documents of a YAML text; none for an empty text.
 *
 * Duplicate keys are reported like the package does, whose own check compares all keys of a map pairwise: a minute for
 * 60,000 keys. They are searched only if there is no other error.
 */
export function parsedYaml(text: string, options: Options): readonly Document.Parsed<ParsedNode>[] {
  const lineCounter = options.lineCounter ?? new LineCounter();
  // Pretty errors show their line, for which each splits the text anew.
  const parsed = parseAllDocuments(text, {
    ...options,
    lineCounter,
    uniqueKeys: false,
    logLevel: "silent",
    prettyErrors: false,
  });
  if (!Array.isArray(parsed)) return [];
  for (const document of parsed)
    if (document.errors.length === 0) addRepeatedKeys(document.contents, document.errors, lineCounter);
  return parsed;
}

/** What the parser says, without the place and without what follows a colon: text of the file, which may be a password. */
export function yamlProblem({ message }: YAMLParseError): string {
  return message.split(/ at line \d|:|\n/)[0] ?? "";
}

function addRepeatedKeys(node: unknown, errors: YAMLParseError[], lines: LineCounter): void {
  if (!isMap(node) && !isSeq(node)) return;
  const keys = new Set<unknown>();
  for (const item of node.items) {
    if (!isPair(item)) {
      addRepeatedKeys(item, errors, lines);
      continue;
    }
    const { key, value } = item;
    addRepeatedKeys(key, errors, lines);
    if (isMap(node) && isScalar(key)) {
      if (keys.has(key.value)) errors.push(repeated(key.range?.[0] ?? 0, lines));
      keys.add(key.value);
    }
    addRepeatedKeys(value, errors, lines);
  }
}

function repeated(place: number, lines: LineCounter): YAMLParseError {
  const { line, col } = lines.linePos(place);
  const message = `Map keys must be unique at line ${line}, column ${col}`;
  return new YAMLParseError([place, place + 1], "DUPLICATE_KEY", message);
}
