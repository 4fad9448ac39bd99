/** Makes the reader of files whose kinds the schemas state. */
import { fileGroupVersions } from '../../../generated/files.ts';
import { currentRelease } from '../../../generated/releases.ts';
import { ruleModules } from '../../../generated/rules.ts';
import type { Identity } from '../../contract/identity.ts';
import { FileKinds } from '../../files/file-kinds.ts';

export function createFileKinds(identity: Identity, featureEnabled: (gate: string) => boolean): FileKinds {
  return new FileKinds({
    groupVersions: fileGroupVersions,
    identity,
    rules: ruleModules,
    release: currentRelease,
    featureEnabled,
  });
}
