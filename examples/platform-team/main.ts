import { App } from "cdktf";
import { printWritten } from "../print-written";
import { Platform } from "./stack";

const app = new App({ stackTraces: false });
new Platform(app, "platform");
app.synth();
printWritten(app.outdir);
