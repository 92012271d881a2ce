import { expect, it } from "vitest";
import { DOCKER_CONFIG_KEYS, readDockerConfig } from "../../../lib/rules/kubelet/registry-credentials";

const JSON_TYPE = "kubernetes.io/dockerconfigjson";
const OLD_TYPE = "kubernetes.io/dockercfg";
const auth = (text: string): string => JSON.stringify({ auths: { "r.io": { auth: text } } });

// Computed by DockerConfigJSON and DockerConfigEntry of kubernetes:pkg/credentialprovider/config.go, 1.36.2.
it.each<[type: string, content: string, registries: readonly string[], problem: string | undefined]>([
  [JSON_TYPE, "", [], undefined],
  [JSON_TYPE, "null", [], undefined],
  [JSON_TYPE, "{}", [], undefined],
  [JSON_TYPE, '{"r.io":{}}', [], undefined],
  [OLD_TYPE, '{"r.io":{}}', ["r.io"], undefined],
  [JSON_TYPE, '{"Auths":{"r.io":null}}', ["r.io"], undefined],
  [JSON_TYPE, auth("YTpi"), ["r.io"], undefined],
  [JSON_TYPE, auth("YTpiYg=="), ["r.io"], undefined],
  [JSON_TYPE, auth("YTpiYg"), ["r.io"], undefined],
  [JSON_TYPE, auth("YT\npi"), ["r.io"], undefined],
  [JSON_TYPE, auth(" YTpi"), ["r.io"], 'the auth of the entry "r.io" is not base64'],
  [JSON_TYPE, auth("YTpi="), ["r.io"], 'the auth of the entry "r.io" is not base64'],
  [JSON_TYPE, auth("YWI="), ["r.io"], 'the auth of the entry "r.io" is not base64 of username:password'],
  [JSON_TYPE, "notjson", [], "it is not JSON"],
  [JSON_TYPE, "[]", [], "it is array, but must be object"],
  [JSON_TYPE, '{"auths":"x"}', [], "auths is string, but must be object"],
  [JSON_TYPE, '{"auths":{"r.io":5}}', ["r.io"], 'the entry "r.io" is number, but must be object'],
  [
    JSON_TYPE,
    '{"auths":{"r.io":{"Username":5}}}',
    ["r.io"],
    'username of the entry "r.io" is number, but must be string',
  ],
  [
    JSON_TYPE,
    '{"auths":{},"HttpHeaders":{"a":1}}',
    [],
    "a value of HttpHeaders is number, but must be string",
  ],
  [OLD_TYPE, '{"r.io":{"auth":"!"}}', ["r.io"], 'the auth of the entry "r.io" is not base64'],
])("%s %s", (type, content, registries, problem) => {
  expect(readDockerConfig(type, content)).toEqual({ registries, problem });
});

// DockerConfigEntry has these fields of text; what else an entry holds is passed over.
it.each(["username", "password", "email", "auth"])("%s of an entry is text", (name) => {
  const content = JSON.stringify({ "r.io": { [name]: 5, identitytoken: 5 } });
  expect(readDockerConfig(OLD_TYPE, content).problem).toBe(
    `${name} of the entry "r.io" is number, but must be string`,
  );
  expect(
    readDockerConfig(OLD_TYPE, JSON.stringify({ "r.io": { identitytoken: 5 } })).problem,
  ).toBeUndefined();
});

it("knows the two types of secrets, each with its key", () => {
  expect(DOCKER_CONFIG_KEYS).toEqual({ [JSON_TYPE]: ".dockerconfigjson", [OLD_TYPE]: ".dockercfg" });
});
