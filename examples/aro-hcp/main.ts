import { App } from "cdktf";
import { printWritten } from "../print-written";
import { AroHcp } from "./stack";

const app = new App({ stackTraces: false });
new AroHcp(app, "aro-hcp");
app.synth();
printWritten(app.outdir);
