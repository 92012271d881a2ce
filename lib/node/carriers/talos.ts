import type { Construct } from "constructs";
import type { INodeCarrier } from "../../model/node-carrier";
import { type ObjectKind, checkGiven, example, object, optional, text } from "../../model/shape";
import { minorOf } from "../../model/version";
import { talosAuthentication } from "../../rules/node/authentication";
import { talosIssuers } from "../../rules/node/issuers";
import { TALOS_PLACES, checkTalos, talosPatch } from "../../rules/node/talos";
import { writeIssuers } from "./issuers";

/** Version and file name of a {@link talos} carrier. */
export interface TalosProps {
  /** Version of Talos, `1.12`; decides between `machine.kubelet` and the document `KubeCredentialProviderConfig`. */
  readonly version: string;
  /**
   * Name of the patch; becomes `nodes/<name>.yaml`.
   *
   * @defaultValue "talos"
   */
  readonly name?: string;
}

const TALOS_PROPS: ObjectKind<TalosProps> = object({
  version: example(text, '"1.12"'),
  name: optional(text),
});

const TALOS_COMMENT: readonly string[] = [
  "A patch of the machine configuration, for `talosctl patch machineconfig` or `config_patches` of Terraform's provider.",
  "Talos restarts the kubelet when the configuration changes. Plugins come as system extensions of the installer image.",
];

const ISSUERS_COMMENT: readonly string[] = [
  "A patch for control plane nodes only, for `talosctl patch machineconfig` or `config_patches` of Terraform's provider. Talos",
  "restarts kube-apiserver, one node after the other.",
];

/** Talos nodes: a patch of the machine configuration. */
export function talos(props: TalosProps): INodeCarrier<Construct> {
  checkGiven("talos()", TALOS_PROPS, props);
  const { version, name = "talos" } = props;
  return {
    places: TALOS_PLACES,
    rewritesConfig: true,
    checkKubelet: (kubelet) => checkTalos(version, kubelet),
    carry: (sink, setup) => {
      const content = talosPatch(setup, version);
      sink.nodeDocument(name, { form: "talos", extension: "yaml", content, comment: TALOS_COMMENT });
    },
    carryIssuers: (sink, issuers) =>
      writeIssuers(sink, name, talosIssuers(issuers, minorOf("version of Talos", version)), ISSUERS_COMMENT),
    authentication: (file) => [
      {
        form: "talos",
        extension: "yaml",
        content: [talosAuthentication(file, minorOf("version of Talos", version))],
        comment: ISSUERS_COMMENT,
      },
    ],
  };
}
