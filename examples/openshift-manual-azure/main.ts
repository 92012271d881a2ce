import { App } from "cdktf";
import { printWritten } from "../print-written";
import { ProdOnAzure } from "./stack";

const app = new App({ stackTraces: false });
new ProdOnAzure(app, "prod-azure");
app.synth();
printWritten(app.outdir);
