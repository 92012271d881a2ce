import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../lib/cli/run";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { payloadRequests } from "../support/credentials-requests";
import { cli } from "../support/cli";

const keys = JSON.parse(readFileSync(resolve(__dirname, "../fixtures/openid/keys.json"), "utf8")) as {
  pem: string;
  jwk: object;
}[];
const ISSUER = "https://mycluster-oidc.s3.us-east-2.amazonaws.com";

function keyFiles(): { folder: string; first: string; second: string } {
  const folder = temporaryFolder();
  const [first, second] = ["first.pub", "second.pub"].map((name) => join(folder, name));
  writeFileSync(first ?? "", keys[0]?.pem ?? "");
  writeFileSync(second ?? "", keys[5]?.pem ?? "");
  return { folder, first: first ?? "", second: second ?? "" };
}

describe("jwks of standard input", () => {
  const fed = async (
    text: string,
    ...args: string[]
  ): Promise<{ code: number; out: string; err: string }> => {
    const written = { out: "", err: "" };
    const bytes = Buffer.from(text);
    const code = await run(["jwks", ...args], {
      out: (more) => void (written.out += more),
      err: (more) => void (written.err += more),
      // In pieces that end within a line.
      input: Readable.from([bytes.subarray(0, 100), bytes.subarray(100)]),
    });
    return { code, ...written };
  };
  const [one = "", two = ""] = [keys[0]?.pem, keys[5]?.pem];

  it.each<[string, string, readonly (object | undefined)[]]>([
    ["one key", one, [keys[0]?.jwk]],
    [
      "several, with lines between them",
      `# first\n${one}\n# second\n${two}\n\n`,
      [keys[0]?.jwk, keys[5]?.jwk],
    ],
    ["line ends of Windows", `${one}${two}`.replaceAll("\n", "\r\n"), [keys[0]?.jwk, keys[5]?.jwk]],
  ])("%s", async (_, text, expected) => {
    const { code, out, err } = await fed(text, "-");
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toEqual({ keys: expected });
  });

  it("stands among files", async () => {
    const { first } = keyFiles();
    expect(JSON.parse((await fed(two, first, "-")).out)).toEqual({ keys: [keys[0]?.jwk, keys[5]?.jwk] });
  });

  it.each<[string, string, RegExp]>([
    ["nothing", "", /standard input is empty/],
    ["too much", "x".repeat(65_537), /is larger than 65536 bytes, got \"standard input\"/],
    ["the same key twice", one + one, /key 1 of standard input and key 2 of standard input are the same/],
    [
      "a private key",
      one +
        generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "pem", type: "sec1" }),
      /key 2 of standard input is a private key; it is not shown here/,
    ],
  ])("is refused: %s", async (_, text, message) => {
    const { code, out, err } = await fed(text, "-");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(message);
  });
});

