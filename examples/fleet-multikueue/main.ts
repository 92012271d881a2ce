import { App } from "cdktf";
import { printWritten } from "../print-written";
import { BatchHub } from "./stack";

const app = new App({ stackTraces: false });
new BatchHub(app, "batch-hub");
app.synth();
printWritten(app.outdir);
