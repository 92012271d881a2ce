import fc from "fast-check";
import { LateEncoding } from "../../../lib/model/late";
import { describe, expect, it } from "vitest";
import { ignitionConfig } from "../../../lib/rules/openshift/machine-config";
import { ignitionFiles } from "../../support/ignition";
import { refusal } from "../../support/refusal";

const file = (path: string, content = "x", mode = 0o644) => ({ path, mode, content });
const LATE = "${TfToken[TOKEN.7]}";

describe("ignitionConfig", () => {
  it("writes the operator's own form: decimal mode, overwrite, empty compression, base64 data URL", () => {
    expect(ignitionConfig([file("/etc/b", "käse\n", 0o600), file("/etc/a", "a: 1\n")])).toEqual({
      ignition: { version: "3.2.0" },
      storage: {
        files: [
          {
            path: "/etc/a",
            mode: 420,
            overwrite: true,
            contents: { compression: "", source: "data:text/plain;charset=utf-8;base64,YTogMQo=" },
          },
          {
            path: "/etc/b",
            mode: 384,
            overwrite: true,
            contents: { compression: "", source: "data:text/plain;charset=utf-8;base64,a8Okc2UK" },
          },
        ],
      },
    });
  });

  it("leaves a late content unencoded", () => {
    const [first] = ignitionConfig([file("/etc/a", `id: ${LATE}`)]).storage.files;
    expect(first?.contents.source).toEqual(new LateEncoding("data-url", `id: ${LATE}`));
  });

  it("reads back what it wrote", () => {
    const path = fc
      .array(fc.stringMatching(/^[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,8}$/), { minLength: 1, maxLength: 4 })
      .map((parts) => `/${parts.join("/")}`);
    fc.assert(
      fc.property(
        path,
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 0, max: 0o777 }),
        (p, content, mode) => {
          const files = [{ path: p, content, mode }];
          expect(ignitionFiles(ignitionConfig(files))).toEqual(files);
        },
      ),
    );
  });

  // Judged with the parsers of Ignition 2.22 (config/v3_2, v3_5): both take what this library writes. They refuse the
  // first row and the bad paths and mode 0o10000 as well; a file below a file fails only on the node, special bits
  // are without effect before 3.6, and the force file is refused by the Machine Config Operator alone.
  it.each([
    [[file("/a"), file("/a")], "openshift-conflict: Ignition refuses"],
    [[file("/a/b"), file("/a")], "openshift-conflict: Ignition refuses"],
    [[file("/a"), file("/a/b/c")], "openshift-conflict: Ignition refuses"],
    [[file("a")], "node-invalid"],
    [[file("/a/../b")], "node-invalid"],
    [[file("/a/")], "node-invalid"],
    [[file("/a//b")], "node-invalid"],
    [[file("/")], "node-invalid"],
    [[file("")], "node-invalid"],
    [[file("/a", "x", 0o10000)], "node-invalid"],
    [[file("/a", "x", 0o4755)], "node-invalid"],
    [[file("/run/machine-config-daemon-force")], "openshift-invalid: refuses this path"],
  ])("refuses %j with %s", (files, code) => {
    expect(() => ignitionConfig(files)).toThrowError(refusal(code));
  });

  it("allows neighbours whose names share a beginning", () => {
    const paths = ["/etc/a", "/etc/a.d/b", "/etc/ab"];
    expect(ignitionConfig(paths.map((path) => file(path))).storage.files.map(({ path }) => path)).toEqual(
      paths,
    );
  });
});
