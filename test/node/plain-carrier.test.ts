import { describe, expect, it } from "vitest";
import { PlainCarrier } from "../../lib/node/carriers/plain";
import { RecordingSink } from "../openshift/recording-sink";

describe("PlainCarrier", () => {
  const setup = { files: [{ path: "/etc/a", mode: 0o644, content: "a" }], kubeletFlags: { a: "b" } };

  it.each([
    [new PlainCarrier(), "all-nodes"],
    [new PlainCarrier({ name: "gpu" }), "gpu"],
  ])("hands the setup over unchanged", (carrier, name) => {
    const sink = new RecordingSink();
    carrier.carry(sink, setup);
    expect([...sink.setups]).toEqual([[name, setup]]);
    expect(sink.files).toEqual([]);
  });
});
