import { App } from "cdktf";
import { printWritten } from "../print-written";
import { ProdEu, stages } from "./stack";

const [, , asked, ahead] = process.argv;
const stage = stages.find((each) => each === asked);
if (!stage) throw new Error(`name a stage: ${stages.join(", ")}`);
const app = new App({ stackTraces: false });
new ProdEu(app, "prod-eu", stage, ahead === "strict" ? ahead : undefined);
app.synth();
printWritten(app.outdir);
