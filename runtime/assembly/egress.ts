/** The ways to other servers that a flag chooses. */
import type { EgressParts, EgressSelector } from '../egress/egress-selector.ts';
import type { Flags } from './flags.ts';

/** Loaded where there is such a file. @returns undefined: others are reached directly. @throws FileError */
export async function egressOf(
  flags: Pick<Flags, 'egress-selector-config-file'>,
  parts: Omit<EgressParts, 'file'>,
): Promise<EgressSelector | undefined> {
  const file = flags['egress-selector-config-file'];
  if (file === '') return undefined;
  const { createEgressSelector } = await import('../egress/egress-selector.ts');
  return createEgressSelector({ ...parts, file });
}
