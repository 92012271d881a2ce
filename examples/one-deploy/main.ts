import { App } from "cdktf";
import { printWritten } from "../print-written";
import { OneDeploy } from "./stack";

const app = new App({ stackTraces: false });
new OneDeploy(app, "prod");
app.synth();
printWritten(app.outdir);
