/** `cluster-node-agent check-profile`: whether a runtime would load seccomp profiles. */
import { FileError } from '../files/file-error.ts';
import { checkProfileFile } from '../node-agent/seccomp/profile.ts';
import { FlagError } from '../server/flags/flag-data.ts';
import { ExitCode, HELP_FLAG, runCommand } from './command-line.ts';

const command = {
  program: 'cluster-node-agent',
  name: 'check-profile',
  operands: 'FILE …',
  summary:
    'Checks seccomp profiles: files of JSON that pods name with the type Localhost. Each problem stands on a line of its own with the file, the place and the rule. ' +
    'It ends with code 0 where runtimes would load all of them, and 1 where not; code 2 tells that its flags are wrong.',
  flags: { groups: { general: 'Flags' }, flags: [HELP_FLAG] },
} as const;

/** @param argv arguments after the command's name */
export function main(argv: readonly string[]): Promise<void> {
  return runCommand(command, argv, async (_values, files) => {
    if (files.length === 0) throw new FlagError('no file is named');
    let code = 0;
    for (const file of files) if (!(await check(file))) code = ExitCode.failed;
    return code;
  });
}

/** @returns whether a runtime would load it */
async function check(file: string): Promise<boolean> {
  const { problems, warnings } = await findings(file);
  for (const warning of warnings) say(file, `warning: ${warning}`);
  for (const problem of problems) say(file, problem);
  if (problems.length === 0) say(file, 'valid');
  return problems.length === 0;
}

async function findings(file: string): ReturnType<typeof checkProfileFile> {
  try {
    return await checkProfileFile(file);
  } catch (error) {
    if (error instanceof FileError) return { problems: error.problems, warnings: [] };
    throw error;
  }
}

function say(file: string, text: string): void {
  process.stdout.write(`${file}: ${text}\n`);
}
