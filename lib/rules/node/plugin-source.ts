/*
 * Plugins that nodes fetch themselves: from where, and with which checksum. A file with another one is never made
 * executable.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import type { NodeExecutable } from "../../model/node-file";

/** Characters that no shell and no configuration treats in any special way. */
const URL = /^https:\/\/[A-Za-z0-9._~:/@%+,=-]+$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** Returns where a plugin comes from, checked. */
export function pluginSource<T extends Pick<NodeExecutable, "url" | "sha256">>(plugin: string, source: T): T {
  literal(source, `source of the plugin ${plugin}`);
  const wrong = !URL.test(source.url)
    ? (["url", source.url, "https://…, of letters, digits and . _ ~ : / @ % + , = -"] as const)
    : !SHA256.test(source.sha256)
      ? ([
          "sha256",
          source.sha256,
          "64 hexadecimal digits in lower case, as `sha256sum` prints them",
        ] as const)
      : undefined;
  if (wrong !== undefined)
    return fail("node-invalid", {
      problem: `${wrong[0]} of the plugin ${plugin} is not one`,
      value: wrong[1],
      allowed: wrong[2],
      remedy: "name the release's file and the checksum published beside it",
    });
  return source;
}

/** A command of a POSIX shell that fetches an executable and takes it only with its checksum. */
export function fetchCommand({ path, url, sha256 }: NodeExecutable): string {
  const [folder] = /^.*(?=\/)/.exec(path) ?? ["/"];
  return [
    `mkdir -p ${folder}`,
    `curl -fsSL --retry 5 -o ${path}.new ${url}`,
    `echo "${sha256}  ${path}.new" | sha256sum -c -`,
    `chmod 0755 ${path}.new`,
    `mv ${path}.new ${path}`,
  ].join(" && ");
}
