import { readWrittenYaml } from "../../artefact/written-yaml";
import { YAML_RULES } from "../../artefact/yaml-rules";
import { parsedYaml } from "../../model/parsed-yaml";

const ALIASES_MAX = 100;

/** The JSON or YAML document that stands as a text within another one; `undefined` where it is neither. */
export function embedded(text: string): unknown {
  try {
    const [document] = parsedYaml(text, YAML_RULES);
    if (document === undefined) return null;
    return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch {
    // Nesting without end, or aliases that multiply: the program that reads the text gives up on it as well.
    return undefined;
  }
}

/** The first document of a YAML text, or why it is none. */
export interface FirstDocument {
  /** The parsed value; `null` where the document is empty, `undefined` where it cannot be read. */
  readonly value: unknown;
  /** What the parser says of it; `undefined` where it reads it. */
  readonly error: string | undefined;
  /** True where the text may be right and is only too much for a parser that must not be stopped by it. */
  readonly isTooMuch: boolean;
}

/**
 * Reads the first document as the kubelet does, which looks at no other; what is wrong with it is an answer, since the
 * file is one that a node reads, not one that was named.
 */
export function firstYamlDocument(text: string): FirstDocument {
  const written = readWrittenYaml(text);
  if (written) return right(written[0] ?? null);
  try {
    const [first] = parsedYaml(text, YAML_RULES);
    if (first === undefined) return right(null);
    const [error] = first.errors;
    if (error) return wrong(error.message.split(" at line")[0] ?? "", isStack(error.message));
    const value: unknown = first.toJS({ maxAliasCount: ALIASES_MAX });
    return isDeep(value, DEPTH_MAX) ? wrong("it is nested too deeply", true) : right(value);
  } catch (error) {
    return wrong(String(error), true);
  }
}

function right(value: unknown): FirstDocument {
  return { value, error: undefined, isTooMuch: false };
}

function wrong(error: string, isTooMuch: boolean): FirstDocument {
  return { value: undefined, error, isTooMuch };
}

/** The parser descends by recursion, and reports that it went too deep like any other mistake. */
function isStack(message: string): boolean {
  return message.includes("Maximum call stack size exceeded");
}

const DEPTH_MAX = 200;

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeep(child, levels - 1));
}
