// Runs first in every script, in a syntax that any Node reads: Node 20 fails on a .ts file without a clear message.
const wanted = 26;
const major = Number(process.versions.node.split(".")[0]);

if (major !== wanted) {
  console.error(`Tallystick needs Node ${wanted}; this is Node ${process.versions.node} (${process.execPath}).

The project brings its own Node as an npm package. To use it:
  1. run "npm ci" in the root of the repository (not with --omit=optional);
  2. start things with "npm run …", which puts node_modules/.bin/node first in PATH.

If node_modules/.bin/node is missing after that, the download of the platform package
was skipped: run "npm ci" again and look for a warning, or install Node ${wanted} yourself.`);
  process.exit(1);
}
