/** `npm run pack`: the npm packages as they are published, into `.data/packages` or `-- --out FOLDER`. Publishes nothing. */
import { mkdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { packClient } from "./pack/client.ts";
import { packServer } from "./pack/server.ts";

const { out } = parseArgs({ options: { out: { type: "string", default: ".data/packages" } } }).values;
const folder = resolve(out);
mkdirSync(folder, { recursive: true });
for (const tarball of [await packServer(folder), packClient(folder)])
  console.log(`${tarball}  ${(statSync(tarball).size / 1e6).toFixed(2)} MB`);
