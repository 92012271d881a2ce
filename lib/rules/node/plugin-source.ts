/*
 * Plugins that nodes download themselves: from where, and with which checksum. A file with another checksum never
 * becomes executable.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import type { NodeExecutable } from "../../model/node-file";

/** Characters that have no special meaning to a shell or in a configuration. */
const URL = /^https:\/\/[A-Za-z0-9._~:/@%+,=-]+$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** Returns a plugin's source if it is valid; throws otherwise. */
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
      problem: `the ${wrong[0]} of the plugin ${plugin} is not valid`,
      value: wrong[1],
      allowed: wrong[2],
      remedy: "state the URL of the release's file and the checksum published with it",
    });
  return source;
}

/** A POSIX shell command that downloads an executable and keeps it only if the checksum matches. */
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
