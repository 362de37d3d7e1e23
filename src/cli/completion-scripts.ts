/**
 * Shell completion scripts, generated from the command declarations: the words that may follow each
 * command, and the values of options and arguments with choices.
 */
import type { Command, Option } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A command and what may follow it. */
interface Place {
  /** For example `users list`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Command[];
  readonly options: readonly Option[];
  /** The choices of each positional argument; empty where any value is accepted. */
  readonly choices: readonly (readonly string[])[];
}

export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, []);
  switch (shell) {
    case "bash":
      return bashScript(places);
    case "zsh":
      return `${ZSH_PREFACE}\n${bashScript(places)}`;
    case "fish":
      return fishScript(places);
  }
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const { commands, options } = command;
  const choices = command.registeredArguments.map(({ argChoices }) => argChoices ?? []);
  return [
    { path: path.join(" "), commands, options, choices },
    ...commands.flatMap((child) => placesOf(child, [...path, child.name()])),
  ];
}

/** The long option names, and `--help`, which every command has. */
function flagsOf({ options }: Place): string[] {
  return [...options.map(({ long, short }) => long ?? short ?? ""), "--help"];
}

/** Options that take a value, with its choices; without choices, file names are completed. */
function valuesOf({ options }: Place): readonly (readonly [string, readonly string[]])[] {
  return options
    .filter(({ required, optional }) => required || optional)
    .map((option) => [option.long ?? "", option.argChoices ?? []] as const);
}

/** Lets zsh run bash completions. */
const ZSH_PREFACE = "autoload -U +X bashcompinit && bashcompinit";

/** One `case` per command: `words` is what may follow, `values` the values of its options. */
function bashScript(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return [
    "# Completion of rialto.",
    "_rialto() {",
    `  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"`,
    '  local path="" position=0 skip=0 word words="" values="-"',
    `  local -a known=(${known.join(" ")})`,
    "  local index",
    "  for ((index = 1; index < COMP_CWORD; index++)); do",
    `    word="\${COMP_WORDS[index]}"`,
    "    if ((skip)); then skip=0; continue; fi",
    '    if [[ $word == -* ]]; then _rialto_takes_value "$path" "$word" && skip=1; continue; fi',
    `    if _rialto_is_known "\${path:+$path }$word"; then path="\${path:+$path }$word"`,
    "    else position=$((position + 1)); fi",
    "  done",
    '  if _rialto_takes_value "$path" "$previous"; then',
    '    case "$path|$previous" in',
    ...places.flatMap((place) => bashValues(place)),
    "    esac",
    '    if [[ $values == - ]]; then COMPREPLY=($(compgen -f -- "$current")); return; fi',
    '    COMPREPLY=($(compgen -W "$values" -- "$current")); return',
    "  fi",
    '  case "$path|$position" in',
    ...places.flatMap((place) => bashWords(place)),
    "  esac",
    '  if [[ $current == -* ]]; then case "$path" in',
    ...places.map((place) => `    "${place.path}") words="${flagsOf(place).join(" ")}" ;;`),
    "  esac; fi",
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '  [[ -n $words ]] || COMPREPLY=($(compgen -f -- "$current"))',
    "}",
    "_rialto_is_known() {",
    "  local path",
    `  for path in "\${known[@]}"; do [[ $path == "$1" ]] && return 0; done`,
    "  return 1",
    "}",
    "_rialto_takes_value() {",
    '  case "$1|$2" in',
    ...places.flatMap((place) =>
      valuesOf(place).map(([flag]) => `    "${place.path}|${flag}") return 0 ;;`),
    ),
    "  esac",
    "  return 1",
    "}",
    "complete -F _rialto rialto",
  ].join("\n");
}

function bashValues(place: Place): string[] {
  return valuesOf(place)
    .filter(([, choices]) => choices.length > 0)
    .map(([flag, choices]) => `      "${place.path}|${flag}") values="${choices.join(" ")}" ;;`);
}

function bashWords({ path, commands, choices }: Place): string[] {
  if (commands.length > 0) {
    return [`    "${path}|0") words="${commands.map((child) => child.name()).join(" ")}" ;;`];
  }
  return choices.flatMap((words, position) =>
    words.length === 0 ? [] : [`    "${path}|${position}") words="${words.join(" ")}" ;;`],
  );
}

function fishScript(places: readonly Place[]): string {
  const withValue = [...new Set(places.flatMap((place) => valuesOf(place).map(([flag]) => flag)))];
  return [
    "# Completion of rialto for fish.",
    "function __rialto_words",
    "    set -l words",
    "    set -l skip 0",
    "    for word in (commandline -opc)[2..]",
    "        if test $skip = 1",
    "            set skip 0",
    "        else if string match -q -- '-*' $word",
    `            contains -- $word ${withValue.join(" ")}; and set skip 1`,
    "        else",
    "            set -a words $word",
    "        end",
    "    end",
    '    string join " " -- $words',
    "end",
    "function __rialto_at",
    '    test (__rialto_words | string collect -a) = "$argv[1]"',
    "end",
    "function __rialto_in",
    "    string match -q -- \"$argv[1] *\" (__rialto_words | string collect -a)' '",
    "end",
    "function __rialto_argument",
    "    __rialto_in $argv[1]; or return 1",
    '    set -l behind (string replace -- "$argv[1]" "" (__rialto_words | string collect -a))',
    "    test (count (string split -n ' ' -- $behind)) = $argv[2]",
    "end",
    ...places.flatMap(fishLines),
  ].join("\n");
}

function fishLines(place: Place): string[] {
  const { path, commands, options, choices } = place;
  const scope = path === "" ? `__rialto_at ''` : `__rialto_in '${path}'`;
  const about = (text: string): string => `-d '${text.replaceAll("'", "\\'")}'`;
  return [
    ...commands.map(
      (child) =>
        `complete -c rialto -f -n "__rialto_at '${path}'" -a ${child.name()} ` +
        about(child.description()),
    ),
    ...options.map((option) => {
      const words = option.argChoices ?? [];
      const value = option.required || option.optional;
      const kind = words.length > 0 ? ` -x -a '${words.join(" ")}'` : value ? " -r" : "";
      const name = (option.long ?? "").slice(2);
      return `complete -c rialto -n "${scope}" -l ${name}${kind} ${about(option.description)}`;
    }),
    ...choices.flatMap((words, position) =>
      words.length === 0
        ? []
        : [
            `complete -c rialto -f -n "__rialto_argument '${path}' ${position}" ` +
              `-a '${words.join(" ")}'`,
          ],
    ),
  ];
}
