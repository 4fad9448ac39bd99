/** What the plugin's configuration says: the policy of namespaces without labels, and which pods are not looked at. */
import type { PodSecurityConfiguration } from '../../../generated/podsecurity/v1/types.ts';
import type { Level, LevelVersion, Mode, Policy } from './policy.ts';

export interface Settings {
  readonly defaults: Policy;
  /** by what they are exempt */
  readonly exempt: {
    readonly users: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

/** @param configuration valid, with its defaults; undefined: everything is allowed, as where nobody configures anything */
export function settingsOf(configuration: PodSecurityConfiguration | undefined): Settings {
  const { defaults = {}, exemptions } = configuration ?? {};
  const ofMode = (mode: Mode): LevelVersion => ({
    level: (defaults[mode] ?? 'privileged') as Level,
    version: defaults[`${mode}-version`] ?? 'latest',
  });
  return {
    defaults: { enforce: ofMode('enforce'), audit: ofMode('audit'), warn: ofMode('warn') },
    exempt: {
      users: new Set(exemptions?.usernames),
      namespaces: new Set(exemptions?.namespaces),
      runtimeClasses: new Set(exemptions?.runtimeClasses),
    },
  };
}
