/*
 * What the clouds' command lines printed, as resources with the values that a state has. One file holds what one command
 * printed, if that says by itself what it is about, or an object with the outputs of several, by the command and by what
 * each was asked about, which is the form of docs/adopting.md.
 */

import { isWorkloadIdentityError } from "../../errors";
import { CommandAnswer } from "../../model/command-answer";
import { push } from "../../model/grouped";
import { remembered } from "../../model/once";
import { type Json, at } from "../../model/parsed";
import { propertyPath } from "../../model/property-path";
import { isRecord } from "../../model/record";
import { rowOf } from "../coverage/closed-world";
import { type Coverage, notUnderstood, words } from "../coverage/coverage";
import { NOT_YET, Resource } from "./block";
import type { FileDocument } from "./documents";
import { withoutSecrets } from "./sensitive";
import { type SkippedDocument, type Source, below } from "./source";
import type { Scope } from "./scope";
import type { Terraform } from "./terraform";

/** A command, or one of the lists that it prints; the columns are those of each member. */
export interface RecordedCommand extends Coverage {
  readonly command: string;
  /** Key of the object or list in what it prints; absent for the whole. */
  readonly in?: string;
  /** Keys beside that one which say nothing about it. */
  readonly beside?: string;
  /** True for one that is run for several things; in the object of answers they are its keys. */
  readonly isKeyed?: true;
  /** Texts by which a member is recognized without the command; absent if it never is. */
  readonly shape?: Readonly<Record<string, RegExp>>;
  /** What the output alone does not say, so that it is read only in the object of answers: "of which role it is". */
  readonly lacks?: string;
  /** The key that the thing has, by what is printed about it. */
  readonly key?: (answer: CommandAnswer) => string;
  /** The type of what a member is; absent if it only adds to what others are. Its fields are harmless as its arguments are. */
  readonly type?: string;
  /** Arguments, each with the path of the text that it is: `client_id=clientId`, with `?` if it may be absent. */
  readonly texts?: string;
  /** As {@link texts}, for what is true, or false or absent. */
  readonly flags?: string;
  /** The argument that tells it from others. */
  readonly id?: string;
  /** Other arguments; `undefined` if another output says all that this one does. */
  readonly values?: (item: RecordedItem, all: Recorded) => Json | undefined;
  /** Whether what belongs to it was not printed, as of a data source. */
  readonly isPart?: (item: RecordedItem, all: Recorded) => boolean;
  /** What else is known by it. */
  readonly also?: (item: RecordedItem, all: Recorded) => readonly RecordedResource[];
}

/** The commands of one cloud. */
export interface RecordedCommands {
  /** Its command line. */
  readonly program: string;
  readonly rows: readonly RecordedCommand[];
  /** Commands that `adopt` reads, and whose outputs decide nothing here. */
  readonly others: readonly string[];
}

export interface RecordedResource {
  readonly type: string;
  /** What tells it from others of the type. */
  readonly id: string;
  /** As in a state; `undefined` for what is absent. */
  readonly values: Json;
}

/** One thing that a command printed. */
export interface RecordedItem {
  /** What the command was asked about; empty if it was not said. */
  readonly key: string;
  readonly answer: CommandAnswer;
  /** Fields that no column lists, as arguments that no table of types knows. */
  readonly more: Json;
  readonly source: Source;
  /** All that the same document holds: outputs of one account. */
  readonly document: Recorded;
}

/** What several commands printed. */
export class Recorded {
  readonly #items = new Map<string, RecordedItem[]>();
  readonly #answered = new Set<string>();

  /** What a command printed, of everything or of one thing; letter case does not count. */
  of(command: string, key?: string): readonly RecordedItem[] {
    return this.#items.get(nameOf(command, key)) ?? [];
  }

  /** Whether the command was asked about the thing, even if it printed nothing. */
  isAnswered(command: string, key = ""): boolean {
    return this.#answered.has(nameOf(command, key));
  }

  answered(command: string, key: string, isRead: boolean): void {
    if (isRead) this.#answered.add(nameOf(command, key));
    else this.#answered.delete(nameOf(command, key));
  }

