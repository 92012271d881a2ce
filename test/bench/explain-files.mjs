/*
 * Writes what the explain benchmark reads: service accounts that each declare the same number of images. With
 * `shared` all declare the same ones, so that the roles' policies have one text; with `distinct` each declares one
 * of its own beside the shared ones, so that no two policies are alike.
 */
import { createRequire } from "node:module";
import { declareOurs } from "./our-stack.mjs";
import { accounts } from "./workload.mjs";

const { App } = createRequire(import.meta.url)("cdktf");

const [, , outdir, shape, count, images] = process.argv;
const shared = Array.from({ length: Number(images) }, (_, index) => `base/image-${index}`);
const repositoriesOf = (own) => (shape === "shared" ? shared : [own, ...shared.slice(1)]);

const app = new App({ outdir, stackTraces: false });
declareOurs(app, accounts(Number(count)), repositoriesOf);
app.synth();
console.log("{}");
