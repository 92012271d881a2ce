/*
 * The flags of the plugins as their own --help prints them, and values as the programs took or refused them: ecr 1.34.1
 * and 1.36.0, acr 1.36.5, gcp 36.2.5 and 36.3.8.
 */

import { describe, expect, it } from "vitest";
import { type FlagKind, flagsOf, isTrue, readerOf } from "../../lib/rules/plugin-flags";

describe("flagsOf", () => {
  it("ecr: help and, in a release, version", () => {
    expect(flagsOf("ecr")).toEqual({
      short: { h: "help", v: "version" },
      kinds: { help: "print", version: "print" },
    });
  });

  it("acr", () => {
    expect(flagsOf("acr")).toEqual({
      short: { h: "help", r: "registry-mirror", v: "v" },
      kinds: {
        help: "print",
        "ib-apiserver-ip": "string",
        "ib-default-client-id": "string",
        "ib-default-tenant-id": "string",
        "ib-sni-name": "string",
        "log-flush-frequency": "duration",
        "registry-mirror": "string",
        v: "level",
        version: "print",
        vmodule: "module-levels",
      },
    });
  });

  // And --sts-audience of pull request 1248.
  it("gcp", () => {
    expect(flagsOf("gcp")).toEqual({
      short: { a: "authFlow", h: "help", v: "v" },
      kinds: {
        add_dir_header: "bool",
        alsologtostderr: "bool",
        alsologtostderrthreshold: "severity",
        authFlow: "string",
        help: "print",
        "identity-provider": "string",
        legacy_stderr_threshold_behavior: "bool",
        log_backtrace_at: "trace-location",
        log_dir: "string",
        log_file: "string",
        log_file_max_size: "size",
        logtostderr: "bool",
        one_output: "bool",
        "project-id": "string",
        skip_headers: "bool",
        skip_log_headers: "bool",
        stderrthreshold: "severity",
        "sts-audience": "string",
        v: "level",
        vmodule: "module-levels",
      },
    });
  });

  it("of no other", () => {
    for (const plugin of ["other", "constructor"]) expect(flagsOf(plugin)).toEqual({ short: {}, kinds: {} });
  });
});

const INT32 = {
  taken: ["3", "0", "-1", "+3", "007", "2147483647", "-2147483648"],
  refused: ["", "x", "0x3", "1_0", "3.0", " 3", "3s", "2147483648", "-2147483649", "+", "٣"],
};
const BOOL = {
  taken: ["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"],
  refused: ["", "yes", "no", "on", "tRUE", "2", " true"],
};

const VALUES: Readonly<
  Record<FlagKind, { readonly taken: readonly string[]; readonly refused: readonly string[] }>
> = {
  string: { taken: ["", "x", "--v"], refused: [] },
  level: INT32,
  duration: { taken: ["5s", "0", "-5s", "1h2m", "1.5m", "100ms"], refused: ["", "x", "5", "5 s", "1d"] },
  size: {
    taken: ["0", "1", "1800", "0x10", "0X1f", "010", "0o17", "0b11", "1_000", "0x_1", "18446744073709551615"],
    refused: [
      "",
      "x",
      "-1",
      "+1",
      "09",
      "1__0",
      "_1",
      "1_",
      "0x",
      "1.0",
      "18446744073709551616",
      "0x10000000000000000",
    ],
  },
  bool: BOOL,
  print: BOOL,
  severity: {
    taken: ["INFO", "WARNING", "ERROR", "FATAL", "info", "Fatal", "0", "9", "-1"],
    refused: ["", "x", "WARN", "e", "I", "INFO ", "2147483648"],
  },
  "module-levels": {
    taken: ["", "a=1", ",a=1,", "a=1,b*=2", "a=0", "[=1", "a=+1"],
    refused: ["a", "a=", "=1", "a=-1", "a=x", "a=1=2", "a=2147483648", "a=1,b"],
  },
  "trace-location": {
    taken: ["", "a.go:3", ".:+3", "a.go:9223372036854775807"],
    refused: [
      "a",
      "a.go",
      "a:3",
      "a.go:0",
      "a.go:-1",
      "a.go:x",
      "a.go:",
      "a.go:1:2",
      "a.go:9223372036854775808",
    ],
  },
};

describe("readerOf", () => {
  it.each(Object.entries(VALUES))("%s", (kind, { taken, refused }) => {
    const { takes } = readerOf(kind as FlagKind);
    expect(taken.filter((value) => !takes(value))).toEqual([]);
    expect(refused.filter(takes)).toEqual([]);
  });
});

it("isTrue: strconv.ParseBool", () => {
  expect(BOOL.taken.filter(isTrue)).toEqual(["1", "t", "T", "TRUE", "true", "True"]);
});
