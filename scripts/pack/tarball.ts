/** A folder as npm publishes it. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Returns the path of the tarball, which is in `destination`. */
export function packFolder(folder: string, destination: string): string {
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", destination], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  const packed = JSON.parse(output);
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  return join(destination, filename);
}
