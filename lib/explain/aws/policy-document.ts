/*
 * What the data source aws_iam_policy_document makes of its blocks.
 */

import { type Known, type Reference, orElse, partsOf, textOf } from "../../model/known";
import type { Block, Resource } from "../read/block";
import type { ComputedAttribute } from "../read/terraform";

/** `data.aws_iam_policy_document.<name>.json`. */
export const policyDocumentJson: ComputedAttribute = {
  type: "aws_iam_policy_document",
  attribute: "json",
  value: (resource) => {
    if (MERGED.some((name) => resource.names.includes(name))) return undefined;
    const texts = new Texts();
    const document = rendered(resource, texts);
    return document === undefined || texts.isOpen ? undefined : texts.unmarked(JSON.stringify(document));
  },
};

const MERGED: readonly string[] = [
  "source_policy_documents",
  "override_policy_documents",
  "source_json",
  "override_json",
];

const MARK = /\ue000(\d+)\ue001/;

/** Texts as they stand in JSON, with a mark for each reference. */
class Texts {
  /** True where a text was asked for that is not known at all. */
  isOpen = false;
  readonly #references: Reference[] = [];

  marked(text: Known<string | undefined>): string {
    const parts = partsOf(text as Known<string>);
    if (parts === undefined) this.isOpen = true;
    return (parts ?? []).map((part) => (typeof part === "object" ? this.#mark(part) : (part ?? ""))).join("");
  }

  /** The items of a list; in this data source `&{…}` stands for a policy variable. */
  list(list: Known<readonly Known<string>[]>): readonly string[] {
    const items = orElse(list, () => undefined);
    if (items === undefined) this.isOpen = true;
    return (items ?? []).map((item) => this.marked(item).replaceAll("&{", "${"));
  }

  unmarked(json: string): Known<string> {
    return textOf(
      json
        .split(MARK)
        .map((piece, place) => (place % 2 === 1 ? (this.#references[Number(piece)] ?? "") : piece)),
    );
  }

  #mark(reference: Reference): string {
    const at = this.#references.indexOf(reference);
    if (at < 0) this.#references.push(reference);
    return `\ue000${at < 0 ? this.#references.length - 1 : at}\ue001`;
  }
}

/** `undefined` where an expression makes blocks of it: any of them could deny. */
function rendered(resource: Resource, texts: Texts): unknown {
  const statements = orElse(resource.blocks("statement"), () => undefined);
  const Statement = statements?.map((each) => renderedStatement(each, texts));
  if (Statement === undefined || Statement.includes(undefined)) return undefined;
  return { Version: texts.marked(resource.text("version")) || "2012-10-17", Statement };
}

const LISTS: readonly (readonly [argument: string, element: string])[] = [
  ["actions", "Action"],
  ["not_actions", "NotAction"],
  ["resources", "Resource"],
  ["not_resources", "NotResource"],
];
const PRINCIPALS: readonly (readonly [argument: string, element: string])[] = [
  ["principals", "Principal"],
  ["not_principals", "NotPrincipal"],
];

function renderedStatement(statement: Block, texts: Texts): unknown {
  const made: Record<string, unknown> = {
    Sid: texts.marked(statement.text("sid")) || undefined,
    Effect: texts.marked(statement.text("effect")) || "Allow",
  };
  for (const [argument, element] of LISTS) {
    const values = texts.list(statement.list(argument));
    if (values.length > 0) made[element] = values;
  }
  for (const [argument, element] of PRINCIPALS) {
    const rows = orElse(statement.blocks(argument), () => undefined);
    if (rows === undefined) return undefined;
    if (rows.length > 0) made[element] = principals(rows, texts);
  }
  const conditions = orElse(statement.blocks("condition"), () => undefined);
  if (conditions === undefined) return undefined;
  if (conditions.length > 0) made["Condition"] = renderedConditions(conditions, texts);
  return made;
}

function principals(rows: readonly Block[], texts: Texts): unknown {
  const byType: Record<string, readonly string[]> = {};
  for (const row of rows) {
    const type = texts.marked(row.text("type"));
    if (type === "*") return "*";
    byType[type] = [...(byType[type] ?? []), ...texts.list(row.list("identifiers"))];
  }
  return byType;
}

function renderedConditions(conditions: readonly Block[], texts: Texts): unknown {
  const byTest: Record<string, Record<string, readonly string[]>> = {};
  for (const condition of conditions) {
    const keys = (byTest[texts.marked(condition.text("test"))] ??= {});
    const key = texts.marked(condition.text("variable"));
    keys[key] = [...(keys[key] ?? []), ...texts.list(condition.list("values"))];
  }
  return byTest;
}
