/** `rialto completion`: scripts by which shells complete the command line. */
import { Argument, type Command } from "commander";
import { addCommand, print } from "./command.ts";
import { SHELLS, type Shell } from "./completion-scripts.ts";

export function addCompletionCommand(program: Command): void {
  addCommand(program, "completion", {
    description: "print the script by which a shell completes the command line",
    examples: [
      "source <(rialto completion bash)",
      "source <(rialto completion zsh)",
      "rialto completion fish > ~/.config/fish/completions/rialto.fish",
    ],
  })
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .action(async (shell: Shell, flags: { readonly json?: true }) => {
      const { completionScript } = await import("./completion-scripts.ts");
      const script = completionScript(program, shell);
      print(flags, { shell, script }, script);
    });
}
