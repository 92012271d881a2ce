/*
 * Go's netip.ParseAddr for what stands in the brackets of a URL (go/src/net/netip/netip.go): which texts are IPv6
 * addresses, and the exact complaint about those that are not. The value of the address does not matter here.
 */

import { goQuote } from "./go-text";

const FIELDS = 8;

/** Go's complaint about a bracketed host, or `undefined` when it is an IPv6 address, with or without zone. */
export function ipv6Problem(text: string): string | undefined {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === ".") {
    const problem = ipv4Problem(text);
    return problem ? invalid(text, problem) : "invalid IP-literal";
  }
  const problem =
    first === undefined
      ? { message: "unable to parse IP" }
      : first === "%"
        ? { message: "missing IPv6 address" }
        : addressProblem(text);
  return problem && invalid(text, problem);
}

interface Problem {
  readonly message: string;
  readonly at?: string;
}

function invalid(text: string, { message, at }: Problem): string {
  const where = at === undefined || at === "" ? "" : ` (at ${goQuote(at)})`;
  return `invalid host: ParseAddr(${goQuote(text)}): ${message}${where}`;
}

function addressProblem(text: string): Problem | undefined {
  const percent = text.indexOf("%");
  const address = percent < 0 ? text : text.slice(0, percent);
  if (percent === text.length - 1) return { message: "zone must be a non-empty string" };
  const leading = address.startsWith("::");
  if (leading && address.length === 2) return undefined;
  return fieldsProblem(leading ? address.slice(2) : address, leading);
}

/** Reads the fields one after the other, as Go does, so that the first complaint is Go's. */
function fieldsProblem(address: string, leadingEllipsis: boolean): Problem | undefined {
  let rest = address;
  let ellipsis = leadingEllipsis;
  let count = 0;
  while (count < FIELDS) {
    const digits = /^[0-9a-fA-F]{0,5}/.exec(rest)?.[0] ?? "";
    if (digits.length > 4) return tooLong(rest);
    if (digits === "")
      return { message: "each colon-separated field must have at least one digit", at: rest };
    if (rest[digits.length] === ".") {
      const problem = embeddedProblem(rest, ellipsis, count);
      if (problem) return problem;
      rest = "";
      count += 2;
      break;
    }
    count++;
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) return { message: "unexpected character, want colon", at: rest };
    if (rest.length === 1) return { message: "colon must be followed by more characters", at: rest };
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (ellipsis) return { message: "multiple :: in address", at: rest };
      ellipsis = true;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  return endProblem(rest, count, ellipsis);
}

function endProblem(rest: string, count: number, ellipsis: boolean): Problem | undefined {
  if (rest !== "") return { message: "trailing garbage after address", at: rest };
  if (count < FIELDS && !ellipsis) return { message: "address string too short" };
  return count >= FIELDS && ellipsis
    ? { message: "the :: must expand to at least one field of zeros" }
    : undefined;
}

/** Go checks the length of a field before its value, so five digits are too long even with leading zeros. */
function tooLong(at: string): Problem {
  return { message: "each group must have 4 or less digits", at };
}

function embeddedProblem(rest: string, ellipsis: boolean, count: number): Problem | undefined {
  if (!ellipsis && count !== FIELDS - 2)
    return {
      message: "embedded IPv4 address must replace the final 2 fields of the address",
      at: rest,
    };
  if (count + 2 > FIELDS)
    return {
      message: "too many hex fields to fit an embedded IPv4 at the end of the address",
      at: rest,
    };
  return ipv4Problem(rest);
}

function ipv4Problem(text: string): Problem | undefined {
  let value = 0;
  let digits = 0;
  let fields = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c >= "0" && c <= "9") {
      if (digits === 1 && value === 0) return { message: "IPv4 field has octet with leading zero" };
      value = value * 10 + Number(c);
      digits++;
      if (value > 255) return { message: "IPv4 field has value >255" };
    } else if (c === ".") {
      if (digits === 0 || i === text.length - 1)
        return { message: "IPv4 field must have at least one digit", at: text.slice(i) };
      if (fields === 3) return { message: "IPv4 address too long" };
      fields++;
      value = 0;
      digits = 0;
    } else {
      return { message: "unexpected character", at: text.slice(i) };
    }
  }
  return fields < 3 ? { message: "IPv4 address too short" } : undefined;
}
