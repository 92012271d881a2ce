import { TerraformStack, Testing } from "cdktf";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../../lib/cli/commands";
import { Manifests } from "../../lib/synth/manifests";
import { addAccount, filesOf, stackFixture, temporaryFolder } from "../fixtures/synth/stack-fixture";
import { cli } from "../support/cli";

describe("usage", () => {
  it.each([[["--help"]], [["-h"]], [["help"]]])("%j prints the commands", async (args) => {
    const { code, out, err } = await cli(...args);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Usage: cdktf-workload-identity [options] [command]");
    for (const { name, summary } of commands)
      expect(out).toMatch(new RegExp(`\\n  ${name} .* ${summary}\\n`));
  });

  it.each([[["bind", "--help"]], [["help", "bind"]], [["bind", "-h", "--unknown"]]])(
    "%j prints one command's usage, options, examples and exit codes",
    async (args) => {
      const { code, out, err } = await cli(...args);
      expect([code, err]).toEqual([0, ""]);
      for (const line of [
        "Usage: cdktf-workload-identity bind --outputs <FILE> --to <DIR> [options] [DIR]\n",
        "  --to <DIR>         folder for the finished files (required)\n",
        "  cdktf-workload-identity bind --outputs outputs.json --to manifests\n",
        "  2  wrong usage\n",
      ])
        expect(out).toContain(line);
    },
  );

  it("says of every option of every command what it means", async () => {
    for (const { name, options, examples } of commands) {
      const { out } = await cli("help", name);
      for (const [long, { summary }] of Object.entries(options)) {
        expect(out).toContain(`  --${long}`);
        expect(out.replace(/\s+/g, " ")).toContain(summary);
      }
      for (const [args] of examples) expect(args.startsWith(name), args).toBe(true);
    }
  });

  it("prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as {
      version: string;
    };
    expect(await cli("--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  it.each([
    [[], "Usage: cdktf-workload-identity [options] [command]"],
    [["bound"], "error: unknown command 'bound'\n(Did you mean bind?)\n"],
    [["constructor"], "error: unknown command 'constructor'\n"],
    [["help", "bound"], "error: unknown command 'bound'\n(Did you mean bind?)\n"],
    [["bind"], "error: bind needs --outputs <FILE>\n"],
    [["bind", "--outputs", "o.json"], "error: bind needs --to <DIR>\n"],
    [["bind", "--outputs", "", "--to", "x"], "error: bind needs --outputs <FILE>\n"],
    [["bind", "--outputs", "o.json", "--to", "x", "a", "b"], "Expected 1 argument but got 2"],
    [["bind", "--output", "o.json"], "error: unknown option '--output'\n(Did you mean --outputs?)\n"],
    [["bind", "--outputs"], "error: option '--outputs <FILE>' argument missing\n"],
    [["jwks"], "error: missing required argument 'PEM'\n"],
    [["completion", "csh"], "Allowed choices are bash, zsh, fish."],
    [
      ["explain", "--image", "a/b:c", "--spoke", "s"],
      "error: --image asks about pulls and --spoke about fleet",
    ],
  ])("%j is refused with exit 2 and usage on stderr", async (args, message) => {
    const { code, out, err } = await cli(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).toContain("Usage: cdktf-workload-identity");
  });
});

