/** Resolves the flags that choose admission plugins into two lists: those to enable and those to disable. */
import { ORDERED_PLUGINS } from '../../admission/ordered-plugins.ts';
import type { Flags } from '../setup/flags.ts';

type PluginFlags = Pick<Flags, 'admission-control' | 'enable-admission-plugins' | 'disable-admission-plugins'>;

export interface ChosenPlugins {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** @throws Error if --admission-control is combined with one of the two flags that replaced it, or names an unknown plugin */
export function chosenPlugins(flags: PluginFlags): ChosenPlugins {
  const { 'admission-control': only, 'enable-admission-plugins': enabled, 'disable-admission-plugins': disabled } = flags;
  if (only.length === 0) return { enabled, disabled };
  if (enabled.length + disabled.length > 0)
    throw new Error(
      '--admission-control goes neither with --enable-admission-plugins nor with --disable-admission-plugins, which have its place',
    );
  const names = ORDERED_PLUGINS.map(({ name }) => name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`--admission-control: no admission plugin is named ${JSON.stringify(unknown)}`);
  return { enabled: only, disabled: names.filter((name) => !only.includes(name)) };
}

/** @throws Error as `chosenPlugins` does */
export function runsPlugin(flags: PluginFlags, name: string): boolean {
  const { enabled, disabled } = chosenPlugins(flags);
  return !disabled.includes(name) && (enabled.includes(name) || ORDERED_PLUGINS.some((plugin) => plugin.byDefault && plugin.name === name));
}
