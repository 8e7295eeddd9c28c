import type { Command } from '../command.ts';

const SHELLS = ['bash', 'zsh'] as const;

/** Prints the completion script of a shell; without a name, of the one in SHELL. */
export const completionCommand: Command = {
  positionals: {
    shell: { type: 'string', choices: SHELLS, describe: 'The shell (default: the one in SHELL)' },
  },
  examples: [
    ['orchestrate completion bash >> ~/.bashrc', 'Complete commands, options and fields of the task'],
    ['orchestrate completion zsh >> ~/.zshrc', 'The same for zsh'],
  ],
  async run(args, io) {
    const { default: yargs } = await import('yargs');
    const shell = args.text('shell') ?? (/zsh/.test(io.env['SHELL'] ?? '') ? 'zsh' : 'bash');
    // Yargs reads the name of the shell from the environment when it is created.
    process.env['SHELL'] = shell;
    delete process.env['ZSH_NAME'];
    yargs([]).scriptName('orchestrate').showCompletionScript();
    return 0;
  },
};
