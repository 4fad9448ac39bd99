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
 * @throws Error for a name that no plugin has, for a plugin that is absent here and would deny something, for one that is both enabled and disabled,
 *   and for a configuration that is none
 */
export function createAdmission(options: AdmissionOptions): Admission {
  checkNames(options);
  const { enabled, disabled, catchUp } = options;
  const running = ORDERED_PLUGINS.filter(({ name, byDefault }) => enabled.includes(name) || (byDefault && !disabled.includes(name)));
  const plugins = running.flatMap(({ make }) => make?.(options) ?? []);
  const mutating = plugins.flatMap((plugin) => plugin.mutate?.bind(plugin) ?? []);
  const validating = plugins.flatMap((plugin) => plugin.validate?.bind(plugin) ?? []);
  return {
    async mutate(attributes) {
      catchUp();
      const rounds = new Rounds();
      do await inTurn(mutating, attributes, rounds);
      while (rounds.next());
    },
    validate(attributes) {
      catchUp();
      return inTurn(validating, attributes, NO_ROUNDS);
    },
    close() {
      for (const plugin of plugins) plugin.close?.();
    },
  };
}

type Step = NonNullable<AdmissionPlugin['mutate']>;

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
  const absent = ORDERED_PLUGINS.find(({ name, make }) => make === undefined && enabled.includes(name));
  if (absent !== undefined)
    throw new Error(
      `--enable-admission-plugins: this server does not have the admission plugin ${absent.name}, and would not deny what it denies`,
    );
  const both = enabled.find((name) => disabled.includes(name));
  if (both !== undefined) throw new Error(`the admission plugin ${both} is both enabled and disabled`);
}
