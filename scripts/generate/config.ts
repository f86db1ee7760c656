/** The settings, as a page to read and as a file to start from. */
import { SETTINGS } from "../../packages/server/src/main/config.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

type Setting = { description: string; example: string; default?: string };
const settings: [name: string, setting: Setting][] = Object.entries(SETTINGS);

export function describeConfig(): string {
  const rows = settings.map(([name, setting]) => [
    code(name),
    setting.default === undefined ? "must be given" : code(setting.default),
    code(setting.example),
    setting.description,
  ]);
  return page(
    GENERATED,
    "# Configuration",
    `Settings are environment variables. They can also stand in a file \`.env\` in the folder where the service starts;
[.env.example](../../.env.example) is one to begin with. The environment wins over the file. The service reads them once,
when it starts, and names every mistake at once.`,
    table(["Setting", "Default", "Example", "Meaning"], rows),
  );
}

/** Everything is commented out: a copy changes nothing until somebody decides something. */
export function exampleEnvironment(): string {
  const entries = settings.map(([name, setting]) => {
    const standing = setting.default === undefined ? "Must be given to npm start." : `Default: ${setting.default}`;
    return `# ${setting.description}\n# ${standing}\n#${name}=${setting.example}`;
  });
  return page(
    '# Made by "npm run generate" from packages/server/src/main/config.ts. Copy it to .env and change what you need.',
    ...entries,
  );
}
