import { fail } from "../errors";
import { type Kind, made, number } from "./shape";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** A length of time in whole seconds, printed in the kubelet's format. */
export class Duration {
  /** The length in seconds. */
  readonly totalSeconds: number;

  private constructor(totalSeconds: number) {
    this.totalSeconds =
      Number.isSafeInteger(totalSeconds) && totalSeconds >= 0
        ? totalSeconds
        : fail("property-invalid", {
            problem: "duration is not a whole number of seconds, 0 or more",
            value: totalSeconds,
            allowed: "Duration.seconds(n), Duration.minutes(n), Duration.hours(n)",
            remedy: "use one of these functions",
          });
  }

  /** Returns a duration of this many seconds. */
  static seconds(amount: number): Duration {
    return new Duration(amount);
  }

  /** Returns a duration of this many minutes. */
  static minutes(amount: number): Duration {
    return new Duration(amount * MINUTE);
  }

  /** Returns a duration of this many hours. */
  static hours(amount: number): Duration {
    return new Duration(amount * HOUR);
  }

  /** Returns Go's format without zero parts: `12h`, `10m`, `1m30s`, `0s`. */
  toString(): string {
    const parts: readonly (readonly [number, string])[] = [
      [Math.floor(this.totalSeconds / HOUR), "h"],
      [Math.floor((this.totalSeconds % HOUR) / MINUTE), "m"],
      [this.totalSeconds % MINUTE, "s"],
    ];
    return parts.map(([amount, unit]) => (amount === 0 ? "" : `${amount}${unit}`)).join("") || "0s";
  }
}

export const DURATION: Kind<Duration> = made<Pick<Duration, "totalSeconds">>(
  "a Duration, such as Duration.minutes(10)",
  "Duration.minutes(10)",
  { totalSeconds: number },
);
