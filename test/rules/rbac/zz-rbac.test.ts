import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nodeMayRequestAudience } from "../../../lib/rules/rbac/node-audience";
it("c", () => { const d = JSON.parse(readFileSync("/work/shared/data/kubelet-cases.json","utf8"));
for (const c of d.audienceAuthorization) expect([c,nodeMayRequestAudience({...c,node:"node-1"})]).toEqual([c,c.allowed]);
const e = JSON.parse(readFileSync("/work/shared/data/kubelet-vectors.json","utf8"));
for (const c of e.audienceAuthorization) expect([c,nodeMayRequestAudience({...c,node:"node-1",objects:[{kind:"ClusterRole",metadata:{name:"x"},rules:c.rules},{...c.binding,metadata:{name:"x",namespace:c.binding.namespace},roleRef:{kind:"ClusterRole",name:"x"}}]})]).toEqual([c,c.allowed]);
});
