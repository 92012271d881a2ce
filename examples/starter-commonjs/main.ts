import { App } from "cdktf";
import { ProdEu } from "./stack";

const app = new App();
new ProdEu(app, "prod-eu");
app.synth();
