import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { namespaceName } from "../model/kubernetes-name";
import { type ObjectKind, checkProps, list, object, optional, record, text } from "../model/shape";
import { credentialProviderAlerts } from "../rules/kubelet/config-hash";

/** What a {@link CredentialProviderConfigAlert} compares, and where it is created. */
export interface CredentialProviderConfigAlertProps {
  /** Namespace of the PrometheusRule. */
  readonly namespace: string;
  /** `configHash` of the cluster's `ImagePulls`; several while nodes are being replaced. */
  readonly hashes: readonly string[];
  /**
   * Labels by which a Prometheus selects its rules, for example `{ release: "kube-prometheus-stack" }`.
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
 * A PrometheusRule (Prometheus operator) that alerts on kubelets running with a CredentialProviderConfig other than the
 * one written here, or with none. Kubelets expose the metric from 1.34 on.
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
        problem: "the alert on the CredentialProviderConfig needs the hash of at least one configuration",
        value: wrong,
        allowed: "one or more hashes of the form sha256: and 64 hexadecimal digits",
        remedy:
          "pass `configHash` of ImagePulls; it is undefined if the file has a late value, if Talos rewrites the file, or if the kubelet is older than 1.34",
      });
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: { name: NAME, namespace: namespaceName(props.namespace), ...(labels && { labels }) },
      spec: { groups: credentialProviderAlerts(hashes) },
    });
  }
}
