import { App } from "cdktf";
import { printWritten } from "../print-written";
import { Edge } from "./stack";

const app = new App({ stackTraces: false });
new Edge(app, "edge");
app.synth();
printWritten(app.outdir);
