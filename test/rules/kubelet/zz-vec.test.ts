import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { imageMatches } from "../../../lib/rules/kubelet/image-matches";
import { lookupRepository } from "../../../lib/rules/kubelet/image-reference";
for (const f of ["kubelet-vectors","kubelet-cases"]) {
const d = JSON.parse(readFileSync("/work/shared/data/"+f+".json","utf8"));
it("m", () => { for (const v of d.matchVectors) expect([v.pattern,v.image,imageMatches(v.pattern,v.image)]).toEqual([v.pattern,v.image,v.match]); });
it("i", () => { for (const v of d.podImageNormalisation) { let r=null,e=""; try { r=lookupRepository(v.podImage);} catch(x) {e=String(x)}; expect([v.podImage,r]).toEqual([v.podImage,v.repository]); if(v.errorContains) expect(e).toContain(v.errorContains);} });
}
