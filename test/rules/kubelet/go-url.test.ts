import { describe, expect, it } from "vitest";
import { parseSchemelessUrl } from "../../../lib/rules/kubelet/go-url";
import { toBytes } from "../../../lib/rules/kubelet/go-text";

// Outcomes of url.Parse("https://" + text) of Go 1.26.
describe("parseSchemelessUrl", () => {
  it.each([
    ["host.io:80/a?b#c", "host.io:80", "/a"],
    ["u:p%40@host.io", "host.io", ""],
    ["h%C3%A9.io/%2f", "h\xc3\xa9.io", "//"],
    ["h%25.io", "h%.io", ""],
    ["[::1%25a%20b]:80", "[::1%a b]:80", ""],
    ["", "", ""],
    ["/a", "", "/a"],
    ["a//b", "a", "//b"],
    ["host:", "host:", ""],
    ["a?b?c", "a", ""],
  ])("reads %j", (text, host, path) => {
    expect(parseSchemelessUrl(toBytes(text))).toEqual({ host, path });
  });

  it.each([
    ["a b", 'parse "https://a b": invalid character " " in host name'],
    ["a%2e", 'parse "https://a%2e": invalid URL escape "%2e"'],
    ["a/%", 'parse "https://a/%": invalid URL escape "%"'],
    ["a/%zz#f", 'parse "https://a/%zz": invalid URL escape "%zz"'],
    ["a#%zz", 'parse "https://a#%zz": invalid URL escape "%zz"'],
    ["u%2:0@a", 'parse "https://u%2:0@a": invalid URL escape "%2"'],
    ["u\\@a", 'parse "https://u\\\\@a": net/url: invalid userinfo'],
    ["a:b", 'parse "https://a:b": invalid port ":b" after host'],
    ["a:1:2", 'parse "https://a:1:2": invalid port ":1:2" after host'],
    ["[::1", `parse "https://[::1": missing ']' in host`],
    ["[::1]x", 'parse "https://[::1]x": invalid port "x" after host'],
    ["a[::1]", 'parse "https://a[::1]": invalid IP-literal'],
    ["[1.2.3.4]", 'parse "https://[1.2.3.4]": invalid IP-literal'],
    ["[1:2]", 'parse "https://[1:2]": invalid host: ParseAddr("1:2"): address string too short'],
    [
      "[1:]",
      'parse "https://[1:]": invalid host: ParseAddr("1:"): colon must be followed by more characters (at ":")',
    ],
    [
      "[1:2g:3]",
      'parse "https://[1:2g:3]": invalid host: ParseAddr("1:2g:3"): unexpected character, want colon (at "g:3")',
    ],
    ["[::1%25%2F]", 'parse "https://[::1%25%2F]": invalid URL escape "%2F"'],
    ["a\u0000", 'parse "https://a\\x00": net/url: invalid control character in URL'],
  ])("refuses %j", (text, error) => {
    expect(parseSchemelessUrl(toBytes(text))).toEqual({ error });
  });

  it("lets an older kubelet have a second colon", () => {
    expect(parseSchemelessUrl("a:1:2", { strictColons: false })).toEqual({ host: "a:1:2", path: "" });
    expect(parseSchemelessUrl("a:1:x", { strictColons: false })).toEqual({
      error: 'parse "https://a:1:x": invalid port ":x" after host',
    });
  });
});
