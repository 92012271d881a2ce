import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member/index.js";
import { StorageBucketObject } from "@cdktf/provider-google/lib/storage-bucket-object/index.js";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { DURATION, Duration } from "../../model/duration";
import { type IIssuerHost, Issuer } from "../../model/issuer";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import { type ObjectKind, boolean, checkProps, list, object, optional, text } from "../../model/shape";
import { ACCEPTED_ALGORITHMS } from "../../rules/google/issuer";
import { bucketName, projectId, refuseTaken, textOfForm } from "../../rules/google/names";
import { type OpenIdDocument, issuerDocuments } from "../../rules/openid/issuer-documents";
import { terraformText } from "../../rules/terraform-text";
import { keepNames } from "../shared/kept-names";
import { PerApp } from "../shared/per-scope";
import { preventDestroy } from "../shared/prevent-destroy";
import { dependsOn } from "../shared/references";
import { universeIn } from "./place";
import { type AdoptableProps, type UniverseProps, ADOPTABLE_PROPS, UNIVERSE_PROPS } from "./props";

/** Settings of an {@link IssuerBucket}. */
export interface IssuerBucketProps extends AdoptableProps, UniverseProps {
  /** Name of the bucket, unique among all of Google Cloud; part of the issuer. */
  readonly bucket: string;
  /** Id of the bucket's project. */
  readonly project: string;
  /**
   * Location of the bucket: `us`, `eu`, `asia`, a dual-region, or a region. For an existing bucket state its own: any
   * other would replace the bucket.
   */
  readonly location: string;
  /** The issuer's public keys as PEM; during a rotation the current and the next one. */
  readonly keys: readonly IssuerKey[];
  /**
   * How long others may cache the documents. Cloud Storage's default for public objects, one hour, would delay a new
   * key.
   *
   * @defaultValue - 5 minutes
   */
  readonly cacheDuration?: Duration;
  /**
   * Whether everyone may also list the bucket's objects, as with ccoctl. State `true` to keep that after removing
   * `adopt`.
   *
   * @defaultValue - as `adopt`
   */
  readonly listing?: boolean;
}

const ISSUER_BUCKET_PROPS: ObjectKind<IssuerBucketProps> = object({
  ...ADOPTABLE_PROPS.shape,
  ...UNIVERSE_PROPS.shape,
  bucket: text,
  project: text,
  location: text,
  keys: list(ISSUER_KEY),
  cacheDuration: optional(DURATION),
  listing: optional(boolean),
});

/** The first gets objects alone, the second also lists them (https://cloud.google.com/storage/docs/access-control/iam-roles). */
const [READER, LISTER] = ["roles/storage.legacyObjectReader", "roles/storage.objectViewer"];
const EVERYONE = "allUsers";
const JWKS_PATH = "keys.json";
const CACHE = Duration.minutes(5);
const HAND_OVER = "declare it once, and hand the construct to everything that uses it";

/** The buckets that an app declares, by name. */
const declared = new PerApp<IssuerBucket>();

/**
 * A public bucket that serves an issuer's discovery document and keys to relying parties other than Google Cloud, which
 * can get the keys in the pool provider (`keys` there) instead of from a public endpoint.
 *
 * The issuer is `https://storage.<universe>/<bucket>`, by default of `googleapis.com`. The organization policies
 * `storage.publicAccessPrevention` and `iam.allowedPolicyMemberDomains` forbid such a bucket: apply then fails at the
 * binding for `allUsers`, with status 412 or 400. Upload the keys to the pool provider there, or have the project
 * exempted.
 */
export class IssuerBucket extends Construct implements IIssuerHost {
  /** `https://storage.<universe>/<bucket>`. */
  readonly issuer: Issuer;
  /** The bucket. */
  readonly resource: StorageBucket;
  /** The binding that lets everyone read the objects. */
  readonly publicReaders: StorageBucketIamMember;
  /** The discovery document. */
  readonly discovery: StorageBucketObject;
  /** The key set, `keys.json`. */
  readonly jwks: StorageBucketObject;
  /** What must exist before the issuer's documents can be read. */
  readonly dependencies: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, props: IssuerBucketProps) {
    checkProps(new.target.name, scope, id, ISSUER_BUCKET_PROPS, props);
    const { provider } = props;
    const name = bucketName(props.bucket);
    const project = projectId(props.project);
    const issuer = Issuer.of(`https://storage.${universeIn(scope, props)}/${name}`);
    const options = { jwksPath: JWKS_PATH, accepted: ACCEPTED_ALGORITHMS };
    const { discovery, jwks } = issuerDocuments(issuer, props.keys, options);
    const { adopt = false, listing = adopt } = props;
    const location = locationOf(props);
    const holder = declared.get(scope, name);
    if (holder) refuseTaken("bucket", name, holder.node.path, HAND_OVER);
    super(scope, id);
    declared.set(this, name, this);
    this.issuer = issuer;
    this.resource = new StorageBucket(this, "Resource", {
      name,
      project,
      location,
      uniformBucketLevelAccess: true,
      publicAccessPrevention: "inherited",
      provider,
    });
    preventDestroy(this.resource);
    keepNames(this.resource, { names: { name, ...(adopt && { project }) }, statedBy: "bucket and project" });
    this.publicReaders = new StorageBucketIamMember(this, "public-readers", {
      bucket: name,
      role: listing ? LISTER : READER,
      member: EVERYONE,
      provider,
    });
    dependsOn(this.publicReaders, [this.resource]);
    this.discovery = this.#publish("discovery", discovery, props);
    this.jwks = this.#publish("jwks", jwks, props);
    this.dependencies = [this.publicReaders, this.discovery, this.jwks];
    if (adopt) this.resource.importFrom(`${project}/${name}`, provider);
  }

  #publish(
    id: string,
    { path, text, contentType }: OpenIdDocument,
    props: IssuerBucketProps,
  ): StorageBucketObject {
    const { totalSeconds } = props.cacheDuration ?? CACHE;
    const object = new StorageBucketObject(this, id, {
      bucket: props.bucket,
      name: path,
      content: terraformText(text),
      contentType,
      cacheControl: `public, max-age=${totalSeconds}`,
      provider: props.provider,
    });
    keepNames(object, { names: { name: path }, statedBy: "nothing: the documents have one place" });
    dependsOn(object, [this.resource]);
    return object;
  }
}

function locationOf({ location }: IssuerBucketProps): string {
  return textOfForm(location, {
    problem: "location of the bucket is missing or not a text",
    what: "location of the bucket",
    pattern: /^[a-z][a-z0-9-]+$/i,
    allowed: "us, eu, asia, a dual-region, or a region such as europe-west1",
    remedy:
      "for an existing bucket use its own: `gcloud storage buckets describe gs://BUCKET --format='value(location)'`",
  }).toUpperCase();
}
