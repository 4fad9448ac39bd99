/** All that is built in, as a server has it that serves all of it. */
import { currentRelease } from '../../generated/releases.ts';
import { groupVersions } from '../../generated/routes.ts';
import { ruleModules } from '../../generated/rules.ts';
import type { Identity } from '../../runtime/contract/identity.ts';
import type { RuleModules } from '../../runtime/contract/rule-modules.ts';
import { BuiltInApi } from '../../runtime/registry/resources/built-in-api.ts';
import { Registry } from '../../runtime/registry/resources/registry.ts';

interface Chosen {
  /** default: all are on */
  readonly featureEnabled?: (gate: string) => boolean;
  /** default: those that kinds have */
  readonly rules?: RuleModules;
}

export function builtInRegistry(identity: Identity, { featureEnabled = () => true, rules = ruleModules }: Chosen = {}): Registry {
  return new Registry(
    new BuiltInApi({ data: groupVersions, identity, rules, serves: () => true, featureEnabled, release: currentRelease }),
  );
}
