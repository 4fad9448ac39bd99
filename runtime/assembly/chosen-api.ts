/** The API that flags choose. */
import { featureGates } from '../../generated/feature-gates.ts';
import { currentRelease } from '../../generated/releases.ts';
import { groupVersions } from '../../generated/routes.ts';
import { ruleModules } from '../../generated/rules.ts';
import type { Identity } from '../contract/identity.ts';
import { BuiltInApi } from '../registry/built-in-api.ts';
import { featureGate } from '../registry/feature-gates.ts';
import { servedVersions } from '../registry/runtime-config.ts';
import type { Flags } from './flags.ts';

export interface ChosenApi {
  readonly featureEnabled: (gate: string) => boolean;
  readonly builtIn: BuiltInApi;
}

/** Choices that are kept for each identity. */
const MOST = 8;

/** The last used ones, for all servers of this process; they hold what the schemas state, and nothing of a server. */
const chosen = new WeakMap<Identity, Map<string, ChosenApi>>();

/** The same for servers of the same identity that choose the same. @throws Error for gates and groups that nobody knows */
export function chosenApi(identity: Identity, flags: Pick<Flags, 'feature-gates' | 'runtime-config'>): ChosenApi {
  let choices = chosen.get(identity);
  if (choices === undefined) {
    choices = new Map();
    chosen.set(identity, choices);
  }
  const key = JSON.stringify([flags['feature-gates'], flags['runtime-config']]);
  const choice = choices.get(key) ?? choose(identity, flags);
  choices.delete(key);
  choices.set(key, choice);
  for (const oldest of choices.keys()) if (choices.size > MOST) choices.delete(oldest);
  return choice;
}

function choose(identity: Identity, flags: Pick<Flags, 'feature-gates' | 'runtime-config'>): ChosenApi {
  const featureEnabled = featureGate(featureGates, new Map(Object.entries(flags['feature-gates'])), currentRelease);
  const resolved = groupVersions.map((each) => ({ ...each, group: identity.text(each.group) }));
  const serves = servedVersions(new Map(Object.entries(flags['runtime-config'])), resolved);
  const parts = { data: groupVersions, identity, rules: ruleModules, serves, featureEnabled, release: currentRelease };
  return { featureEnabled, builtIn: new BuiltInApi(parts) };
}
