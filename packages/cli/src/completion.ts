/** Scripts that complete commands and options in a shell. They list what the commands say of themselves. */
import type { Command } from "commander";

export type Shell = "bash" | "fish" | "zsh";
export const SHELLS: readonly Shell[] = ["bash", "fish", "zsh"];

type Place = { path: readonly string[]; commands: readonly Command[]; options: readonly string[] };

export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, []);
  return shell === "fish" ? forFish(places) : forBash(places, shell);
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const { commands } = command;
  const options = [...command.options.flatMap(({ long }) => long ?? []), "--help"];
  return [{ path, commands, options }, ...commands.flatMap((child) => placesOf(child, [...path, child.name()]))];
}

function forBash(places: readonly Place[], shell: Shell): string {
  const cases = places.map(({ path, commands, options }) => {
    const words = [...commands.map((command) => command.name()), ...options].join(" ");
    return `    "${path.join(" ")}") words="${words}" ;;`;
  });
  return `${shell === "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : ""}_tallystick() {
  local path="" word words="" current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    path="\${path:+$path }$word"
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tallystick tallystick`;
}

function forFish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const inPlace =
      path.length === 0
        ? "__fish_use_subcommand"
        : path.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
    const isElsewhere = path.length > 0 && commands.length > 0;
    const names = commands.map((command) => command.name());
    const unless = isElsewhere ? `; and not __fish_seen_subcommand_from ${names.join(" ")}` : "";
    return [
      ...commands.map(
        (command) =>
          `complete -c tallystick -f -n "${inPlace}${unless}" -a ${command.name()} -d '${command.description().replaceAll("'", "\\'")}'`,
      ),
      ...options.map((option) => `complete -c tallystick -n "${inPlace}${unless}" -l ${option.slice(2)}`),
    ];
  });
  return lines.join("\n");
}
