import { App } from "cdktf";
import { printWritten } from "../print-written";
import { OwnCluster } from "./stack";

const app = new App({ stackTraces: false });
new OwnCluster(app, "metal-1");
app.synth();
printWritten(app.outdir);
