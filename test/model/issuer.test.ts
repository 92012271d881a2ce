import { describe, expect, it } from "vitest";
import { Issuer } from "../../lib/model/issuer";
import { DIGITS, LETTERS, LOWER, passes, sorted, takenCharacters } from "../support/characters";
import { refusal } from "../support/refusal";

const LATE = "${TfToken[TOKEN.7]}";

describe("Issuer.of", () => {
  it.each([
    "https://d111.cloudfront.net",
    "https://oidc.example.com/clusters/prod-eu",
    "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF",
    "https://kubernetes.default.svc:6443/x",
    "https://storage.googleapis.com/my_bucket-oidc",
    "https://my_bucket.s3.eu-west-1.amazonaws.com/..a/b..c",
    "https://[2001:db8::1]:8443/oidc",
    "https://westeurope.oic.prod-aks.azure.com/4f1c8a52/9d0e/",
    "https://usgovvirginia.oic.prod-aks.azure.us/4f1c8a52/9d0e/",
    "https://chinanorth2.oic.prod-aks.azure.cn/4f1c8a52/9d0e/",
    // Azure/azure-workload-identity, docs/book/src/topics/troubleshooting.md
    "https://oidc.prod-aks.azure.com/291168e9-1ded-42d8-8608-c9ff8fe7c21b/",
  ])("accepts %s", (url) => {
    expect(Issuer.of(url).url).toBe(url);
  });

  it.each([
    ["http://oidc.example.com", "issuer-invalid", "is not an https URL"],
    ["oidc.example.com", "issuer-invalid", "is not an https URL"],
    ["", "issuer-invalid", "is not an https URL"],
    ["https://", "issuer-invalid", "has no host"],
    ["https:///path", "issuer-invalid", "has no host"],
    ["https://oidc.example.com?x=1", "issuer-invalid", "has a query"],
    ["https://oidc.example.com#x", "issuer-invalid", "has a fragment"],
    ["https://user@oidc.example.com", "issuer-invalid", "has a user"],
    ["https://oidc.example.com/a b", "issuer-invalid", "is not allowed in a URL"],
    ["https://oidc.example.com\n", "issuer-invalid", "is not allowed in a URL"],
    ["https://öidc.example.com", "issuer-invalid", "is not allowed in a URL"],
    ["https://OIDC.example.com", "issuer-invalid", "upper-case letters in its host"],
    ["https://oidc.example.com//a", "issuer-invalid", "empty path segment"],
    ["https://oidc.example.com:99999", "issuer-invalid", "is not a URL"],
    ["https://oidc..example.com", "issuer-invalid", "no valid host name"],
    ["https://.example.com", "issuer-invalid", "no valid host name"],
    ["https://oidc.example.com./a", "issuer-invalid", "no valid host name"],
    ["https://-oidc.example.com", "issuer-invalid", "no valid host name"],
    ["https://oidc-.example.com", "issuer-invalid", "no valid host name"],
    [`https://${"a".repeat(64)}.example.com`, "issuer-invalid", "no valid host name"],
    ["https://oidc.example.com:/a", "issuer-invalid", "empty port"],
    ["https://oidc.example.com:", "issuer-invalid", "empty port"],
    ["https://oidc.example.com/a/../b", "issuer-invalid", "dot segment"],
    ["https://oidc.example.com/a/.", "issuer-invalid", "dot segment"],
    ["https://oidc.example.com/%2E%2e/b", "issuer-invalid", "dot segment"],
    ["https://oidc.example.com/", "issuer-invalid", "ends with a slash"],
    ["https://oidc.example.com/a/", "issuer-invalid", "ends with a slash"],
    ["https://x.example.com/y.oic.prod-aks.azure.com/", "issuer-invalid", "ends with a slash"],
    ["https://evil-oic.prod-aks.azure.com/a/b/", "issuer-invalid", "ends with a slash"],
    ["https://x.oidc.prod-aks.azure.com/a/", "issuer-invalid", "ends with a slash"],
    ["https://eastus.oic.prod-aks.azure.com/a/b", "issuer-invalid", "lacks the slash"],
    ["https://oidc.prod-aks.azure.com/291168e9-1ded", "issuer-invalid", "lacks the slash"],
    ["https://usgovarizona.oic.prod-aks.azure.us/a/b", "issuer-invalid", "lacks the slash"],
    ["https://chinaeast2.oic.prod-aks.azure.cn/a/b", "issuer-invalid", "lacks the slash"],
  ])("refuses %j with %s", (url, code, text) => {
    expect(() => Issuer.of(url)).toThrowError(refusal(code, { message: expect.stringContaining(text) }));
  });

  // RFC 3986 section 2, without what discovery forbids (?, #) and with % for encoded characters.
  it("takes these characters in the path, and in the host names of DNS and old buckets", () => {
    const path = takenCharacters((each) => passes(() => Issuer.of(`https://oidc.example.com/a${each}a`)));
    expect(path).toBe(sorted(`${DIGITS}${LETTERS}!$%&'()*+,-./:;=@[]_~`));
    const edge = sorted(`${DIGITS}${LOWER}_`);
    const host = (before: string, after: string): string =>
      takenCharacters((each) => passes(() => Issuer.of(`https://${before}${each}${after}`)));
    expect(host("a", "a.example.com")).toBe(sorted(`${edge}-./`));
    expect(host("", "a.example.com")).toBe(edge);
    expect(host("oidc.", "a.example.com")).toBe(edge);
    expect(host("oidc.example.co", "")).toBe(edge);
  });

  it.each([
    ["?x=1", "has a query, which OIDC discovery forbids"],
    ["#x", "has a fragment, which OIDC discovery forbids"],
    ["/a b", "has a character that is not allowed in a URL"],
    [":443/user@x", undefined],
    [":/a", "has an empty port"],
    ["/a:/b", undefined],
    ["//a", "has an empty path segment"],
    ["/a/./b", "has a dot segment, which clients remove from a URL before they request it"],
    ["/a/%2e/b", "has a dot segment, which clients remove from a URL before they request it"],
    ["/a/.../b", undefined],
    ["/a/%2e%2e%2e/b", undefined],
  ])("says of %s what is wrong: %s", (rest, reason) => {
    const url = `https://oidc.example.com${rest}`;
    if (reason === undefined) expect(Issuer.of(url).url).toBe(url);
    else expect(() => Issuer.of(url)).toThrowError(`issuer ${reason}, got ${JSON.stringify(url)}`);
  });

  it("says of a host what is wrong with it", () => {
    expect(() => Issuer.of("https://user@oidc.example.com/a")).toThrowError(
      "issuer has a user, which OIDC discovery forbids",
    );
    expect(() => Issuer.of("https://-.example.com")).toThrowError("issuer has no valid host name, got");
  });

  it("shows the value, what is allowed and what to do", () => {
    expect(() => Issuer.of("http://x")).toThrowError(
      'issuer is not an https URL, got "http://x"; allowed: https://host[/path], without query, fragment, user or trailing slash; ' +
        "use the `issuer` of the cluster's /.well-known/openid-configuration, character for character",
    );
  });

  it("keeps a trailing slash only when asked for it", () => {
    expect(Issuer.exactly("https://x.z1.web.core.windows.net/").url).toBe(
      "https://x.z1.web.core.windows.net/",
    );
  });

  it.each(["/.well-known/openid-configuration", "/openid/v1/jwks", "/keys.json", "/.well-known/jwks.json"])(
    "takes the address of a document (%s) only when asked for it",
    (path) => {
      const url = `https://oidc.example.com/prod${path}`;
      expect(() => Issuer.of(url)).toThrowError(
        `issuer is the address of a document that is published below the issuer, got "${url}"; allowed: the \`issuer\` that the discovery document states, which is also the \`iss\` of the tokens; write https://oidc.example.com/prod; only when`,
      );
      expect(Issuer.exactly(url).url).toBe(url);
    },
  );

  it("refuses an AKS issuer without its slash in either form", () => {
    expect(() => Issuer.exactly("https://eastus.oic.prod-aks.azure.com/a/b")).toThrowError(
      refusal("issuer-invalid"),
    );
  });

  it("passes a late issuer through and refuses to look inside", () => {
    const issuer = Issuer.of(LATE);
    expect(issuer.late).toBe(true);
    expect(issuer.url).toBe(LATE);
    expect(() => issuer.hostPath).toThrowError(refusal("late-value"));
  });

  it.each([
    ["https://kubernetes.default.svc", true],
    ["https://kubernetes.default.svc.cluster.local:6443", true],
    ["https://kubernetes.default", false],
    ["https://kubernetes", true],
    ["https://localhost:8443/oidc", true],
    ["https://issuer.localhost", true],
    ["https://oidc.corp.internal/a", true],
    // RFC 1122, 1918, 3927, 4193, 4291.
    ["https://0.0.0.0", true],
    ["https://1.1.1.1", false],
    ["https://127.0.0.1:6443", true],
    ["https://126.0.0.1", false],
    ["https://10.96.0.1", true],
    ["https://11.96.0.1", false],
    ["https://169.254.169.254", true],
    ["https://169.253.1.1", false],
    ["https://172.15.4.1", false],
    ...Array.from({ length: 16 }, (_, each): [string, boolean] => [`https://172.${16 + each}.4.1`, true]),
    ["https://172.32.4.1", false],
    ["https://192.168.1.1", true],
    ["https://192.167.1.1", false],
    ["https://[::]", true],
    ["https://[::1]:6443", true],
    ["https://[::2]", false],
    ["https://[fc00::1]", true],
    ["https://[fd00::1]", true],
    ["https://[fe80::1]", true],
    ["https://[fe00::1]", false],
    ["https://[2001:db8::1]", false],
    ["https://10.example.com", false],
    ["https://svc.example.com", false],
    ["https://oidc.svc.example.com/.svc", false],
    ["https://oidc.example.com/localhost", false],
    [LATE, false],
  ])("%s is within the cluster: %s", (url, internal) => {
    expect(Issuer.of(url).clusterInternal).toBe(internal);
  });

  it("takes an issuer as it is, and compares exactly", () => {
    const issuer = Issuer.of("https://oidc.example.com/a");
    expect(Issuer.of(issuer)).toBe(issuer);
    expect(issuer.hostPath).toBe("oidc.example.com/a");
    expect(issuer.equals(Issuer.of("https://oidc.example.com/a"))).toBe(true);
    expect(issuer.equals(Issuer.of("https://oidc.example.com/A"))).toBe(false);
  });
});

