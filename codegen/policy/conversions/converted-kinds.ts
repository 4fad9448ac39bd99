/** Loads the generated kinds of a tree, which know the ways between their versions. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createIdentity, type IdentityData } from '../../../runtime/contract/identity.ts';
import type { GroupVersionData, GroupVersionModule } from '../../../runtime/contract/kind.ts';
import type { RuleModules } from '../../../runtime/contract/rule-modules.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { gvKey, KindLoader } from '../../../runtime/registry/kinds/kind-loader.ts';

/** The kinds by folder and name, such as `batch/v1beta1 CronJob`. */
export type ConvertedKinds = ReadonlyMap<string, Kind>;

/**
 * @param root the root of a tree whose `generated/` is up to date
 * @returns undefined if nothing has been generated
 */
export async function loadConvertedKinds(root: string): Promise<ConvertedKinds | undefined> {
  if (!existsSync(path.join(root, 'generated/routes.ts'))) return undefined;
  const load = (file: string): Promise<unknown> => import(pathToFileURL(path.join(root, 'generated', file)).href);
  const { groupVersions } = (await load('routes.ts')) as { groupVersions: readonly GroupVersionData[] };
  const { ruleModules: rules } = (await load('rules.ts')) as { ruleModules: RuleModules };
  const { identity: names } = (await load('identity.ts')) as { identity: IdentityData };
  const { currentRelease: release } = (await load('releases.ts')) as { currentRelease: string };
  const identity = createIdentity(names, 'kubernetes');
  const modules = new Map(groupVersions.map((each) => [gvKey(identity.text(each.group), each.version), each]));
  const module = async (group: string, version: string): Promise<GroupVersionModule> =>
    (await modules.get(gvKey(group, version))?.load()) ?? { kinds: {} };
  const loader = new KindLoader({ identity, rules, release, featureEnabled: () => false, module });
  const kinds = new Map<string, Kind>();
  for (const { group, version, folder, load: loadKinds } of groupVersions)
    for (const name of Object.keys((await loadKinds()).kinds))
      kinds.set(`${folder} ${name}`, await loader.kind(identity.text(group), version, name));
  return kinds;
}
