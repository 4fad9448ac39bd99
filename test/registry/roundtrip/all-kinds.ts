/** Every kind in every version, with its conversions and without any other behaviour of its own. */
import { fileGroupVersions } from '../../../generated/files.ts';
import { currentRelease } from '../../../generated/releases.ts';
import { groupVersions } from '../../../generated/routes.ts';
import { ruleModules } from '../../../generated/rules.ts';
import type { GroupVersionModule } from '../../../runtime/contract/kind.ts';
import type { RuleModules } from '../../../runtime/contract/rule-modules.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { KindLoader } from '../../../runtime/registry/kinds/kind-loader.ts';
import { builtInRegistry } from '../../harness/built-in-registry.ts';
import { identity } from '../../kinds/context.ts';

const NO_RULES: RuleModules = {
  rules: Object.fromEntries(Object.keys(ruleModules.rules).map((name) => [name, async () => ({ rules: {} })])),
  conversions: ruleModules.conversions,
  cells: ruleModules.cells,
};

/** Kinds of the API. @throws where one cannot be made, as when its conversion is not there */
export async function allKinds(): Promise<Kind[]> {
  const registry = builtInRegistry(identity, { rules: NO_RULES });
  const loaded = groupVersions.map(async ({ group, version, load }) => {
    const names = Object.keys((await load()).kinds);
    return Promise.all(names.map((name) => registry.current.kind(identity.text(group), version, name)));
  });
  return (await Promise.all(loaded)).flat();
}

/** Kinds that files have. */
export async function fileKinds(): Promise<Kind[]> {
  const loaded = fileGroupVersions.map(async ({ group, version, kinds: entries, load }) => {
    const module = await load();
    const loader = new KindLoader({
      identity,
      rules: NO_RULES,
      release: currentRelease,
      featureEnabled: () => true,
      module: async () => withoutConversion(module),
    });
    return Promise.all(entries.map(({ name }) => loader.kind(identity.text(group), version, name)));
  });
  return (await Promise.all(loaded)).flat();
}

function withoutConversion({ kinds }: GroupVersionModule): GroupVersionModule {
  return { kinds: Object.fromEntries(Object.entries(kinds).map(([name, { conversion: _, ...data }]) => [name, data])) };
}

export const nameOf = (kind: Kind): string => `${kind.apiVersion} ${kind.kind}`;
