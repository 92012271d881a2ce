import type { Construct } from "constructs";
import type { INodeCarrier } from "../../model/node-carrier";
import { type ObjectKind, checkGiven, example, object, text } from "../../model/shape";
import { microShiftHost } from "../../rules/node/microshift";
import { HOST_CARRIER_PROPS, type HostCarrierProps, hostCarrier } from "./host";

/** Which MicroShift version the devices run, and how files get there. */
export interface MicroShiftProps extends HostCarrierProps {
  /** Version of MicroShift, newer than 4.22. */
  readonly version: string;
}

const MICRO_SHIFT_PROPS: ObjectKind<MicroShiftProps> = object({
  ...HOST_CARRIER_PROPS.shape,
  version: example(text, '"4.22"'),
});

/** MicroShift devices: the CredentialProviderConfig, and both keys in a file below `/etc/microshift/config.d/`. */
export function microShift(props: MicroShiftProps): INodeCarrier<Construct> {
  checkGiven("microShift()", MICRO_SHIFT_PROPS, props);
  return hostCarrier(microShiftHost(props.version), props);
}
