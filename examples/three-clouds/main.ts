import { App } from "cdktf";
import { printWritten } from "../print-written";
import { ThreeClouds } from "./stack";

const app = new App({ stackTraces: false });
new ThreeClouds(app, "edge-1");
app.synth();
printWritten(app.outdir);
