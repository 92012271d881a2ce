import { type ObjectKind, checkGiven, choice, object } from "../model/shape";
import { CLOUD_INIT } from "../rules/node/cloud-init";
import type { NodeTransport } from "../rules/node/form";
import { BUTANE_VARIANTS, type ButaneVariant, IGNITION, butaneTransport } from "../rules/node/ignition";

/** User data for cloud-init, in the `#cloud-config` format. */
export function cloudInit(): NodeTransport {
  return CLOUD_INIT;
}

/** An Ignition configuration, for Flatcar and Fedora CoreOS. */
export function ignition(): NodeTransport {
  return IGNITION;
}

/** The operating system that Butane writes for. */
export interface ButaneProps {
  /** `flatcar`, or `fcos` for Fedora CoreOS. */
  readonly variant: ButaneVariant;
}

const BUTANE_PROPS: ObjectKind<ButaneProps> = object({ variant: choice(BUTANE_VARIANTS) });

/** A Butane configuration, which Butane translates into an Ignition configuration. */
export function butane(props: ButaneProps): NodeTransport {
  checkGiven("butane()", BUTANE_PROPS, props);
  return butaneTransport(props.variant);
}
