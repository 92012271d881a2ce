import { describe, expect, it } from "vitest";
import { treeOf } from "../../../lib/model/tree";
import { certificateAuthorityIssues, proxyIssues, serverIssues } from "../../../lib/rules/fleet/endpoint";
import { outdatedNames } from "../../../lib/rules/fleet/names";
import {
  endpointIssues,
  foreignManagerIssues,
  healthIssues,
  managerLabelIssues,
  managerNameIssues,
  profileProviderIssues,
  schemaIssues,
  strayExtensionIssues,
} from "../../../lib/rules/fleet/cluster-profile";
import { secretIssues } from "../../../lib/rules/fleet/secret-material";
import { CA, LATE } from "../../fixtures/fleet/spokes";
import { refusal } from "../../support/refusal";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const pem = Buffer.from(CA, "base64").toString();

describe("serverIssues", () => {
  it.each([
    "https://a.example",
    "https://10.0.0.1:6443",
    "https://[fd00::1]:6443",
    "https://connectgateway.googleapis.com/v1/projects/1/locations/global/gkeMemberships/m",
    LATE,
    `https://${LATE}`,
  ])("takes %s", (server) => {
    expect(serverIssues(server)).toEqual([]);
  });

  it.each<[unknown, string]>([
    ["", "the server of a spoke is empty"],
    [undefined, "the server of a spoke is empty"],
    ["a.example", "the server of a spoke has no scheme; https:// is missing"],
    ["http://a.example", "the server of a spoke has the scheme http, not https"],
    ["https://", "the server of a spoke must be a valid absolute URL with a host"],
    ["https://a b", "the server of a spoke must be a valid absolute URL with a host"],
    ["https://u:p@a.example", "the server of a spoke has a user, which no client sends to an API server"],
    ["https://:p@a.example", "the server of a spoke has a user, which no client sends to an API server"],
    ["https://a.example?x", "the server of a spoke has a query or a fragment"],
    // The clouds' providers tell some endpoints without a scheme: `https://` stands before the placeholder.
    ["https://https://10.0.0.1", "the server of a spoke has a scheme twice"],
    ["https://http://10.0.0.1", "the server of a spoke has a scheme twice"],
    ["ftp://a.example", "the server of a spoke has a scheme other than https"],
    [`https://${"a".repeat(2041)}`, "the server of a spoke is longer than 2048 characters"],
  ])("refuses %j", (server, problem) => {
    expect(serverIssues(server)).toMatchObject([refusal("fleet-invalid: server of a spoke", { problem })]);
  });

  it("shows scheme and host", () => {
    const values = ["http://u:p@a.example:6443/b?c", "https://a.example#d", "a.example:6443"].map(
      (server) => serverIssues(server)[0]?.value,
    );
    expect(values).toEqual(["http://a.example:6443", "https://a.example", undefined]);
  });

  it("shows no password", () => {
    for (const server of [
      "https://u:hunter2@a.example",
      "u:hunter2@a.example",
      "https://a.example/?token=hunter2",
      "hunter2://a.example",
      "https://a b/hunter2",
      { token: "hunter2" },
    ])
      expect([server, serverIssues(server)[0]?.message]).toEqual([
        server,
        expect.not.stringContaining("hunter2"),
      ]);
    for (const proxy of [
      "ftp//user:hunter2@p",
      "ftp://hunter2@p",
      "http://hunter2@p",
      { password: "hunter2" },
    ])
      expect(proxyIssues(proxy)).toMatchObject([
        refusal("fleet-invalid: proxy of a spoke", { message: expect.not.stringContaining("hunter2") }),
      ]);
    expect(proxyIssues("http://u:hunter2@a.example:3128")).toMatchObject([
      refusal("fleet-unsafe: secret material"),
    ]);
    expect(proxyIssues("http://u:hunter2@a.example:3128")[0]?.message).not.toContain("hunter2");
  });

  it.each<[unknown, number]>([
    [undefined, 0],
    ["http://proxy:3128", 0],
    ["socks5://proxy:1080", 0],
    [LATE, 0],
    ["ftp://proxy", 1],
    ["proxy:3128", 1],
    ["http://user@proxy:3128", 1],
    ["", 1],
  ])("proxy %j has %i issues", (proxy, count) => {
    expect(proxyIssues(proxy)).toEqual(Array(count).fill(refusal("fleet-invalid: proxy of a spoke")));
  });
});

