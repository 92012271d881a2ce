/*
 * A real browser for tests of pages: the one that CHROMIUM_PATH names, one on PATH, or the one that
 * `npx playwright-core install chromium` fetched.
 */

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES: readonly string[] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Path of a browser; `undefined` where there is none. */
export const browserPath: string | undefined = [
  process.env["CHROMIUM_PATH"] ?? "",
  ...(process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name))),
  chromium.executablePath(),
].find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path !== "";
  } catch {
    return false;
  }
}

/** Starts it; it runs as root in containers, where its sandbox does not. */
export function launched(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath ?? "",
    args: ["--no-sandbox", "--disable-gpu"],
  });
}
