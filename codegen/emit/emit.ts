/** Fourth step but one: every generated file as text, by its path below `generated/`. */
import type { GroupVersion, Model } from '../model/model.ts';
import { emitFeatureGates, emitIdentity, emitReleases } from './data.ts';
import { emitDescriptors } from './descriptors.ts';
import { emitKinds } from './kinds.ts';
import { emitRoutes } from './routes.ts';
import { emitConversions, emitTables } from './tables.ts';

export type GeneratedFiles = ReadonlyMap<string, string>;

/** @param model in which the checks found no error */
export function emitAll(model: Model): GeneratedFiles {
  const files = new Map<string, string>();
  for (const groupVersion of model.groupVersions)
    for (const [name, text] of emitGroupVersion(model, groupVersion)) files.set(`${groupVersion.folder}/${name}`, text);
  files.set('feature-gates.ts', emitFeatureGates(model));
  files.set('identity.ts', emitIdentity(model));
  files.set('releases.ts', emitReleases(model));
  files.set('routes.ts', emitRoutes(model));
  return files;
}

function emitGroupVersion(model: Model, groupVersion: GroupVersion): [name: string, text: string][] {
  const files: [string, string | undefined][] = [
    ['conversions.ts', emitConversions(groupVersion)],
    ['descriptors.ts', emitDescriptors(model, groupVersion)],
    ['kinds.ts', emitKinds(model, groupVersion, { validators: new Set() })],
    ['tables.ts', emitTables(groupVersion)],
  ];
  return files.filter((file): file is [string, string] => file[1] !== undefined);
}