describe("jwks", () => {
  it("prints the key set of all files, in their order", async () => {
    const { first, second } = keyFiles();
    const { code, out, err } = await cli("jwks", second, first);
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toEqual({ keys: [keys[5]?.jwk, keys[0]?.jwk] });
    expect(out).toMatch(/\n$/);
  });

  it("prints the discovery document before it when there is an issuer", async () => {
    const { first } = keyFiles();
    const { code, out } = await cli("jwks", first, "--issuer", ISSUER, "--jwks-path", "openid/v1/jwks");
    expect(code).toBe(0);
    const [discovery = "", jwks = ""] = out.split(/(?<=^\}\n)/m);
    expect(JSON.parse(discovery)).toMatchObject({ issuer: ISSUER, jwks_uri: `${ISSUER}/openid/v1/jwks` });
    expect(JSON.parse(jwks)).toEqual({ keys: [keys[0]?.jwk] });
  });

  it("writes both at their paths, also over older ones", async () => {
    const { folder, first } = keyFiles();
    const to = join(folder, "to");
    const discovery = join(to, ".well-known/openid-configuration");
    const jwks = join(to, "keys.json");
    const done = { code: 0, out: `${discovery}\n${jwks}\n`, err: "" };
    expect(await cli("jwks", first, "--issuer", ISSUER, "--to", to)).toEqual(done);
    writeFileSync(jwks, "old");
    expect(await cli("jwks", first, "--issuer", ISSUER, "--to", to)).toEqual(done);
    expect(readFileSync(jwks, "utf8")).toBe(JSON.stringify({ keys: [keys[0]?.jwk] }, undefined, 4));
    expect(JSON.parse(readFileSync(discovery, "utf8"))).toMatchObject({ jwks_uri: `${ISSUER}/keys.json` });
    expect(readdirSync(to)).toEqual([".well-known", "keys.json"]);
    expect(readdirSync(join(to, ".well-known"))).toEqual(["openid-configuration"]);
  });

  it("warns of an issuer with a slash at its end", async () => {
    const { first } = keyFiles();
    const { code, out, err } = await cli("jwks", first, "--issuer", `${ISSUER}/`);
    expect([code, err]).toEqual([
      0,
      "the issuer ends with a slash: the cluster's `iss` must end with one too\n",
    ]);
    expect(out).toContain(`"jwks_uri": "${ISSUER}/keys.json"`);
  });

  it("writes nothing where one document has no place", async () => {
    const { folder, first } = keyFiles();
    const to = join(folder, "to");
    mkdirSync(join(to, "keys.json"), { recursive: true });
    const { code, out, err } = await cli("jwks", first, "--issuer", ISSUER, "--to", to);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("the documents cannot be written (EISDIR); none was written");
    expect(readdirSync(to)).toEqual(["keys.json"]);
    writeFileSync(join(folder, "file"), "");
    expect((await cli("jwks", first, "--to", join(folder, "file"))).err).toContain("(issuer-unsupported)");
  });

  it("names the file of a private key, and shows nothing of it", async () => {
    const { folder, first } = keyFiles();
    const secret = join(folder, "signer.private");
    const pem = generateKeyPairSync("rsa", { modulusLength: 2048 })
      .privateKey.export({ format: "pem", type: "pkcs1" })
      .toString();
    writeFileSync(secret, pem);
    const to = join(folder, "to");
    const { code, out, err } = await cli("jwks", first, secret, "--issuer", ISSUER, "--to", to);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`${secret} is a private key; it is not shown here`);
    for (const line of pem.split("\n").slice(1, -2)) expect(err).not.toContain(line.slice(0, 12));
    expect(readdirSync(folder)).not.toContain("to");
  });

  it("shows nothing of a key that stands on the command line", async () => {
    const pem = generateKeyPairSync("rsa", { modulusLength: 2048 })
      .privateKey.export({ format: "pem", type: "pkcs8" })
      .toString();
    for (const text of [pem, pem.replaceAll("\n", ""), pem.split("\n").slice(1).join("\n")]) {
      const { code, out, err } = await cli("jwks", text);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toMatch(/^error: .*(not their text|not from the command line)\n\nUsage: /);
      expect(err).not.toContain(pem.split("\n")[1]?.slice(0, 12));
    }
  });

  it("shows nothing of the body of a key that stands on the command line, however it was cut", async () => {
    const pem = generateKeyPairSync("rsa", { modulusLength: 2048 })
      .privateKey.export({ format: "pem", type: "pkcs8" })
      .toString();
    const lines = pem.trim().split("\n").slice(1, -1);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: lines.length - 2 }),
        fc.integer({ min: 1, max: lines.length }),
        fc.constantFrom("", " ", "\n"),
        async (from, count, joint) => {
          const part = lines.slice(from, from + count);
          for (const args of [part, [part.join(joint)]]) {
            const { code, out, err } = await cli("jwks", ...args);
            expect([code, out]).toEqual([2, ""]);
            for (const line of part) expect(err).not.toContain(line.slice(0, 12));
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("reads no device", async () => {
    const { code, err } = await cli("jwks", "/dev/zero");
    expect([code, err]).toEqual([1, expect.stringContaining("cannot be read (it is not a regular file)")]);
  });

  it("leaves no folder behind where a document has no place", async () => {
    const { folder, first } = keyFiles();
    const to = join(folder, "to");
    mkdirSync(to);
    writeFileSync(join(to, "file"), "");
    const { code } = await cli(
      "jwks",
      first,
      "--to",
      to,
      "--jwks-path",
      "file/keys.json",
      "--issuer",
      ISSUER,
    );
    expect([code, readdirSync(to)]).toEqual([1, ["file"]]);
  });

  it.each([
    [["no-such-file"], 1, "cannot be read (ENOENT)"],
    [["."], 1, "cannot be read (EISDIR)"],
    [[], 2, "missing required argument 'PEM'"],
    [["--key", "x"], 2, "unknown option '--key'"],
  ])("%j exits with %i", async (args, expected, message) => {
    const { code, out, err } = await cli("jwks", ...args);
    expect([code, out]).toEqual([expected, ""]);
    expect(err).toContain(message);
  });

  it.each([
    ["--issuer", "http://a.example", "issuer-invalid"],
    ["--jwks-path", "../keys.json", "issuer-invalid"],
    ["--jwks-path", "/keys.json", "issuer-invalid"],
  ])("refuses %s %s", async (option, value, code) => {
    const { err } = await cli("jwks", keyFiles().first, option, value);
    expect(err).toContain(`(${code})`);
  });
});

