import { describe, expect, it } from "vitest";
import { type WantedCopy, copyInto } from "../../../lib/explain/fleet/init-copy";

const WANTED: WantedCopy = { name: "plugin", rest: "/kubelogin", path: "/usr/local/bin/kubelogin" };
const UNPUBLISHED: WantedCopy = { ...WANTED, path: undefined };
const FROM = "/usr/local/bin/kubelogin";
const MOUNT = { name: "plugin", mountPath: "/plugins" };

/** Source: the manual of cp (POSIX.1-2017), and of GNU coreutils and busybox for `-t`. */
describe("a copy into a volume", () => {
  it.each<[string, readonly string[], string]>([
    ["into the folder", ["cp", FROM, "/plugins/"], "copied"],
    ["by a whole path", ["/bin/cp", FROM, "/plugins/kubelogin"], "copied"],
    ["into what is mounted", ["/usr/bin/cp", "-fv", FROM, "/plugins"], "copied"],
    ["as an archive", ["cp", "-a", FROM, "/plugins/"], "copied"],
    ["with its mode", ["cp", "--preserve=mode", FROM, "/plugins"], "copied"],
    ["under another name", ["cp", FROM, "/plugins/other"], "elsewhere"],
    ["into another folder", ["cp", FROM, "/other/"], "elsewhere"],
    ["of another file", ["cp", "/bin/other", "/plugins/kubelogin"], "unclear"],
    ["of several files", ["cp", FROM, "/bin/other", "/plugins/"], "unclear"],
    ["of a folder", ["cp", "-r", FROM, "/plugins/bin"], "unclear"],
    ["with the folder first", ["cp", "-t", "/plugins", FROM], "unclear"],
    ["to a relative path", ["cp", FROM, "plugins/"], "unclear"],
    ["of nothing", ["cp", FROM], "unclear"],
    ["by a script", ["sh", "-c", `cp ${FROM} /plugins/`], "unclear"],
    ["by another program", ["true", FROM, "/plugins/"], "unclear"],
  ])("%s", (_, command, outcome) => {
    expect(copyInto({ command, volumeMounts: [MOUNT] }, WANTED)).toEqual([outcome]);
    const [program, ...args] = command;
    expect(copyInto({ command: [program], args, volumeMounts: [MOUNT] }, WANTED)).toEqual([outcome]);
  });

  it("of an image that nobody published", () => {
    const copied = (...command: readonly string[]): unknown =>
      copyInto({ command, volumeMounts: [MOUNT] }, UNPUBLISHED);
    expect(copied("cp", "/kubelogin", "/plugins/")).toEqual(["copied"]);
    expect(copied("cp", "-r", "/bin", "/plugins/")).toEqual(["unclear"]);
    expect(copied("cp", "-t", "/plugins", "/kubelogin")).toEqual(["unclear"]);
  });

  it("through a mount of a part, or none", () => {
    const command = ["cp", FROM, "/plugins/"];
    expect(copyInto({ command, volumeMounts: [{ ...MOUNT, subPath: "a" }] }, WANTED)).toEqual(["unclear"]);
    expect(copyInto({ command, volumeMounts: [{ ...MOUNT, name: "other" }] }, WANTED)).toEqual([]);
  });
});
