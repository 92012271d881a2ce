import { App } from "cdktf";
import { printWritten } from "../print-written";
import { ProdPools } from "./stack";

const app = new App({ stackTraces: false });
new ProdPools(app, "prod-pools");
app.synth();
printWritten(app.outdir);
