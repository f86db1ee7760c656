/** The reference of the command line, from what the commands say of themselves. */
import { processIo } from "../../packages/cli/src/io.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

type Command = ReturnType<typeof createProgram>;

export function describeCli(): string {
  const program = createProgram({ io: processIo(), args: [], outcome: { code: 0 } });
  return page(
    GENERATED,
    "# Command line",
    `\`tallystick COMMAND --help\` shows the same in the terminal, and does nothing else. Commands of an installation read the
[settings](config.md) from the environment and from \`.env\`. Commands of the API use the address and key that \`tallystick login\` keeps, or
\`TALLYSTICK_URL\` and \`TALLYSTICK_API_KEY\`. Exit codes: 0 done, 1 failed, 2 wrong use.`,
    "In the repository, `npm run -s tallystick -- COMMAND` is the same as `tallystick COMMAND`.",
    ...program.commands.flatMap((command) => describe(command, "tallystick", 2)),
  );
}

function describe(command: Command, parent: string, depth: number): string[] {
  const name = `${parent} ${command.name()}`;
  const given = command.registeredArguments.map((argument) => ` <${argument.name()}>`).join("");
  const rows = [
    ...command.registeredArguments.map((argument) => [`<${argument.name()}>`, argument.description]),
    ...command.options.map(({ flags, description, mandatory, defaultValue }) => [
      flags,
      [description, mandatory ? "Required." : "", defaultText(defaultValue)].filter(Boolean).join(". "),
    ]),
  ];
  return [
    `${"#".repeat(depth)} ${name}${given}`,
    `${command.description()}.`,
    ...(rows.length === 0
      ? []
      : [
          table(
            ["Option", "Meaning"],
            rows.map(([flag = "", text = ""]) => [code(flag), text]),
          ),
        ]),
    ...command.commands.flatMap((child) => describe(child, name, depth + 1)),
  ];
}

const defaultText = (value: unknown): string => (typeof value === "string" ? `Default: ${value}` : "");
