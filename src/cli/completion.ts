/** `rialto completion`: scripts for shell completion. */
import { Argument, type Command } from "commander";
import { addCommand, print } from "./command.ts";
import { SHELLS, type Shell } from "./completion-scripts.ts";

export function addCompletionCommand(program: Command): void {
  addCommand(program, "completion", {
    description: "print the completion script of a shell",
    examples: [
      "source <(rialto completion bash)",
      "source <(rialto completion zsh)",
      "rialto completion fish > ~/.config/fish/completions/rialto.fish",
    ],
  })
    .addArgument(new Argument("<shell>", "shell").choices(SHELLS))
    .action(async (shell: Shell, flags: { readonly json?: true }) => {
      const { completionScript } = await import("./completion-scripts.ts");
      const script = completionScript(program, shell);
      print(flags, { shell, script }, script);
    });
}
