#!/usr/bin/env node
/** The command line `tallystick`. */
import { processIo } from "./io.ts";
import { run } from "./program.ts";

const io = processIo();
const code = await run(process.argv.slice(2), io);
// Without a word, it stays what a program of the service has set.
if (code !== undefined) process.exitCode = code;
