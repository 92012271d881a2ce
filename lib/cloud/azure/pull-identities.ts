import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { ImageCredentialProvider } from "../../model/image-credential-provider";
import { isLate } from "../../model/late";
import { type NodeFile, nodeFile } from "../../model/node-file";
import type { AccountGrant } from "../../model/identity";
import type { IPullIdentities, PullDeclaration } from "../../model/pulls";
import type { Subject } from "../../model/subject";
import {
  CLIENT_ID_ANNOTATION,
  TENANT_ID_ANNOTATION,
  acrCredentialProvider,
} from "../../rules/azure/acr-credential-provider";
import { renderAzureJson } from "../../rules/azure/azure-json";
import { AcrSource, acrSource } from "./registry";
import { refuseTakenName } from "./identity-names";
import {
  type PullIdentitiesProps,
  type PullIdentitiesSettings,
  PULL_IDENTITIES_PROPS,
  PULL_IDENTITIES_SETTINGS,
} from "./pull-identities-props";
import { PullIdentity } from "./pull-identity";
import type { IPullIdentity } from "./pull-identity-base";
import { type PullPlan, planPulls } from "./pull-plan";
import type { PullTrust } from "./trust";
import { principalOf } from "./user-assigned-identity";
import { checkGiven, checkProps } from "../../model/shape";

/** Readable by root alone: the kubelet runs the plugin as root, and nobody else needs the file. */
const AZURE_JSON_MODE = 0o600;

/**
 * The identities of all pulls of one cluster, with trust, permissions, annotations and the plugin's files.
 *
 * By default each service account has an identity of its own. With `shards` identities are shared, by buckets and
 * never by filling one up to 20 before the next is begun: filling up makes a service account's place depend on all
 * others, so that adding one in the middle would give its neighbours another client id, and with it another
 * annotation, on a running cluster. Raising `shards` from n to n + 1 moves one service account in n + 1. Only service
 * accounts of equal permissions share an identity.
 *
 * All identities and registries are of one tenant and one cloud, because the plugin has one azure.json.
 *
 * Children: one `PullIdentity` per identity, named `<namespace>_<name>` of the service account, or
 * `pulls-<hash of the permissions>_<bucket>` with `shards`.
 *
 * Throws `azure-pulls-empty`, `azure-source-foreign`, `azure-cloud-mismatch`, `azure-tenant-mismatch`,
 * `azure-identity-settings-needed`, `azure-identity-unused`, `azure-identity-shared`, `azure-shards-invalid`,
 * `azure-credentials-too-many` with the number of shards that would do, `azure-identity-name-taken`,
 * `node-file-invalid`, and what \`PullIdentity\` throws.
 */
export class PullIdentities extends Construct implements PullDeclaration {
  /** The identity of each service account, by `namespace/name`. */
  readonly identities: ReadonlyMap<string, IPullIdentity>;
  /** The annotations of each service account, in the order of the pulls. */
  readonly grants: readonly AccountGrant[];
  /** The kubelet's entry. */
  readonly provider: ImageCredentialProvider;
  /** The plugin's azure.json. */
  readonly nodeFiles: readonly NodeFile[];
  /** `roleAssignmentMode` of each registry by its own host, which azurerm has no argument for. */
  readonly registries: Readonly<Record<string, Readonly<Record<string, string>>>>;

