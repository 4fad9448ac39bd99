/** `cluster-node-agent explain-pod`: which seccomp profile each container of a pod would run under on this node. */
import path from 'node:path';
import { Pod as podType } from '../../generated/core/v1/descriptors.ts';
import type { Pod } from '../../generated/core/v1/types.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { createIdentity, type Dialect } from '../contract/identity.ts';
import { parseDocument } from '../files/file-document.ts';
import { FileError } from '../files/file-error.ts';
import { readFileText } from '../files/file-text.ts';
import { type ContainerProfile, CREATE_CONTAINER_ERROR, containerProfiles } from '../node-agent/seccomp/container-profiles.ts';
import { compileType, DecodeError, decode, strictErrors } from '../schema/codec/codec.ts';
import { FlagError } from '../server/flags/flag-data.ts';
import { ExitCode, HELP_FLAG, runCommand } from './command-line.ts';

const command = {
  program: 'cluster-node-agent',
  name: 'explain-pod',
  operands: 'FILE',
  summary:
    'Shows which seccomp profile each container of a pod gets on this node, and what says so. The file holds one pod, in YAML or JSON. ' +
    'It ends with code 0 where all containers could be created, and 1 where one could not, or the file holds no pod; code 2 tells that its flags are wrong.',
  flags: {
    groups: { general: 'Flags' },
    flags: [
      {
        name: 'root-dir',
        group: 'general',
        type: 'string',
        status: 'effective',
        help: "The agent's folder, /var/lib/${nodeAgent} by default.",
      },
      {
        name: 'seccomp-default',
        group: 'general',
        type: 'boolean',
        default: false,
        status: 'effective',
        help: 'Containers of which the pod says nothing run under the profile of the runtime, as with this flag of the agent.',
      },
      {
        name: 'dialect',
        group: 'general',
        type: 'string',
        values: ['cluster', 'kubernetes'],
        default: 'cluster',
        status: 'effective',
        help: 'Names of the product.',
      },
      HELP_FLAG,
    ],
  },
} as const;

/** @param argv arguments after the command's name */
export function main(argv: readonly string[]): Promise<void> {
  return runCommand(command, argv, async (values, files) => {
    const [file] = files;
    if (file === undefined || files.length > 1) throw new FlagError('expected is one file');
    const identity = createIdentity(identityData, values.dialect as Dialect);
    const rootDirectory = path.resolve(values['root-dir'] || identity.text('/var/lib/${nodeAgent}'));
    const pod = podOf(await readFileText(file), file, values.dialect as Dialect);
    const profiles = await containerProfiles(pod, { rootDirectory, seccompDefault: values['seccomp-default'] });
    process.stdout.write(table(profiles));
    return profiles.some(({ problem }) => problem !== undefined) ? ExitCode.failed : 0;
  });
}

/** @throws FileError for what is no pod, and for members that pods do not have: misspelt, they would be passed over */
function podOf(text: string, file: string, dialect: Dialect): Pod {
  const { value, parsed } = parseDocument(text, file);
  if (value.kind !== 'Pod' || value.apiVersion !== 'v1')
    throw new FileError(file, [`it holds ${String(value.kind)} of ${String(value.apiVersion)}, expected is Pod of v1`]);
  const type = compileType(podType, createIdentity(identityData, dialect));
  try {
    const { object, unknownFields } = decode(type, value, { defaults: false });
    const problems = [...parsed.problems, ...strictErrors(parsed, type, unknownFields)];
    if (problems.length > 0) throw new FileError(file, problems);
    return object as unknown as Pod;
  } catch (error) {
    throw error instanceof DecodeError ? new FileError(file, [error.message]) : error;
  }
}

const HEADINGS = ['CONTAINER', 'PROFILE', 'FROM', 'STATE'];

function table(profiles: readonly ContainerProfile[]): string {
  const rows = [HEADINGS, ...profiles.map(row)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows
    .map(
      (cells) =>
        `${cells
          .map((cell, column) => cell.padEnd(widths[column] as number))
          .join('   ')
          .trimEnd()}\n`,
    )
    .join('');
}

function row({ list, container, type, file, from, problem }: ContainerProfile): string[] {
  const kind = { initContainers: ' (init)', containers: '', ephemeralContainers: ' (ephemeral)' }[list];
  return [
    `${container}${kind}`,
    file === undefined ? type : `${type} ${file}`,
    from,
    problem === undefined ? 'ok' : `${CREATE_CONTAINER_ERROR}: ${problem}`,
  ];
}
