import { App } from "cdktf";
import { ProdEu } from "./stack.js";

const app = new App();
new ProdEu(app, "prod-eu");
app.synth();
