/* Judges every declared pull of a synth folder (`ours`), or only parses its files (`theirs`). */
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { processorTime } from "./workload.mjs";

const require = createRequire(import.meta.url);
const [, , side, folder, wanted] = process.argv;
const work = { ours: explained, theirs: parsed }[side]();

function parsed() {
  const { parseAllDocuments } = require("yaml");
  return () =>
    readdirSync(folder, { recursive: true }).flatMap((path) => {
      const text = () => readFileSync(join(folder, path), "utf8");
      if (path.endsWith(".json")) return [JSON.parse(text())];
      if (path.endsWith(".yaml")) return parseAllDocuments(text()).map((document) => document.toJS());
      return [];
    });
}

function explained() {
  const { Explainer } = require("cdktf-workload-identity/explain");
  return () => {
    let allowed = 0;
    for (const { verdict } of Explainer.read([folder]).pulls()) if (verdict === "allowed") allowed++;
    if (allowed !== Number(wanted)) throw new Error(`${allowed} pulls are allowed, not ${wanted}`);
  };
}

const begin = processorTime();
const kept = work();
const ms = processorTime() - begin;
const megabytes = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ ms, megabytes, parts: kept?.length }));
