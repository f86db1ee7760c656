/** Before all journeys: builds the console, within its budgets of bytes. */
import { buildConsole } from "../../scripts/build/console.ts";

export async function setup(): Promise<void> {
  await buildConsole();
}
