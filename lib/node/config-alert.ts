import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { namespaceName } from "../model/kubernetes-name";
import { type ObjectKind, checkProps, list, object, optional, record, text } from "../model/shape";
import { credentialProviderAlerts } from "../rules/kubelet/config-hash";

/** What a {@link CredentialProviderConfigAlert} compares, and where it stands. */
export interface CredentialProviderConfigAlertProps {
  /** Namespace of the PrometheusRule. */
  readonly namespace: string;
  /** `configHash` of the `ImagePulls` of the cluster; several while nodes are replaced. */
  readonly hashes: readonly string[];
  /**
   * Labels by which a Prometheus selects its rules: `{ release: "kube-prometheus-stack" }`.
   *
   * @defaultValue - none
   */
  readonly labels?: Readonly<Record<string, string>>;
}

const PROPS: ObjectKind<CredentialProviderConfigAlertProps> = object({
  namespace: text,
  hashes: list(text),
  labels: optional(record(text)),
});

const NAME = "kubelet-credential-provider-config";
const HASH = /^sha256:[0-9a-f]{64}$/;

/**
 * Alerts on kubelets that run with another CredentialProviderConfig than the one that was written, or with none: a
 * PrometheusRule of the Prometheus operator. Kubelets have the metric from 1.34 on.
 */
export class CredentialProviderConfigAlert extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: CredentialProviderConfigAlertProps) {
    checkProps(new.target.name, scope, id, PROPS, props);
    super(scope, id);
    const { hashes, labels } = props;
    const wrong = hashes.find((hash) => !HASH.test(hash));
    if (hashes.length === 0 || wrong !== undefined)
      fail("node-invalid", {
        problem: "an alert on the CredentialProviderConfig needs the hash of one",
        value: wrong,
        allowed: "sha256: and 64 hexadecimal digits, at least one",
        remedy:
          "give `configHash` of ImagePulls; it is undefined where a value is late, Talos writes the file anew, or the kubelet is older than 1.34",
      });
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: { name: NAME, namespace: namespaceName(props.namespace), ...(labels && { labels }) },
      spec: { groups: credentialProviderAlerts(hashes) },
    });
  }
}
