/*
 * Quay and quay.io: the plugin exchanges the token at `/oauth2/federation/robot/token` for one of a robot account.
 *
 * Source: sabre1041/quay-credential-provider v0.0.1, cmd/quay-credential-provider/root.go, which reads other annotations
 * than its README says; quay/quay, util/security/federated_robot_auth.py.
 */

import type { Plugin } from "../model/plugin";
import type { TokenRegistry } from "../model/pulls";
import { type ObjectKind, checkGiven, object, text } from "../model/shape";
import {
  OidcRegistry,
  REGISTRY_PROPS,
  type RegistryProps,
  pluginRow,
  rowPlugin,
  subjectOf,
} from "./oidc-registry";

const ROBOT = "quay.io/federated-robot-account";

export const quayPlugin: Plugin = pluginRow({
  executable: "quay-credential-provider",
  annotations: [ROBOT],
  registries: ["quay.io"],
  anyAudience: true,
  entry: { cacheType: "ServiceAccount", optionalAnnotationKeys: ["quay.io/host-override"] },
});

/** Settings of {@link quay}. */
export interface QuayProps extends RegistryProps {
  /** The robot account, `<organization>+<robot>`; its permissions decide. */
  readonly robot: string;
}

const QUAY_PROPS: ObjectKind<QuayProps> = object({
  ...REGISTRY_PROPS.shape,
  robot: text,
});

/** Returns repositories of Quay; writes the federation of the robot accounts to `registries/<host>.json`. */
export function quay(props: QuayProps): OidcRegistry {
  checkGiven("quay()", QUAY_PROPS, props);
  const { robot, audience = props.host, ...others } = props;
  const plugin = rowPlugin(quayPlugin);
  return new OidcRegistry(
    { ...others, audience, plugin, annotations: { [ROBOT]: robot }, identity: robot },
    federation,
  );
}

function federation(host: string, { issuer, audience, pulls }: TokenRegistry): object {
  const robots = [...new Set(pulls.map(({ identity = "" }) => identity))];
  return {
    registry: host,
    robots: robots.map((robot) => ({
      robot,
      federation: pulls
        .filter(({ identity }) => identity === robot)
        .map(({ serviceAccount }) => ({ issuer, subject: subjectOf(serviceAccount), audiences: [audience] })),
    })),
  };
}