describe("certificateAuthorityIssues", () => {
  it.each([CA, base64(pem + pem), LATE, CA.replace(/(.{64})/g, "$1\n")])("takes a certificate", (data) => {
    expect(certificateAuthorityIssues(data)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ["nothing", "", "the certificate authority of a spoke is empty"],
    ["a path", "./ca.crt", "the certificate authority of a spoke is the path of a file, not its content"],
    ["PEM itself", pem, "the certificate authority of a spoke is PEM that is not encoded in base64"],
    ["other text", "%%%", "the certificate authority of a spoke is not base64"],
    ["base64 of base64", base64(CA), "the certificate authority of a spoke contains no PEM block"],
    ["base64 of text", base64("hello world!"), "the certificate authority of a spoke contains no PEM block"],
    [
      "a public key",
      base64("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
      "the certificate authority of a spoke contains a PEM block that is not a CERTIFICATE",
    ],
    [
      "a damaged certificate",
      base64(pem.replace("MIIB", "AAAA")),
      "the certificate authority of a spoke contains a damaged certificate",
    ],
  ])("refuses %s", (_, data, problem) => {
    expect(certificateAuthorityIssues(data)).toMatchObject([
      refusal("fleet-invalid: certificate authority of a spoke", { problem }),
    ]);
  });

  it("refuses a private key as secret, and shows nothing of it", () => {
    const key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
    const [issue] = certificateAuthorityIssues(base64(pem + key));
    expect(issue).toEqual(refusal("fleet-unsafe: secret material", { value: undefined }));
    expect(issue?.message).not.toContain("c2VjcmV0");
  });
});

describe("secretIssues", () => {
  const jwt = ["eyJhbGciOiJSUzI1NiJ9", "eyJzdWIiOiJ4In0xxxx", "c2lnbmF0dXJl"].join(".");

  it.each<[string, unknown, string]>([
    ["a token", { a: [{ b: jwt }] }, "x.a[0].b"],
    ["a token in base64", { a: base64(`{"access":"${jwt}"}`) }, "x.a"],
    ["a private key", { a: "-----BEGIN EC PRIVATE KEY-----" }, "x.a"],
    ["an access key of AWS", { a: `AKIA${"A".repeat(16)}` }, "x.a"],
    [
      "a variable",
      { env: [{ name: "AAD_SERVICE_PRINCIPAL_CLIENT_SECRET", value: "x" }] },
      "x.env[0] (AAD_SERVICE_PRINCIPAL_CLIENT_SECRET)",
    ],
    [
      "a secret access key",
      { env: [{ name: "AWS_SECRET_ACCESS_KEY", value: "x" }] },
      "x.env[0] (AWS_SECRET_ACCESS_KEY)",
    ],
    ["a token by its name", { env: [{ name: "GITHUB_TOKEN", value: "hunter2" }] }, "x.env[0] (GITHUB_TOKEN)"],
    ["Vault's token", { env: [{ name: "VAULT_TOKEN", value: "hunter2" }] }, "x.env[0] (VAULT_TOKEN)"],
    ["a flag of a token", { args: ["--auth-token", "hunter2"] }, "x.args[0] (--auth-token)"],
    ["a header", { args: ["-H", "Authorization: Bearer hunter2"] }, "x.args[1]"],
    ["a header's value", { header: "bearer hunter2" }, "x.header"],
    // RFC 9110, section 11.4: one or more spaces.
    ["a header's value after several spaces", { header: "Bearer  hunter2" }, "x.header"],
    ["a flag", { args: ["get-token", "--client-secret", "x"] }, "x.args[1] (--client-secret)"],
    ["a flag with its value", { args: ["--password=x"] }, "x.args[0] (--password)"],
    ["a field", { extension: { token: "x" } }, "x.extension.token"],
    [
      "a proxy with its password",
      { env: [{ name: "HTTPS_PROXY", value: "http://u:hunter2@p:3128" }] },
      "x.env[0].value",
    ],
    ["an address with a password", { args: ["https://u:p@h"] }, "x.args[0]"],
    ["a password without user", { args: ["--url=redis://:hunter2@h/0"] }, "x.args[0]"],
    ["a client key", { "client-key-data": "x" }, "x.client-key-data"],
  ])("finds %s", (_, document, where) => {
    expect(secretIssues("x", document)).toMatchObject([
      {
        code: "fleet-unsafe",
        problem: `${where} contains secret material, which is stored there in plain text`,
      },
    ]);
  });

  it("finds nothing in what federated identity needs", () => {
    const env = [
      "AWS_WEB_IDENTITY_TOKEN_FILE",
      "AZURE_FEDERATED_TOKEN_FILE",
      "GOOGLE_APPLICATION_CREDENTIALS",
    ];
    expect(
      secretIssues("x", {
        ca: CA,
        late: LATE,
        env: env.map((name) => ({ name, value: "/var/run/secrets/token" })),
        args: ["token", "--cluster-id", "a", "get-token", "--federated-token-file", "/x"],
        urls: [
          "https://a.example:6443/@b:c@d",
          "https://user@a.example",
          "https://a.example:443?to=a@b",
          "https://a.example:443#a@b",
          "oci://a.example/b:1@sha256:00",
        ],
        installHint: "the plugin sends bearer tokens",
        serviceAccountToken: "spoke",
        token: "",
      }),
    ).toEqual([]);
  });
});

describe("a profile", () => {
  const ARGS = "clusterprofiles.multicluster.x-k8s.io/exec/additional-args";
  const ENVS = "clusterprofiles.multicluster.x-k8s.io/exec/additional-envs";
  const profile = (cluster: object, name = "a"): object => ({
    apiVersion: "multicluster.x-k8s.io/v1alpha1",
    kind: "ClusterProfile",
    metadata: { name: "spoke", labels: { "x-k8s.io/cluster-manager": "m" } },
    spec: { clusterManager: { name: "m" } },
    status: { accessProviders: [{ name, cluster: { server: "https://a", ...cluster } }] },
  });

  const BAD = ["fleet-invalid: extension of an access provider"];
  it.each<[string, object, readonly string[]]>([
    ["no extension", {}, []],
    ["variables", { extensions: [{ name: ENVS, extension: { A: "b" } }] }, []],
    [
      "additional-args",
      { extensions: [{ name: ARGS, extension: {} }] },
      ["fleet-unsupported: additional-args"],
    ],
    ["a number as variable", { extensions: [{ name: ENVS, extension: { A: 1 } }] }, BAD],
    ["a list as extension", { extensions: [{ name: ENVS, extension: [] }] }, BAD],
    ["one twice", { extensions: [1, 2].map(() => ({ name: ENVS, extension: {} })) }, BAD],
    ["another name", { extensions: [{ name: "x", extension: {} }] }, BAD],
    [
      "the name of the drafts",
      {
        extensions: [
          { name: "multicluster.x-k8s.io/clusterprofiles/auth/exec/additional-envs", extension: {} },
        ],
      },
      ["fleet-unknown: older draft"],
    ],
  ])("with %s", (_, cluster, codes) => {
    const given = profile(cluster);
    expect([...profileProviderIssues(given), ...strayExtensionIssues(given)]).toEqual(
      codes.map((each) => refusal(each)),
    );
  });

  it("names today's name of what is dropped", () => {
    const issues = schemaIssues(
      treeOf(profile({ certificateAuthorityData: "x", other: 1, server: 1 })),
      "v1alpha1",
    );
    expect(issues).toEqual([
      refusal("fleet-unknown: older draft", {
        value: "certificateAuthorityData",
        allowed: "certificate-authority-data",
      }),
      refusal("fleet-unknown: the API server silently drops", {
        value: "status.accessProviders[0].cluster.other",
        allowed: "the fields of the CRD; within `cluster` they are in kebab-case",
      }),
      refusal("fleet-invalid: the API server rejects", { value: undefined, allowed: undefined }),
    ]);
    expect(profileProviderIssues({ status: { credentialProviders: [] } })).toMatchObject([
      refusal("fleet-unknown: older draft", { allowed: "accessProviders" }),
    ]);
    expect(outdatedNames(["--clusterprofile-creds-provider", "--v"])).toMatchObject([
      { value: "--clusterprofile-creds-provider", allowed: "--clusterprofile-provider-file" },
    ]);
  });

  it("needs certificates unless they are public", () => {
    expect(endpointIssues(profile({}), false)).toEqual([refusal("fleet-missing: no certificate authority")]);
    expect(endpointIssues(profile({}), true)).toEqual([]);
    expect(endpointIssues(profile({ "certificate-authority-data": CA }), false)).toEqual([]);
  });

  it.each<[unknown, readonly string[]]>([
    ["platform-iac", []],
    ["A.b_c-1", []],
    ["", ["fleet-invalid: name of the cluster manager"]],
    ["a".repeat(64), ["fleet-invalid: name of the cluster manager"]],
    ["a b", ["fleet-invalid: name of the cluster manager"]],
    ["KubeFleet", ["fleet-foreign: the cluster manager is a program"]],
    ["open-cluster-management", ["fleet-foreign: the cluster manager is a program"]],
    ["gke-fleet", ["fleet-foreign: the cluster manager is a program"]],
  ])("of manager %j: %j", (name, codes) => {
    expect([...managerNameIssues(name), ...foreignManagerIssues(name)]).toEqual(
      codes.map((each) => refusal(each)),
    );
  });

  it("repeats the manager in its label", () => {
    expect(managerLabelIssues(profile({}))).toEqual([]);
    expect(managerLabelIssues({ ...profile({}), metadata: { name: "spoke" } })).toMatchObject([
      refusal("fleet-mismatch: the label x-k8s.io/cluster-manager", { allowed: "m" }),
    ]);
    expect(managerLabelIssues({})).toMatchObject([refusal("fleet-invalid: name of the cluster manager")]);
  });

  it.each<[string, unknown, boolean, number]>([
    ["no condition, not waited for", undefined, false, 0],
    ["no condition", undefined, true, 1],
    ["False", [{ type: "ControlPlaneHealthy", status: "False" }], true, 1],
    ["True", [{ type: "ControlPlaneHealthy", status: "True" }], true, 0],
    ["another condition", [{ type: "Joined", status: "True" }], true, 1],
  ])("health: %s", (_, conditions, needsHealthy, count) => {
    const document = { metadata: { name: "spoke" }, status: { conditions } };
    expect(healthIssues(document, { title: "Knative Operator", needsHealthy })).toHaveLength(count);
  });
});
