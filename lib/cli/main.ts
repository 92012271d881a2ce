#!/usr/bin/env node
import { usesColour } from "./colour";
import { allowClosedPipe, run } from "./run";

for (const stream of [process.stdout, process.stderr]) allowClosedPipe(stream);

void run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  // Reading `process.stdin` opens it.
  get input() {
    return process.stdin;
  },
  colour: usesColour(process.stdout.isTTY, process.env),
  // A line is cleared by a sequence that a dumb terminal does not know.
  progress: process.stderr.isTTY && process.env["TERM"] !== "dumb",
}).then((code) => {
  process.exitCode = code;
});