function folderOf(documents: readonly unknown[]): string {
  const folder = temporaryFolder();
  for (const [index, document] of documents.entries())
    writeFileSync(join(folder, `${index}.json`), JSON.stringify(document));
  return folder;
}

describe("credentials-diff", () => {
  const releases = (...names: string[]): string[] =>
    names.map((release) => folderOf(payloadRequests("aws", release)));

  it("exits with 0 and prints nothing where nothing differs", async () => {
    expect(await cli("credentials-diff", ...releases("5.0", "5.1"))).toEqual({ code: 0, out: "", err: "" });
  });

  it("prints what the components of a newer release ask for, and exits with 1", async () => {
    const { code, out, err } = await cli("credentials-diff", ...releases("4.21", "4.22"));
    expect([code, err]).toEqual([1, ""]);
    expect(out).toContain(
      [
        "changed openshift-machine-api-aws (AWSProviderSpec)",
        '  providerSpec.statementEntries{"effect":"Allow","resource":"*"}.action',
        "    + ec2:AllocateHosts",
        "    + ec2:ReleaseHosts",
        "",
      ].join("\n"),
    );
  });

  it("prints JSON of version 1", async () => {
    const folders = [
      folderOf(payloadRequests("aws", "4.22").slice(1)),
      folderOf(payloadRequests("aws", "4.22")),
    ];
    const { code, out } = await cli("credentials-diff", "--format", "json", ...folders);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      added: [{ name: "aws-ebs-csi-driver-operator", providerKind: "AWSProviderSpec" }],
      removed: [],
      changed: [],
    });
    const same = await cli("credentials-diff", "--format", "json", ...releases("5.0", "5.1"));
    expect([same.code, JSON.parse(same.out)]).toEqual([
      0,
      { version: 1, added: [], removed: [], changed: [] },
    ]);
  });

  it("shows control characters of a file as escapes", async () => {
    const [document] = payloadRequests("aws", "4.22");
    const odd = {
      ...document,
      metadata: { name: "a", annotations: { "k\u001b[2J": "\u001b[31m\nadded x" } },
    };
    const { out } = await cli("credentials-diff", folderOf([document]), folderOf([document, odd]));
    expect(out).toContain("    + \\u001b[31m\\u000aadded x\n");
    expect(out).not.toContain("\u001b");
  });

  it.each([
    [[], "missing required argument 'OLD'"],
    [["a"], "missing required argument 'NEW'"],
    [["a", "b", "c"], "Expected 2 arguments but got 3"],
    [["a", "b", "--format", "xml"], "argument 'xml' is invalid. Allowed choices are text, json."],
    [["no-such", "b"], "folder of CredentialsRequests cannot be read (ENOENT)"],
  ])("%j is refused with exit 2", async (args, message) => {
    const { code, out, err } = await cli("credentials-diff", ...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });
});