  add(command: string, item: RecordedItem): void {
    push(this.#items, command, item);
    push(this.#items, nameOf(command, item.key), item);
    this.answered(command, item.key, true);
  }
}

function nameOf(command: string, key?: string): string {
  return key === undefined ? command : `${command}\n${key.toLowerCase()}`;
}

/** An output, and where it is. */
interface Output extends FileDocument {
  readonly key: string;
  /** The command, for people; empty where the path says it. */
  readonly by: string;
  readonly document: Recorded;
}

const REMEDY = "collect it as docs/adopting.md shows";

/** Reads recorded outputs; returns those that decide nothing. What cannot be read opens what it names. */
export function readRecorded(
  terraform: Terraform,
  documents: readonly FileDocument[],
  clouds: readonly RecordedCommands[],
): readonly SkippedDocument[] {
  const isObject = (value: unknown): boolean => isRecord(value) && "apiVersion" in value;
  const found = documents.filter(({ value }) => typeof value === "object" && !isObject(value));
  if (found.length === 0) return [];
  const reading = new Reading(terraform, clouds);
  for (const document of found) reading.read(document);
  reading.declare();
  return reading.skipped;
}

class Reading {
  readonly skipped: SkippedDocument[] = [];
  readonly #terraform: Terraform;
  /** The program of each command. */
  readonly #commands: ReadonlyMap<string, string>;
  readonly #rows: readonly RecordedCommand[];
  readonly #all = new Recorded();
  readonly #scopes = new Map<string, Scope>();
  readonly #declaring: (readonly [row: RecordedCommand, item: RecordedItem])[] = [];

  constructor(terraform: Terraform, clouds: readonly RecordedCommands[]) {
    this.#terraform = terraform;
    this.#commands = new Map(
      clouds.flatMap(({ program, rows, others }) =>
        [...rows.map(({ command }) => command), ...others].map((command) => [command, program] as const),
      ),
    );
    this.#rows = clouds.flatMap(({ rows }) => rows);
  }

  read({ value, source }: FileDocument): void {
    const document = new Recorded();
    const answers = isRecord(value) ? Object.entries(value) : [];
    if (answers.some(([command]) => this.#commands.has(command))) {
      this.#scope(source.file);
      for (const [command, output] of answers) {
        const from = below(source, propertyPath([command]));
        this.#answer(command, { value: output, source: from, key: "", by: "", document });
      }
    } else
      for (const row of this.#printing(value)) {
        this.#scope(source.file);
        const by = ` of ${this.#commands.get(row.command) ?? ""} ${row.command}`;
        if (row.lacks === undefined) this.#output(row, { value, source, key: "", by, document });
        else this.#unread(value, { ...source, path: by.trim() }, `it does not say ${row.lacks}: ${REMEDY}`);
      }
  }

  /** The rows of a text without its command; two commands may print one thing and a list of them. */
  #printing(value: unknown): readonly RecordedCommand[] {
    const isOne = !Array.isArray(value);
    return this.#rows
      .filter((row) => row.shape && membersOf(row, value).some((each) => hasShape(row, each)))
      .filter(
        (row, _, all) =>
          all.every((each) => each === row || each.shape !== row.shape) || (row.isKeyed === true) === isOne,
      );
  }

  /** Makes the resources, of all that was read: one command says whose, another what it has. */
  declare(): void {
    const made = this.#declaring.map(([row, item]) => [row, item, this.#values(row, item)] as const);
    for (const [{ type = "", id = "id", isPart, also }, item, values] of made) {
      if (values === undefined) continue;
      const adopted = isPart?.(item, this.#all) === true;
      this.#declared({ type, id: String(values[id]), values }, item, adopted);
      for (const each of also?.(item, this.#all) ?? []) this.#declared(each, item);
    }
  }

  /** What is malformed counts as not asked for. */
  #values(row: RecordedCommand, item: RecordedItem): Json | undefined {
    let values: Json | undefined;
    const { key, answer, document } = item;
    const isRead = this.#guarded([key, answer.value], item.source, () => {
      values = valuesOf(row, item, this.#all);
    });
    for (const list of isRead ? [] : [document, this.#all]) list.answered(row.command, key, false);
    return values;
  }

  /** An entry of the object of answers. */
  #answer(command: string, output: Output): void {
    const rows = this.#rows.filter((row) => row.command === command);
    const { value, source } = output;
    if (rows.length === 0 && this.#commands.has(command))
      this.skipped.push({ source, reason: "nothing that explain judges depends on it; adopt reads it" });
    else if (rows.length === 0) this.#unread(value, source, "no output of a command of this name is read");
    for (const row of rows)
      if (row.isKeyed !== true) this.#output(row, output);
      else
        this.#guarded(value, source, () => {
          for (const [key, each] of new CommandAnswer(value, command).entries()) {
            const from = { ...source, path: propertyPath([command, key]) };
            this.#output(row, { ...output, value: each.value, source: from, key });
          }
        });
  }

  #output(row: RecordedCommand, { value, source, key, by, document }: Output): void {
    const { command, in: inside } = row;
    const known = inside === undefined ? undefined : { read: `${inside} ${row.beside ?? ""}` };
    const around = known && isRecord(value) ? notUnderstood(value, known, "complete") : [];
    this.#guarded(value, source, () => {
      const whole = new CommandAnswer(value, key === "" ? command : `${command}: ${key}`);
      const inner = inside === undefined ? whole : whole.at(inside);
      const items = [...inner.someMembers().entries()].map(([place, answer]): RecordedItem => {
        const steps = Array.isArray(inner.value) ? [place] : [];
        const from = below(source, propertyPath(inside === undefined ? steps : [inside, ...steps]));
        if (by !== "" && !hasShape(row, answer.value)) answer.refuse(`what ${command} prints`);
        const more = [...around, ...beyond(row, answer.value)];
        const fields = more.map((name) => [`${command}: ${name}`, true] as const);
        const own = key === "" ? (row.key?.(answer) ?? "") : key;
        const where = { ...from, path: from.path + by };
        return { key: own, answer, more: Object.fromEntries(fields), source: where, document };
      });
      for (const list of [document, this.#all]) {
        // An empty page of a list that goes on is no answer.
        if (whole.exists && around.length === 0) list.answered(command, key, true);
        for (const item of items) list.add(command, item);
      }
      if (row.type !== undefined) this.#declaring.push(...items.map((item) => [row, item] as const));
    });
  }

