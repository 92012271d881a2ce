import { relative } from "node:path";
import { run } from "./run";
import { stopped } from "./catalogue";

const folder = "cdktf.out/denied-pulls";
for (const { variant, after } of run(folder)) {
  const { id, reason } = stopped(after);
  console.log(`${after.verdict}  ${variant.id}: ${id}: ${reason}`);
}
console.log(`wrote to ${relative(process.cwd(), folder)}/`);
