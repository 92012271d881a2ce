import { Construct } from "constructs";
import { Annotations, TerraformStack } from "cdktf";
import { at } from "../errors";
import type { NodeSetup } from "../model/node-file";
import type { PullDeclaration } from "../model/pulls";
import {
  type CredentialProviderConfigProps,
  credentialProviderConfig,
  credentialProviderSetup,
} from "../node";
import { audiencesOfEveryAccount } from "../node/credential-provider-config";
import { checkClaim } from "./cluster-records";
import { type ImagePullsProps, IMAGE_PULLS_PROPS } from "./image-pulls-props";
import { Manifests } from "./manifests";
import { checkPullSettings } from "./pull-settings";
import { type DeclaredAccount, groupedPulls, imagesByPlugin } from "./pull-groups";
import { warnOfSharedIssuer } from "./shared-issuer";
import { checkOwnership, writeServiceAccounts } from "./service-accounts";
import { writeTokenAudienceGrants } from "./pull-audience-grants";
import { pullWarnings } from "./pull-warnings";
import { proveAtSynth } from "./proof";
import { checkProps } from "../model/shape";

const CLAIM = { key: "pulls", construct: "ImagePulls", lines: "pulls" } as const;

/**
 * The whole job for one cluster: image pulls without pull secrets and without node identity (KEP-4412).
 *
 * Declares in Terraform, per cloud, the trust in the cluster's issuer, one identity per service account and its
 * permission on the registries; writes beside it the annotated service accounts, the RBAC that lets nodes request
 * tokens for the audience, and the kubelet's CredentialProviderConfig in the form the cluster's nodes take. One
 * cluster per stack, since the manifests of a stack are applied to one cluster.
 *
 * `app.synth()` then proves the declared pulls: the verifier reads what was written, and `proof-failed` ends the synth
 * where a pull would be denied. What cannot be told from the files passes.
 *
 * Warns of pulls by a `default` service account and from OpenShift's own namespaces, of nodes of 1.33, whose file stops
 * newer kubelets, and of an issuer that another cluster of the app has as well.
 *
 * Written with nothing but the constructs of the other subpaths; take those where this is too much.
 */
export class ImagePulls extends Construct {
  /** Where the manifests are written. */
  readonly manifests: Manifests;
  /** What each cloud declared, by the cloud's key (`aws`, `azure`, `google`). */
  readonly declarations: Readonly<Record<string, PullDeclaration>>;
  /** The kubelet's files and flags, as data. */
  readonly nodeSetup: NodeSetup;

  /**
   * Throws `pulls-empty`, `pull-without-registry`, `service-account-ownership`, `identities-twice`,
   * `identities-unused`, `cluster-taken`, `cluster-facts-differ`, `role-name-shared`, `annotation-conflict`, and the codes of everything it
   * composes, with its own path before the message.
   *
   * Whether the nodes' plugins can do what a cloud needs is known only when the cloud has declared its part. After
   * an error the tree is therefore incomplete: let it end the synth, which has written nothing yet.
   */
  constructor(scope: Construct, id: string, props: ImagePullsProps) {
    checkProps(new.target.name, scope, id, IMAGE_PULLS_PROPS, props);
    super(scope, id);
    const { cluster } = props;
    at(this, () => checkPullSettings(props));
    const { accounts, clouds } = at(this, () => groupedPulls(props));
    this.manifests = Manifests.of(TerraformStack.of(this));
    const claim = { ...CLAIM, name: cluster.name, issuer: cluster.issuer.url };
    at(this, () => checkClaim(this.manifests.recorded, claim));
    at(this, () => checkOwnership(this.manifests, accounts));

    this.declarations = Object.fromEntries(
      clouds.map(({ cloud, identities, request }) => [
        cloud,
        at(this, () => identities.declare(new Construct(this, cloud), request)),
      ]),
    );
    const declared = Object.values(this.declarations);
    const nodes: CredentialProviderConfigProps = {
      cluster,
      providers: declared.map(({ provider }) => provider),
      ...(props.credentialProviders ? { settings: props.credentialProviders } : {}),
      pulls: imagesByPlugin(clouds, this.declarations),
    };
    const nodeFiles = declared.flatMap((each) => each.nodeFiles);
    this.nodeSetup = at(this, () => credentialProviderSetup(nodes, nodeFiles));
    at(this, () => this.write(props, accounts, declared, nodes));
    at(this, () => proveAtSynth(this, "image-pull", props.proof));
    warnOfSharedIssuer(this, cluster.name, cluster.issuer.url);
    const subjects = accounts.map(({ subject }) => subject);
    for (const warning of pullWarnings(cluster, subjects)) Annotations.of(this).addWarning(warning);
  }

  private write(
    props: ImagePullsProps,
    accounts: readonly DeclaredAccount[],
    declared: readonly PullDeclaration[],
    nodes: CredentialProviderConfigProps,
  ): void {
    const { cluster } = props;
    const everyAccount = audiencesOfEveryAccount(credentialProviderConfig(nodes));
    writeTokenAudienceGrants(this.manifests, cluster, declared, everyAccount, props.tokenAudience);
    writeServiceAccounts(
      this.manifests,
      accounts,
      declared.flatMap(({ grants }) => grants),
    );
    for (const carrier of props.carriers ?? cluster.carriers) carrier.carry(this.manifests, this.nodeSetup);
    const registries = Object.fromEntries(
      declared.flatMap(({ registries: stated = {} }) => Object.entries(stated)),
    );
    this.manifests.record({
      ...cluster.recorded,
      ...(Object.keys(registries).length > 0 && { registries }),
      pulls: accounts.map(({ subject, sources }) => ({
        serviceAccount: subject.key,
        images: [...new Set(sources.flatMap(({ images }) => images))],
      })),
    });
  }
}
