import { App } from "cdktf";
import { printWritten } from "../print-written";
import { ProdOnAws } from "./stack";

const app = new App({ stackTraces: false });
new ProdOnAws(app, "prod-aws");
app.synth();
printWritten(app.outdir);
