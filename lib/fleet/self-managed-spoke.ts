import { Scalar, stringify } from "yaml";
import { fail } from "../errors";
import {
  type ISpokeAccess,
  type SpokeEndpoint,
  type SpokeEntryRequest,
  type SpokeTrust,
  type SpokeUser,
  SPOKE_ENDPOINT,
} from "../model/fleet";
import { Issuer } from "../model/issuer";
import { isLate } from "../model/late";
import { type INodeCarrier, NODE_CARRIER } from "../model/node-carrier";
import type { NodeDocument } from "../model/node-document";
import { type NodeFile, type NodeSetup, isCleanPath, nodeFile } from "../model/node-file";
import { SUBJECT, Subject } from "../model/subject";
import {
  type HubAuthenticationProps,
  type HubUsers,
  HUB_AUTHENTICATION_PROPS,
  authenticationConfiguration,
  spokeUserNames,
} from "../rules/fleet/authentication";
import { spokeAudience } from "../rules/fleet/spoke-tokens";
import { type Kind, type ObjectKind, checkGiven, like, list, object, optional, text } from "../model/shape";
import { nodeFileInvalid } from "../model/problems";

/** A spoke whose API server itself trusts the hub's issuer. */
export interface SelfManagedSpokeProps extends HubAuthenticationProps {
  /** Address and certificate authority of the spoke. */
  readonly endpoint: SpokeEndpoint;
  /**
   * Path of the configuration on the control plane nodes.
   *
   * @defaultValue "/etc/kubernetes/authentication-configuration.yaml"
   */
  readonly path?: string;
  /**
   * How the file gets to the control plane nodes and into the arguments of the API servers: `kubeadm()`, `k3s()`,
   * `rke2()`, or `talos()` before 1.14.
   *
   * @defaultValue - files as data; the header of the file says which argument the API servers need
   */
  readonly carrier?: INodeCarrier<never>;
}

const SELF_MANAGED_SPOKE_PROPS: ObjectKind<SelfManagedSpokeProps> = object({
  ...HUB_AUTHENTICATION_PROPS.shape,
  endpoint: SPOKE_ENDPOINT,
  path: optional(text),
  carrier: optional(NODE_CARRIER),
});

/** A self-managed spoke: how to reach it, and the file for its API servers. */
export interface SelfManagedSpoke extends ISpokeAccess<unknown> {
  /** The issuer, audience and service accounts whose tokens the spoke accepts. */
  readonly trusts: SpokeTrust;
  /**
   * The `AuthenticationConfiguration` for each control plane node. Pass its path to kube-apiserver with
   * `--authentication-config`, in place of all `--oidc-…` flags. The setup's flags are for kubelets only.
   */
  readonly nodeSetup: NodeSetup;
}

const ACCOUNTS: Kind<readonly (string | Subject)[]> = list(SUBJECT);
const USERS: Kind<HubUsers> = like("the hub, as in selfManagedSpoke()", {
  hub: text,
  userPrefix: optional(text),
});
const PATH = "/etc/kubernetes/authentication-configuration.yaml";
const MODE = 0o600;
const YAML = { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

/**
 * A self-managed spoke (kubeadm, or another whose kube-apiserver accepts a configuration file). No cloud is involved:
 * the API server accepts tokens of the hub's service accounts, only of the named ones and for one audience.
 *
 * Not for OpenShift, whose API servers accept no such file.
 */
export function selfManagedSpoke(props: SelfManagedSpokeProps): SelfManagedSpoke {
  checkGiven("selfManagedSpoke()", SELF_MANAGED_SPOKE_PROPS, props);
  const { endpoint, audience, path = PATH, carrier } = props;
  const issuer = Issuer.of(props.issuer);
  const document = authenticationConfiguration(props);
  if (!isCleanPath(path))
    return fail("node-invalid", nodeFileInvalid(path, "the path is not absolute and clean"));
  const content = stringify(document, lateInQuotes, YAML);
  const file: NodeFile = nodeFile({ path, mode: MODE, content });
  return {
    cloud: "kubernetes",
    endpoint,
    parameters: { tokenAudience: spokeAudience(audience, issuer) },
    trusts: {
      issuer: issuer.url,
      serviceAccounts: [...new Set(props.serviceAccounts.map((each) => Subject.of(each).key))].sort(),
    },
    nodeSetup: { files: [file], kubeletFlags: {} },
    ...(carrier && { controlPlane: carriedBy(carrier, file) }),
    declare: (_: unknown, request: SpokeEntryRequest) => ({
      users: selfManagedUsers(
        request.controllers.map(({ subject }) => subject),
        props,
      ),
    }),
  };
}

function carriedBy(carrier: INodeCarrier<never>, file: NodeFile): readonly NodeDocument[] {
  return (
    carrier.authentication?.(file) ??
    fail("node-unsupported", {
      problem: "this carrier does not bring an AuthenticationConfiguration to API servers",
      allowed: "kubeadm(), k3s(), rke2(), talos()",
      remedy: "leave `carrier` out, and install the file that is then written as data",
    })
  );
}

/** The hub's service accounts as users of the spoke, for RBAC there. */
export function selfManagedUsers(
  serviceAccounts: readonly (string | Subject)[],
  users: HubUsers,
): readonly SpokeUser[] {
  checkGiven("selfManagedUsers()", ACCOUNTS, serviceAccounts, "serviceAccounts");
  checkGiven("selfManagedUsers()", USERS, users, "users");
  return serviceAccounts.map(Subject.of).map((subject) => {
    const [user = ""] = spokeUserNames([subject], users);
    return { subject, user, groups: [], authorized: false };
  });
}

/** Writes late texts in quotes, so that the file stays YAML whatever replaces the placeholder. */
function lateInQuotes(_: unknown, value: unknown): unknown {
  if (typeof value !== "string" || !isLate(value)) return value;
  const scalar = new Scalar(value);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}
