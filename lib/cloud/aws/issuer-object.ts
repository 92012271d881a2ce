import type { S3Bucket } from "@cdktf/provider-aws/lib/s3-bucket/index.js";
import { S3Object } from "@cdktf/provider-aws/lib/s3-object/index.js";
import { TerraformLocal } from "cdktf";
import type { Construct } from "constructs";
import { isLate } from "../../model/late";
import { importId, issuerCacheControl, objectEtag } from "../../rules/aws/issuer";
import type { OpenIdDocument } from "../../rules/openid/issuer-documents";
import { terraformText } from "../../rules/terraform-text";
import { keepNames } from "../shared/kept-names";
import { attributeOf } from "../shared/references";
import type { IssuerBucketSettings } from "./issuer-bucket-settings";

/** Declares a document of an issuer as an object of its bucket; a change from outside is seen by its ETag. */
export function issuerObject(
  scope: Construct,
  id: string,
  bucket: S3Bucket,
  { path, text, contentType }: OpenIdDocument,
  { bucketName, region, tags, provider, adopt }: IssuerBucketSettings,
): S3Object {
  const object = new S3Object(scope, id, {
    bucket: attributeOf(bucket, "id"),
    region,
    key: path,
    ...contentOf(scope, id, text),
    contentType,
    cacheControl: issuerCacheControl,
    ...(tags ? { tags } : {}),
    ...(provider ? { provider } : {}),
  });
  keepNames(object, { names: { key: path }, statedBy: "jwksPath; the discovery document has one place" });
  if (adopt) object.importFrom(importId(`${bucketName}/${path}`, region), provider);
  return object;
}

/** The text of a late issuer stands in a local, so that Terraform can make the ETag of exactly that text. */
function contentOf(scope: Construct, id: string, text: string): { content: string; etag: string } {
  if (!isLate(text)) return { content: terraformText(text), etag: objectEtag(text) };
  const local = `local.${new TerraformLocal(scope, `${id}Text`, terraformText(text)).friendlyUniqueId}`;
  return { content: `\${${local}}`, etag: `\${md5(${local})}` };
}
