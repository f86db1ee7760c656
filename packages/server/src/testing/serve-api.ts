/** The API as its own process on a test's database. It ends with the process that started it. */
import { composeApi, composePlatform } from "../main/compose.ts";
import { readConfig } from "../main/config.ts";

const app = await composeApi(composePlatform(readConfig()));
const address = await app.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(address);
process.stdin.resume().once("end", () => process.exit());
