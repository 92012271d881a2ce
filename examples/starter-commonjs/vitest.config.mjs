import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { setupFiles: ["cdktf-workload-identity/vitest"] },
});
