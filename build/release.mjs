/*
 * What a release must be called, from the reports of the public surface: the last tag's compared with those of today.
 *
 * node build/release.mjs level          major, minor or patch since the last tag, and why
 * node build/release.mjs check v1.2.3   fails unless package.json, CHANGELOG.md and the surface agree with the tag
 * node build/release.mjs notes v1.2.3   the tag's section of CHANGELOG.md
 */

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const REPORTS = "test/api";
const LEVELS = ["patch", "minor", "major"];

/** Declarations of a report by name; overloads of a function are one. */
function declarations(report) {
  const [, code = ""] = /```ts\n([^]*?)\n```/.exec(report) ?? [];
  const all = new Map();
  for (const block of code.split(/^\/\/ @\w+.*$/m).slice(1)) {
    const text = block.replace(/\n\/\/ \(No @packageDocumentation[^]*$/, "").trim();
    const [, kind = "", name = text] =
      /^export (?:declare |abstract )*(class|interface|function|const|type|enum|namespace) (\w+)/.exec(
        text,
      ) ?? [];
    const known = all.get(name);
    all.set(name, { kind, text: known ? `${known.text}\n${text}` : text });
  }
  return all;
}

/** A member that may be left out by those who wrote against the interface before. */
const OPTIONAL = /^\s*(?:static |readonly )*["\w]+\?[:(]/;

/** Changes of the members of one class or interface. */
function memberChanges(name, before, after) {
  const [old, now] = [before, after].map(({ text }) => text.split("\n"));
  if (old[0] !== now[0]) return [["major", `${name}: ${now[0]}`]];
  const gone = old
    .filter((line) => !now.includes(line))
    .map((line) => ["major", `${name} had ${line.trim()}`]);
  const added = now
    .filter((line) => !old.includes(line))
    .map((line) => {
      const isFree =
        after.kind === "class" ? !/\babstract\b|^\s*constructor\(/.test(line) : OPTIONAL.test(line);
      return [isFree ? "minor" : "major", `${name} has ${line.trim()}`];
    });
  return [...gone, ...added];
}

/**
 * Changes of one report, each with what it asks for. What is not certain to be compatible is breaking: a type that is
 * wider, a required member of an interface that the library alone writes.
 */
function reportChanges(before, after) {
  const [old, now] = [declarations(before), declarations(after)];
  const changes = [];
  for (const [name, declared] of old) {
    const current = now.get(name);
    if (!current) changes.push(["major", `${name} is gone`]);
    else if (current.kind !== declared.kind) changes.push(["major", `${name} is a ${current.kind} now`]);
    else if (["class", "interface"].includes(current.kind))
      changes.push(...memberChanges(name, declared, current));
    else if (current.text !== declared.text) changes.push(["major", `${name} is another ${current.kind}`]);
  }
  for (const name of now.keys()) if (!old.has(name)) changes.push(["minor", `${name} is new`]);
  return changes;
}

/** Changes of everything that users write against: reports by file name, and the manifest. */
export function changesOf(before, after) {
  const changes = [];
  for (const [file, report] of before.reports)
    changes.push(
      ...(after.reports.has(file)
        ? reportChanges(report, after.reports.get(file))
        : [["major", `the entry of ${file} is gone`]]),
    );
  for (const file of after.reports.keys())
    if (!before.reports.has(file)) changes.push(["minor", `the entry of ${file} is new`]);
  for (const key of ["engines", "peerDependencies"])
    for (const [name, range] of Object.entries({ ...before.manifest[key], ...after.manifest[key] })) {
      const old = before.manifest[key]?.[name];
      const isOptional = after.manifest.peerDependenciesMeta?.[name]?.optional === true;
      if (old === undefined) changes.push([isOptional ? "minor" : "major", `${key} has ${name} ${range}`]);
      else if (after.manifest[key]?.[name] !== old) changes.push(["major", `${key} had ${name} ${old}`]);
    }
  return changes;
}

/** The greatest level of several changes; `patch` where there are none. */
export function levelOf(changes) {
  return LEVELS[Math.max(0, ...changes.map(([level]) => LEVELS.indexOf(level)))];
}

function numbers(version) {
  const [, ...parts] = /^v?(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? [];
  if (parts.length === 0) throw new Error(`${version} is no version; allowed: 1.2.3, or v1.2.3 for a tag`);
  return parts.map(Number);
}

/** The least version for a level. Before 1.0.0 what breaks raises the minor, and everything else the patch. */
export function nextVersion(previous, level) {
  const [major, minor, patch] = numbers(previous);
  const asked = major > 0 ? level : level === "major" ? "minor" : "patch";
  if (asked === "major") return `${major + 1}.0.0`;
  return asked === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

function isBefore(one, other) {
  const [a, b] = [numbers(one), numbers(other)];
  const place = a.findIndex((number, index) => number !== b[index]);
  return place >= 0 && a[place] < b[place];
}

/** What CHANGELOG.md says of a version; `undefined` where it has no section with a date. */
export function notesOf(changelog, version) {
  const name = version.replace(/^v/, "").replaceAll(".", "\\.");
  const section = new RegExp(`^## \\[?${name}\\]? - \\d{4}-\\d{2}-\\d{2}\\n([^]*?)(?=^## |(?![^]))`, "m");
  const notes = section.exec(changelog)?.[1]?.trim();
  return notes === "" ? undefined : notes;
}

/** Why a tag must not be released. `previous` is the last tag with its surface; `undefined` for a first release. */
export function problemsOf(tag, { manifest, changelog, reports }, previous) {
  const problems = [];
  const version = numbers(tag).join(".");
  if (manifest.version !== version)
    problems.push(
      `package.json has version ${manifest.version}; set it to ${version}, or tag v${manifest.version}`,
    );
  if (notesOf(changelog, version) === undefined)
    problems.push(`CHANGELOG.md has no section "## ${version} - <date>"; move what is unreleased there`);
  if (previous) {
    const changes = changesOf(previous, { manifest, reports });
    const least = nextVersion(previous.tag, levelOf(changes));
    if (isBefore(version, least))
      problems.push(
        [
          `since ${previous.tag} the public surface asks for ${least} or more:`,
          ...changes.filter(([level]) => level === levelOf(changes)).map(([, change]) => `  ${change}`),
        ].join("\n"),
      );
  }
  return problems;
}

function git(...args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

/** The surface of the last tag before the one that is released. */
function lastRelease(tag) {
  const tags = git("tag", "--merged", "HEAD", "--sort=-v:refname", "--list", "v[0-9]*").split("\n");
  const last = tags.find((each) => /^v\d+\.\d+\.\d+$/.test(each) && each !== tag);
  if (last === undefined) return undefined;
  const files = git("ls-tree", "-r", "--name-only", last, REPORTS).split("\n");
  const reports = files.filter((file) => file.endsWith(".api.md"));
  return {
    tag: last,
    manifest: JSON.parse(git("show", `${last}:package.json`)),
    reports: new Map(reports.map((file) => [file.slice(REPORTS.length + 1), git("show", `${last}:${file}`)])),
  };
}

function today() {
  const names = readdirSync(join(root, REPORTS)).filter((file) => file.endsWith(".api.md"));
  const read = (path) => readFileSync(join(root, path), "utf8");
  return {
    manifest: JSON.parse(read("package.json")),
    changelog: read("CHANGELOG.md"),
    reports: new Map(names.map((file) => [file, read(join(REPORTS, file))])),
  };
}

function main([command, tag]) {
  const now = today();
  if (command === "level") {
    const last = lastRelease(undefined);
    if (!last) return console.log(`no tag yet: release v${now.manifest.version}`);
    const changes = changesOf(last, now);
    for (const [level, change] of changes) console.log(`${level}\t${change}`);
    return console.log(
      `${levelOf(changes)}: ${nextVersion(last.tag, levelOf(changes))} or more after ${last.tag}`,
    );
  }
  if (tag === undefined || !["check", "notes"].includes(command))
    throw new Error("usage: node build/release.mjs level, or check TAG, or notes TAG");
  const problems = problemsOf(tag, now, lastRelease(tag));
  if (problems.length > 0) throw new Error(problems.join("\n"));
  console.log(command === "notes" ? notesOf(now.changelog, tag) : `${tag} may be released`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
