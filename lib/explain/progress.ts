/*
 * Who waits for long work hears how far it has come: files read, results judged, service accounts compared. Only a program
 * that runs one command at a time listens, so there is one listener at most.
 */

type Listener = (what: string) => void;

let listener: Listener | undefined;

/** Says that one more is done; `what` names them, in the plural. */
export function step(what: string): void {
  listener?.(what);
}

/** Has each {@link step} heard from now on; `undefined` ends it. */
export function listen(to: Listener | undefined): void {
  listener = to;
}
