/** The kinds of files that the schemas state, ready to be read by one program. */
import { fileGroupVersions } from '../../generated/files.ts';
import { currentRelease } from '../../generated/releases.ts';
import type { Identity } from '../contract/identity.ts';
import { FileKinds } from '../files/file-kinds.ts';
import { loadConversion, loadRules } from '../kinds/index.ts';

export function createFileKinds(identity: Identity, featureEnabled: (gate: string) => boolean): FileKinds {
  return new FileKinds({
    groupVersions: fileGroupVersions,
    identity,
    rules: { rules: (name) => loadRules(name, identity), conversion: (name) => loadConversion(name, identity) },
    release: currentRelease,
    featureEnabled,
  });
}
