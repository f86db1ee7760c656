/** Runs until SIGTERM or SIGINT, then stops gracefully; a second signal, or five seconds, end it anyway. */
const STOP_WITHIN_MS = 4_500;

export function runUntilStopped(stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = (): void => {
    // npm and the terminal both pass the signal on, so it comes twice.
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

/** For a command: prints what went wrong in words, not a stack. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof Error && error.cause) console.error(String(error.cause));
    process.exitCode = 1;
  }
}
