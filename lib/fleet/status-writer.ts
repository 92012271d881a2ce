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

/** How a {@link StatusWriter} runs. */
export interface StatusWriterProps {
  /** The spoke whose status is written. */
  readonly spoke: SpokeCluster;
  /** Version of kubectl in the image, `1.35.2`; 1.32 or newer. */
  readonly kubectlVersion: string;
  /**
   * Image whose entry point is kubectl.
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
   * User id of the container, which never runs as root; `false` leaves it to the cluster, as OpenShift's security
   * context constraints want it.
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
/** Room for a hash behind it in the name of the Job, which is a label of its pods. */
const NAME = { max: 54, allowed: /[a-z0-9-]/, separator: "-" } as const;

/**
 * A Job that writes the status of one ClusterProfile with server-side apply, and RBAC for nothing else: for clusters
 * that are filled by a tool which cannot apply a status (Argo CD, Flux, `kubernetes_manifest`).
 *
 * Apply it after the profile. A Job cannot be changed: its name holds a hash of itself and of the status, so that a new
 * status makes a new Job. Address or certificates that are late are not in the hash: a value that Terraform changes is
 * written once the Job is gone, ten minutes after its end, or with the annotations of a hook.
 */
export class StatusWriter extends Construct {
  /** Who the Job is. */
  readonly subject: Subject;
  /** The Job. */
  readonly resource: ApiObject;
  /** The status document. */
  readonly configMap: ApiObject;
  /** Rules for this one profile. */
  readonly role: ApiObject;
  /** Binds the rules to the Job's service account. */
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
