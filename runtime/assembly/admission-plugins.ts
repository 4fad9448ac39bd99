/** Which admission plugins run, as flags say it. */
import { ORDERED_PLUGINS } from '../admission/ordered-plugins.ts';
import type { Flags } from './flags.ts';

type PluginFlags = Pick<Flags, 'admission-control' | 'enable-admission-plugins' | 'disable-admission-plugins'>;

export interface ChosenPlugins {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** @throws Error for the older flag beside the two that have its place, and for a name in it that no plugin has */
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
