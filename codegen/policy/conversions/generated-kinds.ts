/** Loads the generated kinds of a tree, provided that they are what its schemas state. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { emitDescriptors } from '../../emit/descriptors.ts';
import { emitConversions } from '../../emit/tables.ts';
import type { Model } from '../../model/model.ts';
import { type ConvertedKinds, loadConvertedKinds } from './converted-kinds.ts';

/** @returns the kinds; or the file that is not what would be generated; undefined if nothing has been generated */
export async function generatedKinds(root: string, model: Model): Promise<ConvertedKinds | { readonly stale: string } | undefined> {
  if (!existsSync(path.join(root, 'generated/routes.ts'))) return undefined;
  for (const groupVersion of model.groupVersions) {
    if (groupVersion.files || groupVersion.structural !== undefined) continue;
    const files = { 'descriptors.ts': emitDescriptors(model, groupVersion), 'conversions.ts': emitConversions(groupVersion) };
    for (const [name, text] of Object.entries(files)) {
      const file = path.join('generated', groupVersion.folder, name);
      const absolute = path.join(root, file);
      if ((existsSync(absolute) ? readFileSync(absolute, 'utf8') : undefined) !== text) return { stale: file };
    }
  }
  return loadConvertedKinds(root);
}