  constructor(scope: Construct, id: string, props: PullIdentitiesProps) {
    checkProps(new.target.name, scope, id, PULL_IDENTITIES_PROPS, props);
    super(scope, id);
    const plan = at(this, () => {
      const checked = planPulls(props);
      refuseTakenNames(this, props, checked);
      return checked;
    });
    this.identities = new Map([...given(props, plan), ...this.#declared(props, plan)]);
    const used = props.accounts.flatMap(({ subject }) => {
      const identity = this.identities.get(subject.key);
      return identity ? [{ subject, identity }] : [];
    });
    this.grants = used.map(({ subject, identity }) => ({
      subject,
      identity: identity.clientId,
      principal: principalOf(identity),
      annotations: annotations(identity, props.tenantId),
    }));
    this.provider = acrCredentialProvider(plan);
    const tenants = used.map(({ identity }) => identity.tenantId);
    this.nodeFiles = [azureJson(props, plan, tenants)];
    this.registries = modes(props);
  }

  #declared(props: PullIdentitiesProps, plan: PullPlan): readonly Entry[] {
    const { place } = plan;
    if (!place) return [];
    return plan.declared.flatMap(({ id, identityName, subjects, permissions }) => {
      const identity = new PullIdentity(this, id, {
        ...place,
        identityName,
        cloud: plan.cloud,
        trusts: [trust(props, plan, subjects)],
        ...(props.tags && { tags: props.tags }),
        ...(props.tenantId !== undefined && { tenantId: props.tenantId }),
        ...(props.provider && { provider: props.provider }),
      });
      identity.grantPull(...permissions.map((permission) => new AcrSource(permission)));
      return subjects.map((subject): Entry => [subject.key, identity]);
    });
  }
}

/**
 * How the identities of one cluster's pulls from container registries are made; for the composed constructs.
 *
 * Declares a {@link PullIdentities} with the id `Default`, and throws what it throws.
 */
export function pullIdentities(settings: PullIdentitiesSettings): IPullIdentities<Construct> {
  checkGiven("pullIdentities()", PULL_IDENTITIES_SETTINGS, settings);
  return {
    cloud: "azure",
    job: "pulls",
    // `Default` is left out of logical ids: the maker's scope names the cloud already.
    declare: (scope, request) => new PullIdentities(scope, "Default", { ...settings, ...request }),
  };
}

function modes({
  accounts,
}: PullIdentitiesProps): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const sources = accounts.flatMap(({ asks }) => asks.map(acrSource));
  const homes = [...new Set(sources.map(({ loginServer }) => loginServer.home))].sort();
  return Object.fromEntries(
    homes.flatMap((home) => {
      const source = sources.find(({ loginServer }) => loginServer.home === home);
      return source ? [[home, { roleAssignmentMode: source.roleAssignmentMode }]] : [];
    }),
  );
}

type Entry = readonly [string, IPullIdentity];

function given(props: PullIdentitiesProps, plan: PullPlan): readonly Entry[] {
  return plan.adopted.flatMap(({ identity, subjects, sources }) => {
    identity.addTrust(trust(props, plan, subjects));
    identity.grantPull(...sources);
    return subjects.map((subject): Entry => [subject.key, identity]);
  });
}

function refuseTakenNames(
  scope: Construct,
  { provider }: PullIdentitiesProps,
  { declared, place }: PullPlan,
): void {
  if (!place) return;
  const common = { resourceGroupName: place.resourceGroupName, ...(provider && { provider }) };
  for (const { identityName } of declared) refuseTakenName(scope, { ...common, identityName });
}

function trust(
  { clusterName, issuer }: PullIdentitiesProps,
  { audience }: PullPlan,
  serviceAccounts: readonly Subject[],
): PullTrust {
  return { clusterName, issuer, audience, serviceAccounts };
}

function annotations(
  identity: IPullIdentity,
  tenantId: string | undefined,
): Readonly<Record<string, string>> {
  return {
    [CLIENT_ID_ANNOTATION]: identity.clientId,
    [TENANT_ID_ANNOTATION]: tenantId ?? identity.tenantId,
  };
}

/** A literal tenant is preferred, from wherever: the file is final at synth then. All tenants are the same one. */
function azureJson(
  { tenantId, subscriptionId }: PullIdentitiesProps,
  { cloud, azureJsonPath }: PullPlan,
  tenants: readonly string[],
): NodeFile {
  const known =
    tenantId ?? tenants.find((tenant) => !isLate(tenant)) ?? tenants[0] ?? fail("azure-pulls-empty");
  const content = renderAzureJson({ cloud, tenantId: known, subscriptionId });
  return nodeFile({ path: azureJsonPath, mode: AZURE_JSON_MODE, content });
}
