/*
 * The flags of the image credential provider plugins that use service account tokens, and how each reads its value.
 *
 * Every row was tried with programs built from the tags: ecr 1.34.1 and 1.36.0, acr 1.36.5 (1.34.7 and 1.35 read), gcp
 * 36.2.5 and 36.3.8. Sources: cmd/<plugin>/main.go of each; klog (`InitFlags`, and `Set` of `Level`, `severityValue`,
 * `moduleSpec` and `traceLocation`); component-base logs (`AddFlags`); Go's flag and strconv.
 */

import { parseGoDuration } from "./kubelet/go-duration";

/** How a flag reads its value; `print` is a `bool` that has the plugin print something else than credentials. */
export type FlagKind =
  | "string"
  | "level"
  | "duration"
  | "size"
  | "bool"
  | "severity"
  | "module-levels"
  | "trace-location"
  | "print";

/** The flags of one plugin. */
export interface PluginFlags {
  /** Names by their single letter. */
  readonly short: Readonly<Record<string, string>>;
  /** Kinds by name. */
  readonly kinds: Readonly<Record<string, FlagKind>>;
}

/** Of each plugin; `ecr` has none but those of every command. */
const FLAGS: Readonly<Record<string, PluginFlags>> = {
  ecr: { short: { h: "help", v: "version" }, kinds: { help: "print", version: "print" } },
  acr: {
    short: { h: "help", r: "registry-mirror", v: "v" },
    kinds: {
      help: "print",
      version: "print",
      "registry-mirror": "string",
      "ib-sni-name": "string",
      "ib-default-client-id": "string",
      "ib-default-tenant-id": "string",
      "ib-apiserver-ip": "string",
      v: "level",
      vmodule: "module-levels",
      "log-flush-frequency": "duration",
    },
  },
  gcp: {
    short: { a: "authFlow", h: "help", v: "v" },
    kinds: {
      help: "print",
      authFlow: "string",
      "identity-provider": "string",
      "project-id": "string",
      // Of builds of cloud-provider-gcp pull request 1248 alone.
      "sts-audience": "string",
      v: "level",
      vmodule: "module-levels",
      stderrthreshold: "severity",
      alsologtostderrthreshold: "severity",
      log_backtrace_at: "trace-location",
      log_dir: "string",
      log_file: "string",
      log_file_max_size: "size",
      logtostderr: "bool",
      alsologtostderr: "bool",
      legacy_stderr_threshold_behavior: "bool",
      one_output: "bool",
      add_dir_header: "bool",
      skip_headers: "bool",
      skip_log_headers: "bool",
    },
  },
};

const NONE: PluginFlags = { short: {}, kinds: {} };

/** The flags of a plugin; none for a plugin that is not known. */
export function flagsOf(plugin: string): PluginFlags {
  return (Object.hasOwn(FLAGS, plugin) ? FLAGS[plugin] : undefined) ?? NONE;
}

interface Reader {
  /** What it takes, for people. */
  readonly allowed: string;
  /** Whether it takes the value. */
  readonly takes: (value: string) => boolean;
}

/** Go's strconv.ParseBool. */
const TRUE: readonly string[] = ["1", "t", "T", "TRUE", "true", "True"];
const FALSE: readonly string[] = ["0", "f", "F", "FALSE", "false", "False"];
const SEVERITIES: readonly string[] = ["INFO", "WARNING", "ERROR", "FATAL"];
const bool: Reader = {
  allowed: "true or false",
  takes: (value) => TRUE.includes(value) || FALSE.includes(value),
};

const READERS: Readonly<Record<FlagKind, Reader>> = {
  string: { allowed: "any text", takes: () => true },
  level: { allowed: "a whole number", takes: isInt32 },
  duration: { allowed: "a duration with unit, 5s", takes: (value) => !("error" in parseGoDuration(value)) },
  size: { allowed: "a whole number from 0 on", takes: isUint64 },
  bool,
  print: bool,
  severity: {
    allowed: `${SEVERITIES.join(", ")}, or a whole number`,
    takes: (value) => SEVERITIES.includes(value.toUpperCase()) || isInt32(value),
  },
  "module-levels": {
    allowed: "<file pattern>=<level>, separated by commas",
    takes: (value) => value.split(",").every((part) => part === "" || isModuleLevel(part)),
  },
  "trace-location": {
    allowed: "<file>.go:<line>",
    takes: (value) => value === "" || isTraceLocation(value),
  },
};

/** How a kind reads its value. */
export function readerOf(kind: FlagKind): Reader {
  return READERS[kind];
}

/** Whether a value of the kind `bool` or `print` means true. */
export function isTrue(value: string): boolean {
  return TRUE.includes(value);
}

const DECIMAL = /^[+-]?\d+$/;

function isInt(value: string, bits: bigint): boolean {
  if (!DECIMAL.test(value)) return false;
  const number = BigInt(value.replace("+", ""));
  return number >= -(2n ** (bits - 1n)) && number < 2n ** (bits - 1n);
}

/** Go's strconv.ParseInt(value, 10, 32). */
function isInt32(value: string): boolean {
  return isInt(value, 32n);
}

/** By base: Go takes an underscore behind the prefix and between digits. */
const UINT = /^(?:0x(?:_?[0-9a-f])+|0b(?:_?[01])+|0o?(?:_?[0-7])+|0|[1-9](?:_?\d)*)$/i;

/** Go's strconv.ParseUint(value, 0, 64). */
function isUint64(value: string): boolean {
  if (!UINT.test(value)) return false;
  const digits = value.replaceAll("_", "");
  return BigInt(digits.replace(/^0(?=\d)/, "0o").toLowerCase()) < 2n ** 64n;
}

function isModuleLevel(part: string): boolean {
  const [pattern = "", level = "", ...more] = part.split("=");
  return pattern !== "" && more.length === 0 && isInt32(level) && BigInt(level.replace("+", "")) >= 0n;
}

function isTraceLocation(value: string): boolean {
  const [file = "", line = "", ...more] = value.split(":");
  return file.includes(".") && more.length === 0 && isInt(line, 64n) && BigInt(line.replace("+", "")) > 0n;
}
