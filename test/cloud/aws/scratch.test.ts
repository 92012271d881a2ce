import { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import { Construct } from "constructs";
import { it } from "vitest";
import { Testing } from "cdktf";
import { pullRoles } from "../../../lib/cloud/aws";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { newStack, own, ACCOUNT } from "./synthesized";
it("perf", () => {
  const N = 5000;
  for (let round = 0; round < 3; round++) {
    let t = performance.now();
    const a = newStack();
    const src = own();
    pullRoles({ account: ACCOUNT }).declare(a, {
      cluster: { name: "c", issuer: Issuer.of("https://x.example.com") } as never,
      pulls: Array.from({ length: N }, (_, i) => ({ subject: Subject.of(`n/s${i}`), sources: [src] })),
    });
    const t1 = performance.now() - t;
    const s1 = Testing.synth(a).length;
    const t2 = performance.now() - t;
    t = performance.now();
    const b = newStack();
    const trust = {
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Federated: "arn:aws:iam::111122223333:oidc-provider/x.example.com" },
          Action: "sts:AssumeRoleWithWebIdentity",
          Condition: { StringEquals: { a: "x", b: "y".repeat(40) } },
        },
      ],
    };
    const pol = {
      Version: "2012-10-17",
      Statement: [
        { Sid: "Login", Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" },
        {
          Sid: "Pull",
          Effect: "Allow",
          Action: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
          Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/shop/web",
        },
      ],
    };
    for (let i = 0; i < N; i++) {
      const c = new Construct(b, `n_s${i}`);
      const r = new IamRole(c, "Resource", {
        name: `c_n_s${i}`,
        description: "Pulls container images for n/s",
        assumeRolePolicy: JSON.stringify(trust),
      });
      new IamRolePolicy(c, "Policy", { name: "image-pulls", role: r.name, policy: JSON.stringify(pol) });
    }
    const u1 = performance.now() - t;
    const s2 = Testing.synth(b).length;
    const u2 = performance.now() - t;
    console.log({ lib: [t1, t2, s1], hand: [u1, u2, s2], ratio: t2 / u2 });
  }
}, 120000);
