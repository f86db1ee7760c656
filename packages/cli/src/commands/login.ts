/** `tallystick login`: keeps the address and the key of a service. */
import { createInterface } from "node:readline/promises";
import { Tallystick } from "@tallystick/client";
import type { Command } from "commander";
import type { Context, Io } from "../io.ts";
import { UsageError } from "../outcome.ts";
import { DEFAULT_PROFILE, saveProfile } from "../profiles.ts";
import { printer } from "./api-command.ts";

type Options = { url?: string; key?: string; profile: string; json?: boolean };

export function addLogin(program: Command, { io }: Context): void {
  program
    .command("login")
    .description("Check an API key, and keep it with the address of its service in a file that only you can read")
    .option("--url <url>", "address of the service, for example https://billing.example.com")
    .option("--key <key>", "the API key; better not in a shell that keeps its history: without it, stdin is read")
    .option("--profile <name>", "a name for this service and key", DEFAULT_PROFILE)
    .option("--json", "print the result as JSON")
    .action((options: Options) => login(io, options));
}

async function login(io: Io, { url: givenUrl, key: givenKey, profile, json }: Options): Promise<void> {
  const url = givenUrl ?? io.env.TALLYSTICK_URL ?? (io.isInteractive ? await ask(io, "Address of the service: ") : "");
  if (!/^https?:\/\/[^\s/]/.test(url))
    throw new UsageError("--url takes an address such as https://billing.example.com");
  const key = (givenKey ?? io.env.TALLYSTICK_API_KEY ?? (await ask(io, "API key: "))).trim();
  if (key === "") throw new UsageError("The API key is missing. Pass it with --key, or on stdin.");
  const organization = await new Tallystick({ url, key, largeNumbers: "bigint" }).organization.get();
  const file = saveProfile(io, profile, { url, key });
  const { name, svc_id } = organization;
  printer(io, json === true)({ profile, url, organization: { svc_id, name }, file }, [
    `You are logged in to ${name} at ${url}.`,
    `The profile ${profile} is in ${file}.`,
  ]);
}

/** Without a terminal, the next line of stdin. */
async function ask({ stdin, isInteractive }: Io, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, ...(isInteractive ? { output: process.stderr } : {}) });
  try {
    if (isInteractive) return await lines.question(question);
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}
