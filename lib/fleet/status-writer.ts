import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { ServiceAccount } from "../kubernetes/service-account";
import { checkedAnnotations } from "../kubernetes/metadata";
import { isDnsLabel } from "../model/kubernetes-name";
import { isLate, literal } from "../model/late";
import { Subject } from "../model/subject";
import { atLeast } from "../rules/fleet/consumer";
import { CLUSTER_PROFILE_GROUP } from "../rules/fleet/names";
import { containerUser } from "../rules/fleet/plugin-mount";
import { derivedName, stableHash } from "../rules/names";
import { type SpokeCluster, SPOKE_CLUSTER } from "./spoke-cluster";
import {
  type ObjectKind,
  checkProps,
  choice,
  either,
  number,
  object,
  optional,
  record,
  text,
} from "../model/shape";

/** The inputs of a {@link StatusWriter}. */
export interface StatusWriterProps {
  /** The spoke whose status the Job writes. */
  readonly spoke: SpokeCluster;
  /** Version of kubectl in the image, `1.35.2`; 1.32 or newer. */
  readonly kubectlVersion: string;
  /**
   * Image with kubectl as its entry point.
   *
   * @defaultValue - `registry.k8s.io/kubectl:v<kubectlVersion>`
   */
  readonly image?: string;
  /**
   * Annotations of the Job, for example Argo CD's `argocd.argoproj.io/hook: PostSync` with
   * `argocd.argoproj.io/hook-delete-policy: BeforeHookCreation`.
   *
   * @defaultValue - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * User id of the container, which never runs as root; `false` lets the cluster choose, as OpenShift's security
   * context constraints require.
   *
   * @defaultValue 65532
   */
  readonly runAsUser?: number | false;
}

export const STATUS_WRITER_PROPS: ObjectKind<StatusWriterProps> = object({
  spoke: SPOKE_CLUSTER,
  kubectlVersion: text,
  image: optional(text),
  annotations: optional(record(text)),
  runAsUser: optional(either(number, choice([false]))),
});

const KUBECTL = { title: "kubectl", since: "1.32", why: "it applies no status" };
const DIRECTORY = "/status";
const FILE = "cluster-profile.json";
const RBAC = "rbac.authorization.k8s.io";
const TTL_SECONDS = 600;
/** Leaves room for the hash at the end of the Job's name, which becomes a label of its pods. */
const NAME = { max: 54, allowed: /[a-z0-9-]/, separator: "-" } as const;

/**
 * A Job that writes the status of one ClusterProfile with server-side apply, with RBAC for nothing else. For clusters
 * whose deployment tool cannot apply a status (Argo CD, Flux, `kubernetes_manifest`).
 *
 * Apply it after the profile. Jobs are immutable, so the name contains a hash of the Job and of the status: a new
 * status creates a new Job. A late address or certificate is not part of the hash: if Terraform changes one, it is
 * written only after the Job is gone (ten minutes after its end, or when a hook's annotations delete it).
 */
export class StatusWriter extends Construct {
  /** The Job's service account. */
  readonly subject: Subject;
  /** The Job that applies the status. */
  readonly resource: ApiObject;
  /** The ConfigMap with the status document. */
  readonly configMap: ApiObject;
  /** The permissions on this one profile. */
  readonly role: ApiObject;
  /** Binds the Role to the Job's service account. */
  readonly binding: ApiObject;

  constructor(scope: Construct, id: string, props: StatusWriterProps) {
    checkProps(new.target.name, scope, id, STATUS_WRITER_PROPS, props);
    super(scope, id);
    const { spoke } = props;
    const { namespace } = spoke.inventory;
    const image = kubectlImage(props);
    const user = containerUser(`runAsUser of the Job ${id}`, props.runAsUser);
    const annotations = checkedAnnotations(`Job of ${id}`, props.annotations ?? {});
    const name = writerName(spoke.profileName);
    const text = JSON.stringify(spoke.statusDocument);
    const spec = {
      ttlSecondsAfterFinished: TTL_SECONDS,
      template: { spec: podSpec(name, image, spoke.inventory.clusterManager, user) },
    };
    const hash = stableHash([JSON.stringify(spec), ...(isLate(text) ? [] : [text])]);

    this.subject = Subject.of(`${namespace}/${name}`);
    new ServiceAccount(this, "service-account", { namespace, name });
    const named = { name, namespace };
    const only = { apiGroups: [CLUSTER_PROFILE_GROUP], resourceNames: [spoke.profileName] };
    const rules = [
      { ...only, resources: ["clusterprofiles"], verbs: ["get"] },
      { ...only, resources: ["clusterprofiles/status"], verbs: ["get", "patch"] },
    ];
    this.role = this.object("role", `${RBAC}/v1`, "Role", named, { rules });
    this.binding = this.object("binding", `${RBAC}/v1`, "RoleBinding", named, {
      roleRef: { apiGroup: RBAC, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", namespace, name }],
    });
    this.configMap = this.object("document", "v1", "ConfigMap", named, { data: { [FILE]: text } });
    const metadata = { namespace, name: `${name}-${hash}`, annotations };
    this.resource = this.object("Resource", "batch/v1", "Job", metadata, { spec });
  }

  private object(id: string, apiVersion: string, kind: string, metadata: object, fields: object): ApiObject {
    return new ApiObject(this, id, { apiVersion, kind, metadata, ...fields });
  }
}

function writerName(profile: string): string {
  const plain = `${profile}-status`;
  return isDnsLabel(plain) && plain.length <= NAME.max ? plain : derivedName([profile, "status"], NAME);
}

function kubectlImage({ kubectlVersion, image }: StatusWriterProps): string {
  atLeast(KUBECTL, kubectlVersion);
  return literal(image ?? `registry.k8s.io/kubectl:v${kubectlVersion.replace(/^v/, "")}`, "image");
}

function podSpec(name: string, image: string, manager: string, runAsUser: number | false): object {
  return {
    serviceAccountName: name,
    restartPolicy: "OnFailure",
    securityContext: {
      seccompProfile: { type: "RuntimeDefault" },
      runAsNonRoot: true,
      ...(runAsUser !== false && { runAsUser }),
    },
    containers: [
      {
        name: "kubectl",
        image,
        args: [
          "apply",
          "--server-side",
          "--subresource=status",
          `--field-manager=${manager}`,
          `--filename=${DIRECTORY}/${FILE}`,
        ],
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
          readOnlyRootFilesystem: true,
        },
        volumeMounts: [{ name: "status", mountPath: DIRECTORY, readOnly: true }],
      },
    ],
    volumes: [{ name: "status", configMap: { name } }],
  };
}
