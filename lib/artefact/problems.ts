import { fail } from "../errors";

export function refuseFolder(path: string, reason: string): never {
  return fail("bind-invalid", {
    problem: `folder ${reason}`,
    value: path,
    allowed: "a synth output folder (cdktf.out) or the folder of one stack in it",
    remedy: "run `cdktf synth` first, then name its output folder",
  });
}

export function refuseUnreadable(path: string, reason: string): never {
  return fail("bind-missing", {
    problem: `file cannot be read (${reason})`,
    value: path,
    remedy: "check the path; `cdktf synth` writes missing files of its output folder again",
  });
}

export function refuseFile(file: string, reason: string): never {
  return fail("bind-invalid", {
    problem: `file ${reason}`,
    value: file,
    allowed: "the file as this release of the library wrote it",
    remedy: "run `cdktf synth` again, and `bind` with the same release",
  });
}
