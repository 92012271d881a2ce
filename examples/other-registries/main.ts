import { App } from "cdktf";
import { printWritten } from "../print-written";
import { OtherRegistries } from "./stack";

const app = new App({ stackTraces: false });
new OtherRegistries(app, "edge");
app.synth();
printWritten(app.outdir);
