import { TerraformStack } from "cdktf";
import { kubernetes, talos } from "cdktf-workload-identity/node";
import { openShift } from "cdktf-workload-identity/openshift";
import { harbor, zot } from "cdktf-workload-identity/registries";
import { ImagePulls } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

const repositories = ["shop/*"];

/** A cluster on Talos that pulls from zot, and one on OpenShift that pulls from Harbor: no cloud is involved. */
export class OtherRegistries extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const from = zot({ host: "zot.example.com", repositories, executable: "harbor-credential-provider" });
    new ImagePulls(this, "pulls", {
      cluster: kubernetes({
        name: "edge",
        version: "1.35",
        issuer: "https://oidc.example.com/edge",
        carriers: [talos({ version: "1.12" })],
      }),
      pulls: [{ serviceAccount: "shop/web", from }],
    });

    const openshift = new TerraformStack(scope, `${id}-openshift`);
    const bridge = { endpoint: "https://127.0.0.1:30443", caBundle: "/etc/kubernetes/harbor-bridge-ca.crt" };
    new ImagePulls(openshift, "pulls", {
      cluster: openShift({
        name: "prod",
        version: "4.22",
        platform: "baremetal",
        issuer: "https://oidc.example.com/prod",
        pools: ["worker"],
      }),
      pulls: [
        { serviceAccount: "shop/web", from: harbor({ host: "harbor.example.com", repositories, bridge }) },
      ],
    });
  }
}