describe("bind", () => {
  it("writes finished files and prints them", async () => {
    const { app, manifests, data } = stackFixture();
    addAccount(manifests, data.id);
    app.synth();
    const outputs = join(app.outdir, "o.json");
    writeFileSync(outputs, JSON.stringify({ prod: { Manifests: { terraform_data_d_id: "1-2" } } }));
    const to = join(temporaryFolder(), "finished");

    const file = "prod/manifests/20-service-accounts.yaml";
    expect(await cli("bind", "--outputs", outputs, "--to", to, app.outdir)).toEqual({
      code: 0,
      out: `changed  ${to}/.workload-identity-files\nchanged  ${to}/${file}\n2 changed, 0 unchanged, 0 removed in ${to}\n`,
      err: "",
    });
    expect(filesOf(to)[file]).toContain("    example.com/id: 1-2\n");
  });

  it("says what it would do, and with --check fails where that is something", async () => {
    const { app, manifests } = stackFixture();
    addAccount(manifests, "x");
    manifests.nodeSetup("all", { files: [], kubeletFlags: { a: "1" } });
    app.synth();
    const outputs = join(app.outdir, "o.json");
    writeFileSync(outputs, "{}");
    const to = join(temporaryFolder(), "finished");
    const bound = (...args: string[]): ReturnType<typeof cli> =>
      cli("bind", "--outputs", outputs, "--to", to, ...args, app.outdir);
    const file = "prod/manifests/20-service-accounts.yaml";
    expect((await bound("--dry-run")).code).toBe(0);
    expect(existsSync(to)).toBe(false);
    expect((await bound()).code).toBe(0);
    const same = `0 changed, 3 unchanged, 0 removed in ${to}; nothing was written\n`;
    expect(await bound("--check")).toEqual({ code: 0, out: same, err: "" });

    writeFileSync(join(to, file), "edited\n");
    rmSync(join(app.outdir, "stacks/prod/nodes"), { recursive: true });
    const facts = join(app.outdir, "stacks/prod/workload-identity.json");
    writeFileSync(facts, readFileSync(facts, "utf8").replace(/"nodes": \[[^\]]*\]/, '"nodes": []'));
    const out =
      `changed  ${to}/.workload-identity-files\nchanged  ${to}/${file}\nremoved  ${to}/prod/nodes/all.yaml\n` +
      `2 changed, 0 unchanged, 1 removed in ${to}; nothing was written\n`;
    expect(await bound("--check")).toEqual({ code: 1, out, err: "" });
    expect(await bound("--dry-run")).toEqual({ code: 0, out, err: "" });
    expect(readFileSync(join(to, file), "utf8")).toBe("edited\n");
  });

  it("removes nothing of a stack that it does not bind", async () => {
    const to = join(temporaryFolder(), "finished");
    const outs: string[] = [];
    for (const name of ["one", "two"]) {
      const app = Testing.app({ outdir: temporaryFolder() });
      const stack = new TerraformStack(app, name);
      addAccount(Manifests.of(stack), "x");
      app.synth();
      const outputs = join(app.outdir, "o.json");
      writeFileSync(outputs, "{}");
      outs.push((await cli("bind", "--outputs", outputs, "--to", to, join(app.outdir, "stacks", name))).out);
    }
    expect(outs.join("")).not.toMatch(/^removed/m);
    expect(Object.keys(filesOf(to))).toEqual([
      ".workload-identity-files",
      "one/manifests/20-service-accounts.yaml",
      "two/manifests/20-service-accounts.yaml",
    ]);
  });

  it("says that it has undone what an interrupted run changed", async () => {
    const [app, to] = [Testing.app({ outdir: temporaryFolder() }), join(temporaryFolder(), "finished")];
    addAccount(Manifests.of(new TerraformStack(app, "prod")), "x");
    app.synth();
    const outputs = join(app.outdir, "o.json");
    writeFileSync(outputs, "{}");
    const bind = (): ReturnType<typeof cli> => cli("bind", "--outputs", outputs, "--to", to, app.outdir);
    expect(await bind()).toMatchObject({ code: 0, err: "" });
    const file = "prod/manifests/20-service-accounts.yaml";
    const fresh = createHash("sha256")
      .update(readFileSync(join(to, file)))
      .digest("hex");
    const stage = join(to, ".workload-identity-bind");
    mkdirSync(stage);
    writeFileSync(join(stage, "old-0"), "old");
    const journal = { entries: [{ path: file, fresh, old: "old-0" }], folders: [] };
    writeFileSync(join(stage, "journal"), JSON.stringify(journal));
    expect(await cli("explain", to)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("(explain-mismatch)") as unknown,
    });
    expect(await bind()).toMatchObject({
      code: 0,
      err: "an earlier bind was interrupted: what it had changed was undone before these files were written\n",
    });
    expect(Object.keys(filesOf(to))).toEqual([".workload-identity-files", file]);
  });

  it("prints a refusal in one message with its code, exit 1", async () => {
    const { code, out, err } = await cli("bind", "--outputs", "none.json", "--to", "x", temporaryFolder());
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(
      /^cdktf-workload-identity: folder holds no workload-identity\.json .* \(bind-invalid\)\n$/,
    );
  });
});
