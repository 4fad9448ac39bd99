/** Documents of the tree's own schemas, made as the generator makes them, and a view of them as the registry has it. */
import { fileURLToPath } from 'node:url';
import { emitOpenapi } from '../../codegen/emit/openapi.ts';
import { buildModel } from '../../codegen/model/build.ts';
import type { Model } from '../../codegen/model/model.ts';
import { readSources } from '../../codegen/read/read.ts';
import { createIdentity, type Dialect, type Identity } from '../../runtime/contract/identity.ts';
import type { GroupVersionData, GroupVersionModule } from '../../runtime/contract/kind.ts';
import { documentText } from '../../runtime/openapi/document-text.ts';

export async function readModel(): Promise<Model> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const report = () => undefined;
  return buildModel(await readSources(root, report), report);
}

export interface DocumentsView {
  readonly groupVersions: readonly GroupVersionData[];
  readonly identity: Identity;
  readonly machinery: () => Promise<string>;
}

/** @param folders of the group versions that are served, in the order of discovery */
export function viewOf(model: Model, dialect: Dialect, folders: readonly string[]): DocumentsView {
  const identity = createIdentity(model.identity, dialect);
  const text = async (folder: string) => {
    const groupVersion = model.groupVersions.find((each) => each.folder === folder);
    if (groupVersion === undefined) throw new Error(`no ${folder}`);
    return identity.resolve(documentText(emitOpenapi(model, groupVersion)));
  };
  const groupVersions = folders.map((folder): GroupVersionData => {
    const groupVersion = model.groupVersions.find((each) => each.folder === folder);
    if (groupVersion === undefined) throw new Error(`no ${folder}`);
    const { structural: _, ...stated } = groupVersion;
    return {
      ...stated,
      group: identity.text(groupVersion.group),
      resources: identity.resolve(groupVersion.resources),
      load: async (): Promise<GroupVersionModule> => ({ kinds: {} }),
      loadOpenapi: () => text(folder),
    };
  });
  return { groupVersions, identity, machinery: () => text('meta/v1') };
}
