/** Where a command reads and writes; `process` in the program, texts in tests. */
export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /**
   * Standard input, for commands that read it.
   *
   * @defaultValue - empty
   */
  readonly input?: AsyncIterable<Uint8Array>;
  /**
   * Whether results are shown in colour.
   *
   * @defaultValue false
   */
  readonly colour?: boolean;
  /**
   * True where long work is shown on `err`: it is a terminal.
   *
   * @defaultValue false
   */
  readonly progress?: boolean;
}

/** An option of a command, by its long name without the dashes. */
export interface Option {
  /** What the help shows for the value; an option without it is a switch. */
  readonly value?: string;
  readonly summary: string;
  /** The only values that are allowed. */
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly required?: true;
  /** The option may be repeated. */
  readonly many?: true;
}

type ValueOf<O extends Option> = O extends { readonly many: true }
  ? readonly string[]
  : O extends { readonly choices: readonly (infer C)[] }
    ? C
    : O extends { readonly value: string }
      ? string
      : true;

type Certain<T extends Options> = {
  [K in keyof T]: T[K] extends { readonly default: string } | { readonly required: true } ? K : never;
}[keyof T];

/** The options as a command receives them: required ones and those with a default always have a value. */
export type Values<T extends Options> = { readonly [K in Certain<T>]: ValueOf<T[K]> } & {
  readonly [K in Exclude<keyof T, Certain<T>>]?: ValueOf<T[K]>;
};

/** Options by their long names, in the order of `--help`. */
export type Options = Readonly<Record<string, Option>>;

/** An argument that is not an option. */
export interface Operand {
  /** As the help shows it: `<PEM...>` at least one, `[DIR]` none or one. */
  readonly name: string;
  readonly summary: string;
  readonly choices?: readonly string[];
}

/** What a command was called with. */
export interface Asked<V = Readonly<Record<string, unknown>>> {
  readonly values: V;
  readonly operands: readonly string[];
}

/** Resolves to the exit code; throws {@link UsageError}, or an error of this library. */
type Run<V> = (asked: Asked<V>, io: CommandIo) => number | Promise<number>;

/** A command; its code is loaded when it runs. */
export interface CommandSpec<T extends Options> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** A second paragraph for the command's own help. */
  readonly more?: string;
  readonly operands: readonly Operand[];
  readonly options: T;
  readonly examples: readonly (readonly [args: string, does: string])[];
  /** Meaning of each exit code except 2, which is wrong usage. */
  readonly exits: Readonly<Record<number, string>>;
  readonly load: () => Promise<{ readonly run: Run<Values<T>> }>;
  /**
   * Exit code if the library refuses the input.
   *
   * @defaultValue 1
   */
  readonly refusedExit?: number;
}

/** A command of the table, whatever its options. */
export interface Command extends Omit<CommandSpec<Options>, "load"> {
  readonly load: () => Promise<{ readonly run: (asked: Asked, io: CommandIo) => number | Promise<number> }>;
}

/** Makes the compiler check the options in the table against those that the command's code takes. */
export function command<const T extends Options>(spec: CommandSpec<T>): Command {
  return {
    ...spec,
    load: async () => {
      const { run } = await spec.load();
      // The parser returns values as the table of options declares them.
      return { run: ({ values, operands }, io) => run({ values: values as Values<T>, operands }, io) };
    },
  };
}

/** Thrown for a command line that makes no sense: prints the usage on stderr and exits with 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
