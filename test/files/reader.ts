/** Readers of files for tests, of both dialects. */
import { featureGates } from '../../generated/feature-gates.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { currentRelease } from '../../generated/releases.ts';
import { createFileKinds } from '../../runtime/assembly/setup/file-kinds.ts';
import { createIdentity, type Dialect } from '../../runtime/contract/identity.ts';
import { FileError } from '../../runtime/files/file-error.ts';
import type { FileKinds } from '../../runtime/files/file-kinds.ts';
import type { FileKindName } from '../../runtime/files/file-versions.ts';
import { chooseGates } from '../../runtime/registry/resources/feature-gates.ts';

/** @param gates such as `{ SomeGate: 'false' }` */
export function fileKinds(dialect: Dialect = 'kubernetes', gates: Readonly<Record<string, string>> = {}): FileKinds {
  const releases = { release: currentRelease, current: currentRelease };
  const { isEnabled } = chooseGates(featureGates, new Map(Object.entries(gates)), releases);
  return createFileKinds(createIdentity(identityData, dialect), isEnabled);
}

/** What is wrong with a text; empty where nothing is. */
export async function problemsOf(kinds: FileKinds, text: string, wanted: FileKindName): Promise<readonly string[]> {
  try {
    await kinds.parse(text, 'file', wanted);
    return [];
  } catch (error) {
    if (error instanceof FileError) return error.problems;
    throw error;
  }
}
