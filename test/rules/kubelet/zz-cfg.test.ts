import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { validateCredentialProviderConfig as v } from "../../../lib/rules/kubelet/validate-credential-provider-config";
for (const f of ["kubelet-vectors","kubelet-cases"]) {
const d = JSON.parse(readFileSync("/work/shared/data/"+f+".json","utf8"));
it("c", () => { for (const c of d.configValidation) for (const kubelet of ["1.34","1.35","1.36"]) {
 if (c.minKubelet && c.minKubelet > kubelet) continue;
 if (kubelet !== "1.36" && /a valid label key/.test(c.error ?? c.errorContains ?? "")) continue;
 const r=v(c.config,{kubelet, ...(c.featureGate===false && {featureGates:{KubeletServiceAccountTokenForCredentialProviders:false}})});
 expect([c.config, r.length===0, r]).toEqual([c.config, c.valid, r]);
 const all=r.map(x=>x.message).join(", "); 
 if (c.error) expect(c.error.replace(/^error decoding config "[^"]*": /,"").replace(/^\[(.*)\]$/s,"$1")).toBe(all);
 if (c.errorContains) expect(all).toContain(c.errorContains);
 } });
}
