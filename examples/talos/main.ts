import { App } from "cdktf";
import { printWritten } from "../print-written";
import { Metal } from "./stack";

const app = new App({ stackTraces: false });
new Metal(app, "metal");
app.synth();
printWritten(app.outdir);
