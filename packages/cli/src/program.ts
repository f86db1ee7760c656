/** The tree of commands, and what an outcome means: exit code 0 done, 1 failed, 2 wrong use. */
import { Argument, Command, CommanderError, Option } from "commander";
import manifest from "../package.json" with { type: "json" };
import { addEvents } from "./commands/events.ts";
import { addExplanations } from "./commands/explanations.ts";
import { addListen } from "./commands/listen.ts";
import { addLogin } from "./commands/login.ts";
import { addPricing } from "./commands/pricing.ts";
import { addSeed } from "./commands/seed.ts";
import { addTrigger } from "./commands/trigger.ts";
import { completionScript, SHELLS, type Shell } from "./completion.ts";
import type { Context, Io, Outcome } from "./io.ts";
import { OPERATOR_COMMANDS, type OperatorCommand } from "./operator-commands.ts";
import { inWords, UsageError } from "./outcome.ts";
import { runOperator } from "./run-operator.ts";

const FAILED = 1;
const WRONG_USE = 2;

/** Undefined: a program of the service sets the exit code. */
export async function run(args: readonly string[], io: Io): Promise<number | undefined> {
  const outcome: Outcome = { code: 0 };
  const program = createProgram({ io, args, outcome });
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: "user" });
    return outcome.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
    io.err(inWords(error));
    return error instanceof UsageError ? WRONG_USE : FAILED;
  }
}

export function createProgram({ io, args, outcome }: Context): Command {
  const program = new Command("tallystick")
    .description("Usage-based billing where every cent can be traced to the events behind it.")
    .version(manifest.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help, and do nothing else")
    .helpCommand("help [command]", "show help for a command")
    .exitOverride()
    .showSuggestionAfterError(true)
    .showHelpAfterError("(add --help for help)")
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
    .addHelpText("after", NOTES);
  program.commandsGroup("Installation:");
  for (const command of OPERATOR_COMMANDS) addOperatorCommand(program, command, { io, args, outcome });
  program.commandsGroup("API:");
  for (const add of [addLogin, addEvents, addExplanations, addPricing, addListen, addSeed, addTrigger])
    add(program, { io, args, outcome });
  program.commandsGroup("Other:");
  program
    .command("completion")
    .description("Print a script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", "\nFor example: source <(tallystick completion bash)")
    .action((shell: Shell) => io.out(completionScript(program, shell)));
  return program;
}

const NOTES = `
Commands of an installation read their settings from the environment and from a .env file.
Commands of the API use the address and key of "tallystick login", or TALLYSTICK_URL and TALLYSTICK_API_KEY.
Exit codes: 0 done, 1 failed, 2 wrong use.`;

/** The arguments go to the program as they are. Here, only names, mandatory options and help are looked at. */
function addOperatorCommand(parent: Command, { name, about, options, commands }: OperatorCommand, context: Context) {
  const command = parent.command(name).description(about);
  for (const { flags, about: text, isMandatory = false } of options ?? [])
    command.addOption(new Option(flags, text).makeOptionMandatory(isMandatory));
  for (const child of commands ?? []) addOperatorCommand(command, child, context);
  if (commands) return;
  command.action(async () => {
    context.outcome.code = undefined;
    const [program = "", ...rest] = context.args;
    await runOperator(program, rest);
  });
}
