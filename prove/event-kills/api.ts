/** The real API, as the service composes it. A process that is killed at any moment. */
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { listen, readApiTask } from "./api-task.ts";

await listen(await composeApi(composePlatform(readApiTask())));
