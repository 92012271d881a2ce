import { App } from "cdktf";
import { printWritten } from "../print-written";
import { Shop } from "./stack";

const app = new App({ stackTraces: false });
new Shop(app, "shop");
app.synth();
printWritten(app.outdir);
