/** `npm run NAME -- …` in the repository: the program itself. Only help comes from the command line. */
import { runOperator } from "./run-operator.ts";

const [name = "", ...args] = process.argv.slice(2);
if (args.some((arg) => arg === "--help" || arg === "-h")) {
  process.argv = [...process.argv.slice(0, 2), name, ...args];
  await import("./tallystick.ts");
} else await runOperator(name, args);
