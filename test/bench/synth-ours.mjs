/* Synthesizes that many service accounts with this library, and says how long the proof took of it. */
import { createRequire } from "node:module";
import { declareOurs } from "./our-stack.mjs";
import { measure } from "./workload.mjs";

const { App } = createRequire(import.meta.url)("cdktf");

measure((outdir, accounts) => {
  const app = new App({ outdir, stackTraces: false });
  const proof = declareOurs(app, accounts);
  app.synth();
  return { proof: proof() };
});
