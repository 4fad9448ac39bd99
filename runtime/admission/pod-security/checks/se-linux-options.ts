/** Labels that say what a process may reach on nodes with SELinux. */
import { type Check, type CheckPod, pluralOf, quotedSet, settersOf } from '../check.ts';

const TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const withTypes =
  (allowed: readonly string[]): CheckPod =>
  (pod) => {
    const types = new Set<string>();
    let [setsUser, setsRole] = [false, false];
    const setters = settersOf(pod, ({ seLinuxOptions }) => {
      const { type = '', user = '', role = '' } = seLinuxOptions ?? {};
      const isOther = !allowed.includes(type);
      if (isOther) types.add(type);
      setsUser ||= user !== '';
      setsRole ||= role !== '';
      return isOther || user !== '' || role !== '';
    });
    if (setters.length === 0) return undefined;
    const wrong = [
      ...(types.size === 0 ? [] : [`${pluralOf('type', types.size)} ${quotedSet(types)}`]),
      ...(setsUser ? ['user may not be set'] : []),
      ...(setsRole ? ['role may not be set'] : []),
    ];
    const detail = `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${wrong.join('; ')}`;
    return { reason: 'seLinuxOptions', detail };
  };

export const seLinuxOptions: Check = {
  id: 'seLinuxOptions',
  level: 'baseline',
  versions: [
    { since: 0, check: withTypes(TYPES) },
    { since: 31, check: withTypes([...TYPES, 'container_engine_t']) },
  ],
};
