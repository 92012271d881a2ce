import { App } from "cdktf";
import { printWritten } from "../print-written";
import { GitOpsHub } from "./stack";

const app = new App({ stackTraces: false });
new GitOpsHub(app, "gitops-hub");
app.synth();
printWritten(app.outdir);