describe("further issuers", () => {
  const [one, other] = ["https://oidc.example.com/a", "https://oidc.example.com/b"];
  const next = Issuer.of(other, { label: "2027" });

  it("are in the same order whichever signs", () => {
    const urls = (issuer: Issuer): readonly string[] => issuer.accepted.map(({ url }) => url);
    expect(urls(Issuer.of(one))).toEqual([one]);
    expect(urls(Issuer.of(one, { additionalIssuers: [next] }))).toEqual([one, other]);
    expect(urls(Issuer.of(next, { additionalIssuers: [one] }))).toEqual([one, other]);
  });

  it("are recorded beside the one that signs", () => {
    expect(Issuer.of(one).recorded).toEqual({ issuer: one });
    expect(Issuer.of(next, { additionalIssuers: [one] }).recorded).toEqual({
      issuer: other,
      additionalIssuers: [one],
    });
  });

  it("stay where another setting is stated, and bring their own along", () => {
    const [third, trusted] = ["https://oidc.example.com/c", Issuer.of(one, { additionalIssuers: [next] })];
    const urls = (issuer: Issuer): unknown => [issuer.url, ...issuer.additionalIssuers.map(({ url }) => url)];
    expect(urls(Issuer.of(trusted, { label: "2026" }))).toEqual([one, other]);
    expect(urls(Issuer.of(trusted, { additionalIssuers: [] }))).toEqual([one]);
    const signing = Issuer.of(next, { additionalIssuers: [one] });
    expect(urls(Issuer.of(third, { label: "2028", additionalIssuers: [signing] }))).toEqual([
      third,
      other,
      one,
    ]);
    expect(urls(Issuer.of(one, { additionalIssuers: [signing] }))).toEqual([one, other]);
  });

  it.each([
    ["the same URL", { additionalIssuers: [Issuer.of(one, { label: "b" })] }, "issuer-conflict"],
    ["no label of two", { additionalIssuers: [other] }, "issuer-conflict"],
    ["one label of two", { label: "2027", additionalIssuers: [next] }, "issuer-conflict"],
    ["a label in upper case", { label: "Next" }, "issuer-invalid"],
    ["a label that is too long", { label: "a".repeat(17) }, "issuer-invalid"],
    ["an empty label", { label: "" }, "issuer-invalid"],
  ])("refuses %s", (_, settings, code) => {
    expect(() => Issuer.of(one, settings)).toThrowError(refusal(code));
  });
});
