import { App } from "cdktf";
import { printWritten } from "../print-written";
import { ProdEu } from "./stack";

const app = new App({ stackTraces: false });
new ProdEu(app, "prod-eu");
app.synth();
printWritten(app.outdir);
