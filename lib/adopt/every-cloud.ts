import { fail } from "../errors";
import type { CloudName } from "../model/clouds";
import { nearestName } from "../model/nearest-name";
import { isRecord } from "../model/record";
import type { Adoption, AdoptionChoice, AdoptionReader } from "./adoption";
import { CommandAnswer } from "../model/command-answer";
import { awsAdoption } from "./aws/reader";
import { azureAdoption } from "./azure/reader";
import { googleAdoption } from "./google/reader";

const READERS: readonly AdoptionReader[] = [awsAdoption, azureAdoption, googleAdoption];

export interface CloudAnswers {
  readonly cloud: CloudName;
  /** Finds the clusters in the answers, and what exists of each. */
  readonly adoptions: (choice: AdoptionChoice) => readonly Adoption[];
}

/** Reads the answers of a cloud's command line, by command; the commands show which cloud it is. */
export function cloudAnswers(document: unknown): CloudAnswers {
  if (!isRecord(document) || Object.keys(document).length === 0)
    return fail("adopt-invalid", {
      problem: "the answers are not an object with one entry per command",
      allowed: '{ "<command without the program>": <what it printed as JSON>, … }',
      remedy: "collect them with the commands in docs/adopting.md",
    });
  const commands = Object.keys(document);
  const [first = ""] = commands;
  const reader = READERS.find(({ commands: known }) =>
    commands.some((command) => Object.hasOwn(known, command)),
  );
  const unknown = reader ? commands.find((command) => !Object.hasOwn(reader.commands, command)) : first;
  if (!reader || unknown !== undefined) {
    const known = (reader ? [reader] : READERS).flatMap((each) => Object.keys(each.commands));
    const nearest = nearestName(unknown ?? first, known);
    return fail("adopt-unknown", {
      problem:
        "the answers have an entry for a command that adopt does not read, or that belongs to another cloud",
      value: unknown,
      allowed: known.join(", "),
      remedy: nearest === undefined ? "remove the entry" : `was \`${nearest}\` meant?`,
    });
  }
  const answers = new CommandAnswer(document, "");
  return { cloud: reader.cloud, adoptions: (choice) => adoptions(reader, answers, choice) };
}

function adoptions(
  { managed, ccoctl }: AdoptionReader,
  answers: CommandAnswer,
  choice: AdoptionChoice,
): readonly Adoption[] {
  const clusters = answers
    .at(managed.command)
    .entries()
    .map(([name, answer]) => managed.read(name, answer, answers));
  return choice.requests ? [ccoctl(answers, choice, choice.requests), ...clusters] : clusters;
}
