/** Profiles that say what a process may do on nodes with AppArmor, in fields or, as before 1.30, in annotations. */
import { goQuote } from '../../../go-text/quote.ts';
import { APP_ARMOR } from '../../../kinds/core/pods/pod-annotations.ts';
import { type Check, type CheckedPod, pluralOf, quoted, settersOf } from '../check.ts';

const isProfileName = (name: string): boolean => name === '' || name === 'runtime/default' || name.startsWith('localhost/');

function wrongAnnotations({ annotations, text }: CheckedPod): string[] {
  const prefix = text(APP_ARMOR);
  return Object.entries(annotations)
    .filter(([key, name]) => key.startsWith(prefix) && !isProfileName(name))
    .map(([key, name]) => `${key}=${goQuote(name)}`)
    .sort();
}

export const appArmorProfile: Check = {
  id: 'appArmorProfile',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const types = new Set<string>();
        const setters = settersOf(pod, (context) => {
          const type = context.appArmorProfile?.type;
          if (type === undefined || type === 'RuntimeDefault' || type === 'Localhost') return false;
          types.add(type);
          return true;
        });
        const annotations = wrongAnnotations(pod);
        if (annotations.length > 0) setters.push(pluralOf('annotation', annotations.length));
        if (setters.length === 0) return undefined;
        const values = [...[...types].sort(), ...annotations];
        return {
          reason: pluralOf('forbidden AppArmor profile', values.length),
          detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
        };
      },
    },
  ],
};
