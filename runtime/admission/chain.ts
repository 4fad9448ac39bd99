/**
 * Admission: what is compiled into the server looks at each write after authorization, first the steps that may change the object, then those
 * that may only refuse it. Which steps run is chosen by name, with the names and defaults of 1.32.
 */

import { ORDERED_PLUGINS } from './ordered-plugins.ts';
import type { AdmissionPlugin, PluginParts } from './plugin.ts';
import type { Admission, AdmissionAttributes } from './request/attributes.ts';
import { Rounds } from './request/rounds.ts';

export interface AdmissionOptions extends PluginParts {
  /** Brings what plugins follow to the store's own revision: called before each phase. */
  readonly catchUp: () => void;
  /** --enable-admission-plugins */
  readonly enabled: readonly string[];
  /** --disable-admission-plugins */
  readonly disabled: readonly string[];
}

/**
 * @throws Error for a name that no plugin has, for a plugin that is both enabled and disabled, and for a configuration that is none
 */
export function createAdmission(options: AdmissionOptions): Admission {
  checkNames(options);
  const { enabled, disabled, catchUp } = options;
  const running = ORDERED_PLUGINS.filter(({ name, byDefault }) => enabled.includes(name) || (byDefault && !disabled.includes(name)));
  const plugins = running.map(({ make }) => make(options));
  const mutating = plugins.flatMap((plugin) => plugin.mutate?.bind(plugin) ?? []);
  const validating = plugins.flatMap((plugin) => plugin.validate?.bind(plugin) ?? []);
  const reserving = plugins.flatMap((plugin) => plugin.reserve?.bind(plugin) ?? []);
  if (reserving.length > 1) throw new Error('a write can wait for one plugin at most that has reserved something');
  const reserve = reserving[0] ?? NOTHING;
  return {
    async mutate(attributes) {
      catchUp();
      const rounds = new Rounds();
      do await inTurn(mutating, attributes, rounds);
      while (rounds.next());
    },
    async validate(attributes) {
      catchUp();
      await inTurn(validating, attributes, NO_ROUNDS);
      return reserve(attributes);
    },
    close() {
      for (const plugin of plugins) plugin.close?.();
    },
  };
}

type Step = NonNullable<AdmissionPlugin['mutate']>;

const NOTHING: NonNullable<AdmissionPlugin['reserve']> = () => undefined;

/** What may only refuse is asked once. */
const NO_ROUNDS = new Rounds();

/** One step after the other; it waits only for those that have something to wait for. */
async function inTurn(steps: readonly Step[], attributes: AdmissionAttributes, rounds: Rounds): Promise<void> {
  for (const step of steps) {
    const pending = step(attributes, rounds);
    if (pending !== undefined) await pending;
  }
}

function checkNames({ enabled, disabled }: AdmissionOptions): void {
  for (const [flag, names] of [
    ['--enable-admission-plugins', enabled],
    ['--disable-admission-plugins', disabled],
  ] as const)
    for (const name of names)
      if (!ORDERED_PLUGINS.some((plugin) => plugin.name === name))
        throw new Error(`${flag}: no admission plugin is named ${JSON.stringify(name)}`);
  const both = enabled.find((name) => disabled.includes(name));
  if (both !== undefined) throw new Error(`the admission plugin ${both} is both enabled and disabled`);
}
