import { checks } from "../../fixtures/explain/checks";
import { HOST, ecr, objects } from "../../fixtures/explain/three-clouds";

const REFUSED = "the kubelet refuses this image name";
const pod = (image: string, more: object = {}) =>
  objects({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "shop" },
    spec: { serviceAccountName: "web", containers: [{ name: "c", image, ...more }] },
  });

checks("image-parses", "names that are asked about", ecr, [
  ["with a tag", [], "pass", `the kubelet looks up ${HOST}/shop/web`, { image: `${HOST}/shop/web:1` }],
  ["in upper case", [], "fail", REFUSED, { image: `${HOST}/Web`, log: "InvalidImageName" }],
  ["empty", [], "fail", REFUSED, { image: "" }],
]);

checks("image-parses", "images of pods", { ...ecr, origin: "workload" }, [
  ["one that is pulled", pod(`${HOST}/shop/web`), "pass", "looks up"],
  ["one that is refused", pod("Shop/Web"), "fail", REFUSED, { evidence: "Pod shop/p" }],
  [
    "one that only apply tells",
    pod("@late(aws_ecr_repository.web.repository_url)@"),
    "unknown",
    "known only after apply",
  ],
  [
    "with a placeholder",
    pod("<ACCOUNT_ID>.dkr.ecr.eu-west-1.amazonaws.com/web"),
    "unknown",
    "holds a placeholder",
  ],
  ["with one of a template", pod(`${HOST}/shop/web:{{ .tag }}`), "unknown", "holds a placeholder"],
  ["with one of envsubst", pod(`${HOST}/shop/web:\${TAG}`), "unknown", "holds a placeholder"],
  ["one that is never pulled", pod(`${HOST}/shop/web`, { imagePullPolicy: "Never" }), "skipped"],
]);
