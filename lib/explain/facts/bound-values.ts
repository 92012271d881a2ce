/*
 * Whether what `bind` filled in is what Terraform made: outputs of another cluster, or old ones, fill a file as well.
 */

import { placeholderPieces, placeholdersIn } from "../../artefact/placeholder";
import type { OutputPlaceholder, WorkloadIdentityFile } from "../../artefact/workload-identity-file";
import { at } from "./access";
import type { BoundCopy, FilledText } from "./bound-copies";
import type { PlainDocument } from "./file-documents";
import { type Terraform, type TerraformScope, isLateText } from "./terraform";
import { isTerraformShow } from "./terraform-show";
import { LATE_TEXT, plainText } from "./terraform-values";

/** A stack with what its placeholders stand for. */
interface BoundStack {
  readonly name: string;
  readonly identity: WorkloadIdentityFile | undefined;
  readonly scope: TerraformScope | undefined;
}

/** Texts that one placeholder may become; `undefined` where nothing says any. */
type Texts = ReadonlySet<string> | undefined;

/** One attribute of one resource that Terraform makes, perhaps without the slash at its end. */
const ATTRIBUTE = /^\$\{(?:trimsuffix\()?(([a-z]\w*)\.[\w-]+)\.(\w+)(?:, "\/"\))?\}$/;
/** Attributes of which no two resources of a type have the same value. */
const UNIQUE = /^(?:client_id|principal_id|object_id|unique_id|arn|id)$/;

/** What was filled in wrongly. */
export interface WronglyFilled {
  /**
   * The copies in which a placeholder became something else than a state says or than it became elsewhere, or the same
   * as the placeholder of another resource.
   */
  readonly copies: readonly BoundCopy[];
  /** What states say in the place of a text that alone fills a placeholder, by that text. */
  readonly misfilled: ReadonlyMap<string, string>;
}

/** Compares the copies with the states, and with each other. */
export function wronglyFilled(
  copies: readonly BoundCopy[],
  stacks: readonly BoundStack[],
  plain: readonly PlainDocument[],
  terraform: Terraform,
): WronglyFilled {
  const misfilled = new Map<string, string>();
  if (copies.length === 0) return { copies, misfilled };
  const stated = statedTexts(stacks, plain, terraform);
  const wrong = stacks.flatMap(({ name, identity }) => {
    const outputs = outputsOf(identity);
    const own = copies.filter(({ stack }) => stack === name);
    const became = fillings(own.flatMap(({ filled }) => filled));
    const shared = sharedBy(became, outputs);
    const isRight = (each: FilledText): boolean => {
      const names = placeholdersIn(each.template);
      const texts = names.map((placeholder) => stated(placeholder, outputs.get(placeholder)));
      if (texts.every((told) => told !== undefined)) {
        if (isOneOf(each, texts)) return true;
        for (const [became = ""] of fillings([each]).values())
          misfilled.set(became, [...(texts[0] ?? [])].join(" or "));
        return false;
      }
      return names.every(
        (placeholder) => !shared.has(placeholder) && (became.get(placeholder)?.size ?? 0) < 2,
      );
    };
    // Not `every`: each wrong text is noted.
    return own.filter(({ filled }) => filled.filter((each) => !isRight(each)).length > 0);
  });
  return { copies: wrong, misfilled };
}

function outputsOf(identity: WorkloadIdentityFile | undefined): ReadonlyMap<string, OutputPlaceholder> {
  const all = Object.entries(identity?.placeholders ?? {});
  return new Map(all.flatMap(([name, entry]) => ("output" in entry ? [[name, entry] as const] : [])));
}

/** What a placeholder that stands alone in a text became; of several in one text it cannot be told for certain. */
function fillings(filled: readonly FilledText[]): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>();
  for (const { template, text } of filled) {
    const [before = "", name, after = "", ...more] = placeholderPieces(template);
    if (name === undefined || more.length > 0) continue;
    const known = all.get(name) ?? new Set();
    all.set(name, known.add(text.slice(before.length, text.length - after.length)));
  }
  return all;
}

function isOneOf({ template, text }: FilledText, texts: readonly Texts[]): boolean {
  const pieces = placeholderPieces(template);
  // Where several states tell several texts, every choice of them would have to be tried.
  if (texts.length > 1 && texts.some((each) => each?.size !== 1)) return true;
  const [first] = texts;
  return [...(first ?? [])].some((value) => {
    const values = [value, ...texts.slice(1).flatMap((each) => [...(each ?? [])])];
    return (
      text === pieces.map((piece, place) => (place % 2 === 1 ? values[(place - 1) / 2] : piece)).join("")
    );
  });
}

/** Placeholders of one attribute of several resources that became one text. */
function sharedBy(
  became: ReadonlyMap<string, ReadonlySet<string>>,
  outputs: ReadonlyMap<string, OutputPlaceholder>,
): ReadonlySet<string> {
  const byText = new Map<string, Map<string, string>>();
  for (const [name, texts] of became) {
    const [, address = "", type = "", attribute = ""] =
      ATTRIBUTE.exec(outputs.get(name)?.expression ?? "") ?? [];
    if (!UNIQUE.test(attribute)) continue;
    for (const text of texts) {
      const key = JSON.stringify([type, attribute, text]);
      byText.set(key, (byText.get(key) ?? new Map<string, string>()).set(name, address));
    }
  }
  return new Set(
    [...byText.values()].flatMap((names) => (new Set(names.values()).size > 1 ? [...names.keys()] : [])),
  );
}

/** What states say of a placeholder: by the output that fills it, or by the attribute that the output holds. */
function statedTexts(
  stacks: readonly BoundStack[],
  plain: readonly PlainDocument[],
  terraform: Terraform,
): (placeholder: string, entry: OutputPlaceholder | undefined) => Texts {
  const shown = plain
    .filter(({ value }) => isTerraformShow(value))
    .map(({ value }) => at(value, "values", "outputs"));
  const scopes = terraform.scopes.filter((scope) => stacks.every((stack) => stack.scope !== scope));
  const attributes = ({ expression }: OutputPlaceholder): readonly string[] => {
    const [, address = "", , attribute = ""] = ATTRIBUTE.exec(expression) ?? [];
    return scopes.flatMap(({ resources }) => {
      const resource = resources.get(address);
      const text = resource ? terraform.attribute(resource, attribute) : LATE_TEXT;
      return isLateText(text) ? [] : [expression.includes("trimsuffix(") ? text.replace(/\/$/, "") : text];
    });
  };
  const known = new Map<string, Texts>();
  return (placeholder, entry) => {
    if (entry === undefined || known.has(placeholder)) return known.get(placeholder);
    const outputs = shown.flatMap((each) => plainText(at(each, entry.output, "value")) ?? []);
    const texts = outputs.length > 0 ? outputs : attributes(entry);
    // One state of several stacks with a resource of that name may be another stack's.
    const stacksOf = stacks.filter(({ identity }) =>
      Object.hasOwn(identity?.placeholders ?? {}, placeholder),
    );
    const told = texts.length > 0 && texts.length >= stacksOf.length ? new Set(texts) : undefined;
    known.set(placeholder, told);
    return told;
  };
}
