/* The app that `cdktf synth` runs: that many service accounts; writes how long the proof took, in ms, to that file. */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { declareOurs } from "./our-stack.mjs";
import { accounts } from "./workload.mjs";

const { App } = createRequire(import.meta.url)("cdktf");
const [count, file] = process.argv.slice(2);
const app = new App();
const proof = declareOurs(app, accounts(Number(count)));
app.synth();
writeFileSync(file, String(proof()));
