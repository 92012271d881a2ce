/**
 * One synth, both worlds: the composed construct for image pulls, manifests beside the Terraform configuration, and
 * the values that Terraform knows only after apply.
 *
 * @packageDocumentation
 */

export { type BindProps, bind } from "./bind/bind-folder";
export { ImagePulls } from "./image-pulls";
export { type ImagePull, type ImagePullsProps } from "./image-pulls-props";
export { LateValueResolver } from "./late-value-resolver";
export { Manifests } from "./manifests";
export { type TokenAudienceSettings } from "./pull-audience-grants";
