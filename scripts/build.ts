/** `npm run build`: the console as the service serves it, compressed, and within its budgets of bytes. */
import { buildConsole } from "./build/console.ts";

const { folder, sizes } = await buildConsole();
for (const { what, bytes, most } of sizes) console.log(`${what.padEnd(44)} ${String(bytes).padStart(7)} of ${most}`);
console.log(folder);
