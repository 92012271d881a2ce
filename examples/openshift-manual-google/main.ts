import { App } from "cdktf";
import { printWritten } from "../print-written";
import { ProdOnGoogle } from "./stack";

const app = new App({ stackTraces: false });
new ProdOnGoogle(app, "prod-google");
app.synth();
printWritten(app.outdir);
