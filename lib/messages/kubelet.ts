import type { Problem } from "./problem";

/** Refusals of the kubelet area. */
export const kubeletMessages = {
  "image-invalid": (image: string, reason: string): Problem => ({
    problem: `the kubelet refuses this image name (InvalidImageName): ${reason}`,
    value: image,
    allowed: "[registry[:port]/]path[:tag][@digest], the path in lower case",
    remedy: "write the image as `podman pull` or `docker pull` accepts it",
  }),
};
