/** The console from its sources, for `npm run dev`: what is no page goes to the service behind it. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createServer } from "vite";

const SERVICE = "^/(api|docs|files|health|metrics|openapi[.]json|ready|session)(/|[?]|$)";

const { port, service } = parseArgs({ options: { port: { type: "string" }, service: { type: "string" } } }).values;
if (!port || !service) throw new Error("--port and --service are missing");

const server = await createServer({
  root: import.meta.dirname,
  configFile: join(import.meta.dirname, "vite.config.ts"),
  clearScreen: false,
  server: {
    host: "127.0.0.1",
    port: Number(port),
    strictPort: true,
    // The service sees the address that the browser knows.
    proxy: { [SERVICE]: { target: service, changeOrigin: false } },
  },
});
await server.listen();
process.stdout.write("listening\n");
