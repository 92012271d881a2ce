/*
 * What the plugins, built from the tags and run, answered to arguments: ecr 1.36.0 (as a release, with its version), acr
 * 1.36.5, gcp 36.3.8. The log is the beginning of what they printed.
 */

import { describe, expect, it } from "vitest";
import type { PluginFacts } from "../../lib/model/cluster";
import { certainRefusal, parsedArguments } from "../../lib/rules/plugin-arguments";

const RELEASES: Readonly<Record<string, PluginFacts>> = {
  ecr: { version: "1.36.0" },
  acr: { version: "1.36.5" },
  gcp: { version: "36.3.8" },
};

const log = (
  plugin: string,
  args: readonly string[],
  facts: PluginFacts = RELEASES[plugin] ?? {},
): string | undefined => certainRefusal(plugin, facts, parsedArguments(plugin, args))?.log;

describe("certainRefusal", () => {
  it.each<[string, readonly string[], string]>([
    ["ecr", ["-v=5"], 'invalid argument "5" for "-v, --version" flag'],
    ["ecr", ["-v"], "error decoding credential provider plugin response from stdout"],
    ["ecr", ["-vh"], "error decoding"],
    ["ecr", ["--v=5"], "unknown flag: --v"],
    ["ecr", ["get-credentials", "--v=3"], "unknown flag: --v"],
    ["ecr", ["-r"], "unknown shorthand flag: 'r' in -r"],
    ["ecr", ["--version"], "error decoding"],
    ["ecr", ["--version=x"], 'invalid argument "x" for "-v, --version" flag'],
    ["ecr", ["--help=x"], 'invalid argument "x" for "-h, --help" flag'],
    ["ecr", ["-h"], "error decoding"],
    ["ecr", ["--log-flush-frequency=1s"], "unknown flag: --log-flush-frequency"],
    ["acr", ["--v=notanumber"], 'invalid argument "notanumber" for "-v, --v" flag'],
    ["acr", ["-v", "3", "-v"], "flag needs an argument: 'v' in -v"],
    ["acr", ["-vx"], 'invalid argument "x" for "-v, --v" flag'],
    ["acr", ["-vh=3"], 'invalid argument "h=3" for "-v, --v" flag'],
    ["acr", ["--v=x", "--v=3"], 'invalid argument "x" for "-v, --v" flag'],
    ["acr", ["--log-flush-frequency=x", "--nope"], "unknown flag: --nope"],
    ["acr", ["--v="], 'invalid argument "" for "-v, --v" flag'],
    ["acr", ["--v=2147483648"], 'invalid argument "2147483648" for "-v, --v" flag'],
    ["gcp", ["get-credentials", "--one_output=tRUE"], 'invalid argument "tRUE" for "--one_output" flag'],
    ["acr", ["--registry-mirror"], "flag needs an argument: --registry-mirror"],
    ["acr", ["--logtostderr"], "unknown flag: --logtostderr"],
    ["acr", ["-xr"], "unknown shorthand flag: 'x' in -xr"],
    ["acr", ["-hx"], "unknown shorthand flag: 'x' in -x"],
    ["acr", ["--=x"], "bad flag syntax: --=x"],
    ["acr", ["---v=3"], "bad flag syntax: ---v=3"],
    ["acr", ["-=3"], "unknown shorthand flag: '=' in -=3"],
    ["acr", ["--h"], "unknown flag: --h"],
    ["acr", ["-r=x", "-v=1", "-h"], "error decoding"],
    ["acr", ["--nope", "--v=x"], "unknown flag: --nope"],
    ["gcp", ["get-credentials", "-v="], 'invalid argument "=" for "-v, --v" flag'],
    ["gcp", ["get-credentials", "-h="], "unknown shorthand flag: '=' in -="],
    [
      "gcp",
      ["get-credentials", "--v", "--authFlow=gcr"],
      'invalid argument "--authFlow=gcr" for "-v, --v" flag',
    ],
    ["gcp", ["get-credentials", "--logtostderr=yes"], 'invalid argument "yes" for "--logtostderr" flag'],
    ["gcp", ["get-credentials", "--log-dir=x"], "unknown flag: --log-dir"],
    ["gcp", ["get-credentials", "--version"], "unknown flag: --version"],
    ["gcp", ["-logtostderr", "get-credentials"], "unknown shorthand flag: 'l' in -logtostderr"],
  ])("%s %j: %s", (plugin, args, expected) => {
    expect(log(plugin, args)?.slice(0, expected.length)).toBe(expected);
  });

  it.each<[string, readonly string[]]>([
    ["ecr", []],
    ["ecr", ["get-credentials"]],
    ["ecr", ["a", "b"]],
    ["ecr", ["--help=false"]],
    ["ecr", ["-v=0"]],
    ["ecr", ["--", "-v=5"]],
    ["ecr", ["-"]],
    ["acr", ["-v3", "/f"]],
    ["acr", ["-v=-1", "/f"]],
    ["acr", ["-v=+007", "-v=-2147483648", "/f"]],
    ["acr", ["-r=", "/f"]],
    ["acr", ["-rv", "/f"]],
    ["acr", ["--registry-mirror", "--v", "/f"]],
    ["acr", ["--version=false", "/f"]],
    ["gcp", ["get-credentials", "--logtostderr", "false"]],
    ["gcp", ["get-credentials", "--logtostderr=T", "--skip_headers=0"]],
    ["gcp", ["get-credentials", "--", "--v=x"]],
  ])("%s %j is taken", (plugin, args) => {
    expect(log(plugin, args)).toBeUndefined();
  });

  it("is that of a known release; a build with abilities of its own may have more flags, but none less", () => {
    const build = { version: "36.3.8", abilities: ["custom-pools"] };
    const unknown = ["get-credentials", "--nope"];
    const value = ["get-credentials", "--v=x"];
    expect([log("gcp", unknown, build), log("gcp", value, build)?.slice(0, 16)]).toEqual([
      undefined,
      "invalid argument",
    ]);
    for (const facts of [{}, { version: "37.0.0" }, { version: "36.2.1" }, { abilities: ["tokens"] }])
      expect([log("gcp", unknown, facts), log("gcp", value, facts)]).toEqual([undefined, undefined]);
    expect(log("other", ["--nope"], { version: "1.0.0" })).toBeUndefined();
  });
});

describe("parsedArguments", () => {
  it("takes words, values and early flags apart", () => {
    expect(
      parsedArguments("gcp", ["--v", "2", "-logtostderr", "get", "-agcr", "--v=3", "more", "--", "--v=4"]),
    ).toMatchObject({
      words: ["get", "more"],
      rest: ["--v=4"],
      early: ["v", "logtostderr"],
      values: new Map([
        ["v", "3"],
        ["authFlow", "gcr"],
      ]),
    });
  });

  it.each(["--vmodule=a=1", "--log-flush-frequency=5s", "--log-flush-frequency=x"])(
    "%s stays open",
    (flag) => {
      const parsed = parsedArguments("acr", [flag, "/f"]);
      expect(parsed.refusal).toMatchObject({ isOpen: true, remedy: `leave ${flag.split("=")[0]} out` });
      expect(certainRefusal("acr", { version: "1.36.5" }, parsed)).toBeUndefined();
    },
  );

  it("says what to do", () => {
    const remedy = (...args: string[]): string | undefined => parsedArguments("acr", args).refusal?.remedy;
    expect([remedy("--v=x"), remedy("--v"), remedy("--nope"), remedy("-h")]).toEqual([
      "give --v a whole number",
      "set a value for --v",
      "leave --nope out",
      "leave --help out",
    ]);
  });
});
