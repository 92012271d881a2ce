#!/usr/bin/env node
import { allowClosedPipe, run } from "./run";

for (const stream of [process.stdout, process.stderr]) allowClosedPipe(stream);

void run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  colour: process.stdout.isTTY && process.env["NO_COLOR"] === undefined,
}).then((code) => {
  process.exitCode = code;
});
