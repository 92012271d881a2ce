import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { clusterObject } from "../kubernetes/metadata";
import { checkedRoleName } from "../kubernetes/token-audience-grant";
import { grouped } from "../model/grouped";
import { type ObjectKind, checkProps, example, list, object, optional, text } from "../model/shape";
import { SUBJECT, Subject } from "../model/subject";
import { crioCredentialProviderConfig } from "../rules/openshift/node-files";
import { type OpenShiftPlatform, openShiftRelease, platformNodes } from "../rules/openshift/versions";

/** Which images are pulled from mirrors with secrets of the pod's namespace, and for which service accounts. */
export interface CrioCredentialProviderConfigProps {
  /** OpenShift version, `4.23`; from 4.22 on; 4.22 needs the feature set `TechPreviewNoUpgrade`. Not hosted. */
  readonly version: string;
  /** Platform of the nodes. Its own plugins' patterns come first; `matchImages` may not overlap them. */
  readonly platform: OpenShiftPlatform;
  /** Registry names as in the pods' images, not the mirrors' names. 1 to 50. */
  readonly matchImages: readonly string[];
  /**
   * Service accounts, `namespace/name`, whose pods pull from mirrors. Each gets a Role in its namespace, because the
   * plugin lists the namespace's secrets with the pod's own token. So these pods can read all of them.
   *
   * @defaultValue - none; the Roles are written elsewhere
   */
  readonly serviceAccounts?: readonly (string | Subject)[];
  /**
   * Name of the Roles and RoleBindings.
   *
   * @defaultValue "mirror-pull-secrets"
   */
  readonly roleName?: string;
}

const CRIO_CREDENTIAL_PROVIDER_CONFIG_PROPS: ObjectKind<CrioCredentialProviderConfigProps> = object({
  version: example(text, '"4.22"'),
  platform: text,
  matchImages: list(text),
  serviceAccounts: optional(list(SUBJECT)),
  roleName: optional(text),
});

const RBAC = "rbac.authorization.k8s.io";

/**
 * Credentials for pulls that go to a mirror on another host. A cloud's plugin cannot serve these: the runtime never
 * shows a mirror the credentials for the image's own host. OpenShift's crio credential provider instead uses
 * `dockerconfigjson` secrets of the pod's namespace.
 *
 * `CRIOCredentialProviderConfig/cluster` is a singleton. If this library writes the kubelet's file, state the same
 * patterns in the cluster's `crioCredentialProvider` too: of several files for one path only the last takes effect, and
 * the operator's would be lost.
 *
 * Sources: openshift/api, config/v1; openshift/enhancements, criocp-credential-provider (the Role); cri-o/crio-credential-provider,
 * internal/pkg/k8s (secrets are listed).
 */
export class CrioCredentialProviderConfig extends Construct {
  /** The manifest of the singleton. */
  readonly resource: ApiObject;
  /** One Role per namespace. */
  readonly roles: readonly ApiObject[];
  /** One RoleBinding per namespace. */
  readonly bindings: readonly ApiObject[];

  constructor(scope: Construct, id: string, props: CrioCredentialProviderConfigProps) {
    checkProps(new.target.name, scope, id, CRIO_CREDENTIAL_PROVIDER_CONFIG_PROPS, props);
    super(scope, id);
    const release = openShiftRelease(props.version);
    const { stockProviders } = platformNodes(props.platform, release);
    const taken = Object.values(stockProviders).flatMap(({ matchImages }) => matchImages);
    this.resource = clusterObject(this, "Resource", {
      ...crioCredentialProviderConfig(props.matchImages, release, taken),
    });
    const name = checkedRoleName(props.roleName ?? "mirror-pull-secrets");
    const subjects = (props.serviceAccounts ?? []).map((each) => Subject.of(each));
    const namespaces = [...grouped(subjects, ({ namespace }) => namespace)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const within = (kind: string, namespace: string, content: object): ApiObject =>
      new ApiObject(this, `${kind}-${namespace}`, {
        apiVersion: `${RBAC}/v1`,
        kind,
        metadata: { name, namespace },
        ...content,
      });
    // `list` shows the contents too, so `get` does not widen what can be read.
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }];
    this.roles = namespaces.map(([namespace]) => within("Role", namespace, { rules }));
    this.bindings = namespaces.map(([namespace, accounts]) =>
      within("RoleBinding", namespace, {
        roleRef: { apiGroup: RBAC, kind: "Role", name },
        subjects: [...new Set(accounts.map((account) => account.name))]
          .sort()
          .map((account) => ({ kind: "ServiceAccount", name: account, namespace })),
      }),
    );
  }
}
