import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The policy of the served page allows styles by this nonce only. The service puts a new one into each document. */
const NONCE = "CSP_NONCE";

export default defineConfig({
  plugins: [react()],
  html: { cspNonce: NONCE },
  build: {
    target: "baseline-widely-available",
    modulePreload: { polyfill: false },
    // Only menus place themselves: a page with a dialog need not load how.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "floating", test: /@floating-ui/ }] } } },
    // The policy allows fonts and images by address only.
    assetsInlineLimit: 0,
    manifest: true,
    reportCompressedSize: false,
    // scripts/build has budgets of its own.
    chunkSizeWarningLimit: 1000,
  },
});
