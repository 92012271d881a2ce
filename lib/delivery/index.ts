/**
 * Manifests delivered by Terraform: the objects of a stack as `kubernetes_manifest` resources of another one.
 *
 * @module delivery
 * @packageDocumentation
 */

export { KubernetesManifests, type KubernetesManifestsProps } from "./kubernetes-manifests";
