/* The picture that README shows is the map of the flagship, one of whose chains is broken; `npm run test:update` draws it. */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { explain, renderHtml } from "../../../lib/explain";
import { edited, folderOf, synthesized } from "../../fixtures/explain/artefacts";

const ROOT = resolve(__dirname, "../../..");

it("docs/trust-map.svg is current", async () => {
  const { mapPicture } = (await import(pathToFileURL(resolve(ROOT, "build/map-picture.mjs")).href)) as {
    mapPicture: (html: string) => string;
  };
  const artefacts = edited(synthesized("three-clouds"), [
    [
      "cdk.tf.json",
      '"issuer": "https://oidc.acme.example/edge-1"',
      '"issuer": "https://oidc.acme.example/edge-1/"',
    ],
  ]);
  const results = explain([folderOf(artefacts)]);
  expect(results.map(({ verdict }) => verdict).sort()).toEqual(["allowed", "allowed", "denied"]);
  const picture = mapPicture([...renderHtml(results)].join(""));
  expect(picture).not.toMatch(/\/tmp\/|NaN|undefined/);
  await expect(picture).toMatchFileSnapshot(resolve(ROOT, "docs/trust-map.svg"));
});
