/*
 * Statements that IAM accepts although they permit nothing: an action whose name is misspelled, an action on objects of
 * S3 with a bucket as resource, or the reverse. Source: Service Authorization Reference, "Actions, resources, and
 * condition keys" of each service; the names are those that workloads use, so a name that is not near one of them may
 * exist. Whatever is real and nearly the same as another has to be in the list.
 */

import { isLate } from "../../model/late";
import { nearMiss, nearestName } from "../../model/nearest-name";
import { listOf } from "./names";
import type { PolicyStatement } from "./policy-document";

const ON_OBJECTS =
  "GetObject PutObject DeleteObject GetObjectVersion DeleteObjectVersion GetObjectAcl PutObjectAcl GetObjectTagging PutObjectTagging DeleteObjectTagging AbortMultipartUpload ListMultipartUploadParts RestoreObject GetObjectAttributes GetObjectRetention PutObjectRetention";

const ON_BUCKETS =
  "ListBucket ListBucketVersions ListBucketMultipartUploads GetBucketLocation GetBucketAcl GetBucketPolicy GetBucketVersioning GetBucketTagging PutBucketPolicy CreateBucket DeleteBucket";

const ACTIONS: Readonly<Record<string, string>> = {
  s3: `${ON_OBJECTS} ${ON_BUCKETS} ListAllMyBuckets`,
  sqs: "SendMessage ReceiveMessage DeleteMessage ChangeMessageVisibility GetQueueAttributes SetQueueAttributes GetQueueUrl ListQueues ListQueueTags CreateQueue DeleteQueue PurgeQueue TagQueue UntagQueue",
  sns: "Publish Subscribe Unsubscribe ListTopics GetTopicAttributes SetTopicAttributes CreateTopic DeleteTopic",
  dynamodb:
    "GetItem PutItem UpdateItem DeleteItem BatchGetItem BatchWriteItem ConditionCheckItem Query Scan DescribeTable ListTables CreateTable DeleteTable UpdateTable",
  secretsmanager:
    "GetSecretValue PutSecretValue BatchGetSecretValue DescribeSecret ListSecrets CreateSecret UpdateSecret DeleteSecret RotateSecret RestoreSecret",
  ssm: "GetParameter GetParameters GetParametersByPath GetParameterHistory PutParameter DeleteParameter DeleteParameters DescribeParameters",
  kms: "Decrypt Encrypt ReEncryptFrom ReEncryptTo GenerateDataKey GenerateDataKeyPair GenerateDataKeyWithoutPlaintext DescribeKey CreateGrant GetPublicKey",
  sts: "AssumeRole AssumeRoot AssumeRoleWithWebIdentity AssumeRoleWithSAML GetCallerIdentity GetSessionToken TagSession",
  logs: "CreateLogGroup CreateLogStream PutLogEvents GetLogEvents FilterLogEvents DescribeLogGroups DescribeLogStreams DeleteLogGroup DeleteLogStream",
  cloudwatch: "PutMetricData GetMetricData GetMetricStatistics ListMetrics",
  ecr: "GetAuthorizationToken BatchGetImage BatchCheckLayerAvailability GetDownloadUrlForLayer PutImage InitiateLayerUpload UploadLayerPart CompleteLayerUpload DescribeImages DescribeRepositories ListImages BatchDeleteImage",
  lambda: "InvokeFunction InvokeAsync GetFunction ListFunctions",
};

/** Warnings about statements of an identity policy, each once. */
export function statementWarnings(statements: readonly PolicyStatement[]): readonly string[] {
  const all = statements.flatMap((each) => [...misspelled(each), ...ofTheOtherKind(each), ...regional(each)]);
  return [...new Set(all)];
}

function misspelled({ Action }: PolicyStatement): readonly string[] {
  return listOf(Action).flatMap((action) => {
    const [service = "", name = ""] = action.split(":");
    const known = Object.hasOwn(ACTIONS, service.toLowerCase()) ? ACTIONS[service.toLowerCase()] : undefined;
    if (isLate(action) || /[*?]/.test(action)) return [];
    const near =
      known === undefined
        ? { service: nearestName(service, servicesWith(name)), name }
        : { service, name: nearMiss(name, known.split(" "), "ignored") };
    return near.service === undefined || near.name === undefined
      ? []
      : [
          `action ${action} is not known, but ${near.service}:${near.name} is; IAM accepts any name, and one that does not exist permits nothing: correct it if ${near.service}:${near.name} is meant`,
        ];
  });
}

/** The services with an action of exactly this name, since what other services exist is not known. */
function servicesWith(name: string): readonly string[] {
  return Object.keys(ACTIONS).filter((service) => ACTIONS[service]?.split(" ").includes(name));
}

const KINDS = [
  ["objects", ON_OBJECTS, /^arn:[^:]*:s3:::[^/]+$/, (bucket: string) => `${bucket}/*`],
  ["buckets", ON_BUCKETS, /^arn:[^:]*:s3:::[^/]+\/.+$/, (objects: string) => objects.replace(/\/.*$/, "")],
] as const;

/** Actions on objects whose every resource is a bucket, and actions on buckets whose every resource is an object. */
function ofTheOtherKind({ Action, Resource }: PolicyStatement): readonly string[] {
  const resources = listOf(Resource);
  return KINDS.flatMap(([what, actions, other, meant]) => {
    const names = new Set(actions.split(" ").map((name) => `s3:${name}`.toLowerCase()));
    const action = listOf(Action).find((each) => names.has(each.toLowerCase()));
    const first = resources[0];
    const isWrong = (arn: string): boolean =>
      other.test(arn) && !isLate(arn) && !/[*?]/.test(arn.split("/", 1)[0] ?? "");
    return action === undefined || first === undefined || !resources.every(isWrong)
      ? []
      : [
          `action ${action} applies to ${what} of S3, and ${resources.join(", ")} ${resources.length === 1 ? "is none" : "are none"}, so the statement has no effect on them: add ${meant(first)} to \`Resource\``,
        ];
  });
}

/**
 * Services of which ARNs have no region; of S3, only those of buckets and objects. Source: Service Authorization
 * Reference, "Resource types defined by …".
 */
const REGIONAL = [
  /^(arn:[^:]*:(?:iam|cloudfront|route53):)[a-z0-9-]+(:.*)$/,
  /^(arn:[^:]*:s3:)[a-z0-9-]+(::.*)$/,
] as const;

/** Resources with a region that their ARNs never have. */
function regional({ Resource }: PolicyStatement): readonly string[] {
  return listOf(Resource).flatMap((arn) => {
    const [, before, after] = REGIONAL.map((form) => form.exec(arn)).find((each) => each !== null) ?? [];
    return before === undefined || after === undefined
      ? []
      : [
          `resource ${arn} has a region, which ARNs of this service do not have, so it matches nothing: write ${before}${after}`,
        ];
  });
}
