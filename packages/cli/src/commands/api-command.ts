/** What all commands of the API share: their service, their output. */
import { Tallystick, type TallystickOptions } from "@tallystick/client";
import type { Command } from "commander";
import type { Context, Io } from "../io.ts";
import { type Profile, readProfile } from "../profiles.ts";

export type ApiOptions = { profile?: string; json?: boolean };

export type Api = { tally: Tallystick; profile: Profile; print: Print };
/** The value with `--json`, the lines without. */
type Print = (value: unknown, lines: string | readonly string[]) => void;

/** A command that gets a client, and the options with which it was called. */
export function addApiCommand<Options extends ApiOptions>(
  command: Command,
  { io }: Context,
  work: (api: Api, options: Options, ...given: string[]) => Promise<void>,
): Command {
  return command
    .option("--profile <name>", "the profile to use, as saved by login")
    .option("--json", "print the result as JSON")
    .action(async () => {
      const options = command.opts<Options>();
      await work(openApi(io, options), options, ...(command.processedArgs as string[]));
    });
}

function openApi(io: Io, { profile: name, json }: ApiOptions, added: Partial<TallystickOptions> = {}): Api {
  const profile = readProfile(io, name);
  const tally = new Tallystick({
    ...profile,
    largeNumbers: "bigint",
    onWarning: (warning) => io.err(`Warning: ${warning}`),
    ...added,
  });
  return { tally, profile, print: printer(io, json === true) };
}

export const printer =
  (io: Io, isJson: boolean): Print =>
  (value, lines) => {
    if (isJson) io.out(toJson(value));
    else for (const line of [lines].flat()) io.out(line);
  };

type Raw = { rawJSON: (text: string) => unknown };

export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "bigint" ? (JSON as unknown as Raw).rawJSON(String(member)) : member,
  );

/** An option that can be given several times. */
export const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];
