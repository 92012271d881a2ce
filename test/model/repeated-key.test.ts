import fc from "fast-check";
import { expect, it } from "vitest";
import { repeatedKey } from "../../lib/model/repeated-key";

// RFC 8259, §4: names within an object SHOULD be unique; what a repeated one means is left open.
it.each<[string, string, string | undefined]>([
  ["none", '{"a":1,"b":[{"a":1},{"a":2}],"c":{"a":3}}', undefined],
  ["at once", '{"a":1,"a":2}', '"a":2}'],
  ["after a nested object", '{"a":{"b":1},"b":2,"a":3}', '"a":3}'],
  ["in an object of a list", '[1,{"x":0},{"y":1,"y":2}]', '"y":2}]'],
  ["written with an escape", '{"a":1,"\\u0061":2}', '"\\u0061":2}'],
  ["a value that equals a key", '{"a":"a","b":"a"}', undefined],
  ["texts in a list", '{"a":["x","x"],"b":1}', undefined],
  ["signs inside of texts", '{"a":"{\\"a\\":1,","b":"\\\\"}', undefined],
  ["keys of prototypes", '{"__proto__":1,"constructor":2}', undefined],
  ["__proto__ twice", '{"__proto__":1,"__proto__":2}', '"__proto__":2}'],
  ["no JSON", '{"a":"', undefined],
])("%s", (_, json, rest) => {
  const place = repeatedKey(json);
  expect(place === undefined ? undefined : json.slice(place)).toBe(rest);
});

it("is never found in what JSON.stringify wrote, and always where a key is put in again", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, key) => {
      expect(repeatedKey(JSON.stringify(value))).toBeUndefined();
      const name = JSON.stringify(key);
      const json = `[{${name}:${JSON.stringify(value)},${name}:1}]`;
      expect(json.slice(repeatedKey(json))).toBe(`${name}:1}]`);
    }),
  );
});
