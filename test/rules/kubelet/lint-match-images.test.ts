import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageMatches } from "../../../lib/rules/kubelet/image-matches";
import { lookupRepository } from "../../../lib/rules/kubelet/image-reference";
import {
  lintMatchImages,
  lintMatchImagesStrictly,
} from "../../../lib/rules/kubelet/lint-credential-provider-config";
import { runsOf } from "../../support/sample";

describe("lintMatchImages", () => {
  // Each pattern passes the kubelet's validation (two excepted) and never matches.
  it.each(
    Object.entries({
      "": "it is empty and matches no image; write a registry host, or remove it",
      "https://registry.example.com/team":
        'it starts with a scheme, which is read as the registry; write "registry.example.com/team"',
      "a b.io": "it is not a host with optional port and path, so the kubelet refuses the whole file",
      "a[0-9].io": "it is not a host with optional port and path, so the kubelet refuses the whole file",
      "index.docker.io/team":
        'the kubelet looks up images of index.docker.io as docker.io; write "docker.io/team"',
      "[::1]":
        "brackets without port are read as a character class; an IPv6 registry needs a port: [::1]:5000",
      "gcr..io": "a part of the host is empty, which no image's registry can have; remove the surplus dot",
      team:
        "a first component without dot and port is read as a path on docker.io, never as a registry; write the " +
        'registry\'s full host, or "docker.io/team/"',
      "gcr.io/team/*":
        "globs work only in the host; in the path they are plain characters, which no image path contains. The path is a " +
        'prefix: write "gcr.io/team/"',
      "gcr.io/app:v1": 'images are matched without tag and digest; write "gcr.io/app"',
      "gcr.io:443/app@sha256:abc": 'images are matched without tag and digest; write "gcr.io:443/app"',
      "gcr.io/Team":
        "its path has characters that no image path can have; a path consists of a-z, 0-9 and . _ - /",
    }),
  )("explains %j", (pattern, why) => {
    expect(lintMatchImages(pattern)).toEqual([why]);
    expect(lintMatchImagesStrictly(pattern)).toEqual([why]);
  });

  it.each([
    "*",
    "*.*",
    "localhost",
    "localhost:5000",
    "team:5000",
    "Team",
    "[::1]:5000",
    "gcr.io",
    "gcr.io:443/team",
    "*.dkr.ecr.*.amazonaws.com",
    "docker.io/library/nginx",
    "docker.io/acme/",
    "docker.io/lib",
    "my_registry.io/a",
  ])("is content with %j", (pattern) => {
    expect(lintMatchImagesStrictly(pattern)).toEqual([]);
  });

  it("condemns no pattern that matches an image", () => {
    const token = fc.constantFrom(
      ..."a b io . . / / : :5000 * * _ - A localhost docker.io index.docker.io library % %61 @ ? #".split(
        " ",
      ),
    );
    const text = fc.array(token, { maxLength: 6 }).map((tokens) => tokens.join(""));
    const name = fc.stringMatching(/^([Aab]|localhost|[ab]\.io|[ab]:5000)(\/[ab]{1,2}){0,2}$/);
    fc.assert(
      fc.property(text, name, (pattern, image) => {
        fc.pre(imageMatches(pattern, lookupRepository(image.replace(/^A$/, "A/b"))));
        expect(lintMatchImages(pattern)).toEqual([]);
      }),
      { numRuns: runsOf(1000, 5), maxSkipsPerRun: 1000 },
    );
  });
});

describe("lintMatchImagesStrictly", () => {
  // Each pattern matches, as imageMatches shows, but not what it seems to say.
  it.each([
    ["user@gcr.io/team", "gcr.io/team/app", ['the user part is ignored; write "gcr.io/team"']],
    [
      "gcr.io?x=1",
      "gcr.io/app",
      ["the text after the question mark is ignored; remove it. A question mark is not a glob here"],
    ],
    ["gcr.io#x", "gcr.io/app", ["the text after the # is ignored; remove it"]],
    ["gcr.io:/team", "gcr.io/team", ['an empty port means no port; write "gcr.io/team"']],
    [
      "docker.io/nginx",
      "docker.io/nginx/unit",
      [
        "it does not match the official image, which is looked up as docker.io/library/nginx. Write this, or " +
          '"docker.io/nginx/" for the images of an organization',
      ],
    ],
  ])("explains %j", (pattern, repository, why) => {
    expect(imageMatches(pattern, repository)).toBe(true);
    expect(lintMatchImages(pattern)).toEqual([]);
    expect(lintMatchImagesStrictly(pattern)).toEqual(why);
  });
});