  #guarded(value: unknown, source: Source, run: () => void): boolean {
    try {
      run();
      return true;
    } catch (error) {
      if (!isWorkloadIdentityError(error)) throw error;
      this.#unread(value, source, `${error.problem}: ${error.allowed ?? ""}; ${REMEDY}`);
      return false;
    }
  }

  /** Whatever it names may be otherwise than other files say. */
  #unread(value: unknown, source: Source, reason: string): void {
    const whole = JSON.stringify(value ?? null);
    const texts = new Set(whole.match(/[^"]+/g));
    this.#scope(source.file).notRead.push({ source, reason, mentions: new Set(), texts, whole });
  }

  #declared({ type, id, values }: RecordedResource, { source }: RecordedItem, adopted = false): void {
    const scope = this.#scope(source.file);
    const address = `${adopted ? "data." : ""}${type}[${JSON.stringify(id)}]`;
    const stated = Object.fromEntries(Object.entries(values).filter(([, each]) => each !== undefined));
    const place = { type, address, adopted, certain: true, source: () => source };
    const resource = new Resource(scope, withoutSecrets(type, address, stated), place);
    scope.resources.set(`${source.path} ${address}`, resource);
  }

  /** Each file may be of another account. */
  #scope(file: string): Scope {
    return remembered(this.#scopes, file, () => this.#terraform.scope(file, true));
  }
}

const COLUMN = /^(\w+)(?:=([\w.]+))?(\??)$/;

function valuesOf(row: RecordedCommand, item: RecordedItem, all: Recorded): Json | undefined {
  const computed = row.values ? row.values(item, all) : {};
  const column = (
    text: string | undefined,
    read: (each: CommandAnswer, isOptional: boolean) => unknown,
  ): Json =>
    Object.fromEntries(
      words(text).map((each) => {
        const [, argument = "", path = argument, mark] = COLUMN.exec(each) ?? [];
        return [argument, read(item.answer.at(...path.split(".")), mark === "?")];
      }),
    );
  const texts = column(row.texts, (each, isOptional) => (isOptional ? each.text() : each.stated()));
  return computed && { ...texts, ...column(row.flags, (each) => each.flag()), ...computed, ...item.more };
}

/** The fields that neither the row nor, under its arguments' names, the table of the type lists. */
function beyond(row: RecordedCommand, value: unknown): readonly string[] {
  if (!isRecord(value)) return [];
  const fields = words(`${row.texts ?? ""} ${row.flags ?? ""}`).map((each) => COLUMN.exec(each)?.[2] ?? each);
  const own = [row.read, ...fields.map((each) => each.replace("?", ""))].join(" ");
  const { harmless, computed } = (row.type === undefined ? undefined : rowOf(row.type, false)) ?? {};
  const isHarmless = new Set([...words(harmless), ...words(computed)]);
  return notUnderstood(value, { ...row, read: own }, "complete").filter(
    (name) => !isHarmless.has(snake(name)),
  );
}

/** `networkRuleSet` and `NetworkRuleSet` as Terraform writes it. */
function snake(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase();
}

function membersOf({ in: key }: RecordedCommand, value: unknown): readonly unknown[] {
  const inner = key === undefined ? value : at(value, key);
  return Array.isArray(inner) ? inner : [inner];
}

function hasShape({ shape = {} }: RecordedCommand, value: unknown): boolean {
  return Object.entries(shape).every(([key, pattern]) => {
    const each = at(value, key);
    return typeof each === "string"
      ? pattern.test(each)
      : typeof each === "object" && pattern === ANY && each !== null;
  });
}

/** Any text, list or object. */
export const ANY: RegExp = /^/;

/** The texts of a list, which an output that was cut down to some fields may lack. */
export function textsOf(answer: CommandAnswer): unknown {
  return answer.exists ? answer.texts() : NOT_YET;
}
