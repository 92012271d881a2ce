/*
 * Allows one `bind` at a time in a target folder. Each run creates a file named after its process and host in the
 * staging folder, and then looks for others: of two runs that start at once, neither can miss the other.
 */

import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { BIND_STAGE, isHalfBound } from "../../artefact/bind-stage";
import { errorCode } from "../../artefact/synth-folder";
import { removeEmpty } from "./make-folders";

const LOCK = /^lock-(\d+)\.\d+@(.*)$/;

/** Age in milliseconds from which a lock is ignored, whatever its host and process: no run takes so long. */
const STALE_AFTER = 10 * 60_000;

/** How long to wait for another run, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Runs a function while no other `bind` runs in the folder. Meanwhile the staging folder exists; afterwards it is
 * removed unless it holds a journal.
 *
 * `refuse` gets the reason if another run has not ended after `patience` milliseconds.
 */
export function whileLocked<Result>(
  folder: string,
  refuse: (reason: string) => never,
  run: () => Result,
  patience: number = PATIENCE,
): Result {
  const stage = join(folder, BIND_STAGE);
  const host = hostname().replace(/[^\w.-]/g, "_");
  const lock = `lock-${process.pid}.${threadId}@${host}`;
  const end = Date.now() + patience;
  for (let other = taken(stage, lock, host); other !== undefined; other = taken(stage, lock, host)) {
    if (Date.now() >= end) return refuse(`EBUSY: another bind (${other}) is writing there`);
    // A random wait, so that two runs that give way to each other do not collide again.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20 + Math.random() * 80);
  }
  try {
    return run();
  } finally {
    if (!isHalfBound(folder)) removeAll(stage, (name) => !LOCK.test(name));
    leave(stage, lock);
  }
}

/** Locks the staging folder. If another run is at work, returns its name and leaves no lock. */
function taken(stage: string, own: string, host: string): string | undefined {
  makeStage(stage, own);
  const others = readdirSync(stage).filter((name) => LOCK.test(name) && name !== own);
  const running = others.find((name) => isRunning(stage, name, host));
  if (running === undefined) removeAll(stage, (name) => others.includes(name));
  else leave(stage, own);
  return running;
}

function makeStage(stage: string, own: string): void {
  for (;;) {
    try {
      mkdirSync(stage);
    } catch (error) {
      // A symbolic link would lead writes elsewhere.
      if (
        errorCode(error) !== "EEXIST" ||
        lstatSync(stage, { throwIfNoEntry: false })?.isDirectory() === false
      )
        throw error;
    }
    try {
      return writeFileSync(join(stage, own), "");
    } catch (error) {
      // Another run ended and removed the folder.
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }
}

function isRunning(stage: string, lock: string, host: string): boolean {
  const [, pid = "", owner = ""] = LOCK.exec(lock) ?? [];
  if (owner === host && !isProcess(Number(pid))) return false;
  const modified = statSync(join(stage, lock), { throwIfNoEntry: false })?.mtimeMs;
  return modified !== undefined && Date.now() - modified < STALE_AFTER;
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

function removeAll(stage: string, isMeant: (name: string) => boolean): void {
  for (const name of readdirSync(stage).filter(isMeant))
    rmSync(join(stage, name), { recursive: true, force: true });
}

/** Removes this run's lock, and the folder if it is then empty. */
function leave(stage: string, own: string): void {
  rmSync(join(stage, own), { force: true });
  removeEmpty([stage]);
}
