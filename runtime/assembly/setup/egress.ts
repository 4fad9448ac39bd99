import type { EgressParts, EgressSelector } from '../../egress/egress-selector.ts';
import type { Flags } from './flags.ts';

/** The code is loaded only if the flag names a file. @returns undefined: other servers are reached directly. @throws FileError */
export async function egressOf(
  flags: Pick<Flags, 'egress-selector-config-file'>,
  parts: Omit<EgressParts, 'file'>,
): Promise<EgressSelector | undefined> {
  const file = flags['egress-selector-config-file'];
  if (file === '') return undefined;
  const { createEgressSelector } = await import('../../egress/egress-selector.ts');
  return createEgressSelector({ ...parts, file });
}
