import type { ApiObject } from '../../contract/object.ts';
import { SYSTEM_PRIORITIES } from '../../kinds/scheduling/system-classes.ts';
import type { AdmissionPlugin, Followed, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden, isOf, isPod, only, onlyPods } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

const DEFAULT_PREEMPTION = 'PreemptLowerPriority';

/** What pods get of their class. */
interface Class {
  readonly name: string;
  readonly value: number;
  readonly preemption: string | undefined;
}

/** The class of pods if no class is marked as the default. */
const NO_CLASS: Class = { name: '', value: 0, preemption: DEFAULT_PREEMPTION };

/** Works out a new pod's priority from the name of its class; a client may not choose the number itself. Of classes one is the default at most. */
export function priority({ identity, followed }: Pick<PluginParts, 'identity' | 'followed'>): AdmissionPlugin {
  const classes = new Classes(followed('priorityclasses'));
  const group = identity.text('scheduling.${groupDomain}');
  const isClass = only(group, 'priorityclasses');
  return {
    concerns: (of, phase) => (phase === 'mutate' ? onlyPods : isClass)(of, phase),
    mutate(attributes) {
      const { operation, object, old } = attributes;
      if (!isPod(attributes) || object === undefined) return;
      if (operation === 'create') resolve(attributes, object, classes);
      else if (old !== undefined) keep(object, old);
    },
    validate(attributes) {
      const { operation, object } = attributes;
      if ((operation !== 'create' && operation !== 'update') || object?.globalDefault !== true) return;
      if (!isOf(attributes, group, 'priorityclasses')) return;
      const other = classes.default;
      if (other !== undefined && (operation === 'create' || other.name !== object.metadata.name))
        throw forbidden(attributes, `PriorityClass ${other.name} is already marked as default. Only one default can exist`);
    },
  };
}

const classOf = ({ metadata, value, preemptionPolicy }: ApiObject): Class => ({
  name: metadata.name as string,
  value: value ?? 0,
  preemption: preemptionPolicy,
});

class Classes {
  readonly #followed: Followed;
  #default: Class | undefined;
  /** the number of changes of `#followed` when `#default` was determined; undefined before that */
  #changes: number | undefined;

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  /** The default class. If several are marked, because two writers have marked one at the same time, it is the one with the lowest value. */
  get default(): Class | undefined {
    const { changes } = this.#followed;
    if (changes !== this.#changes) {
      const marked = this.#followed.in('').filter(({ globalDefault }) => globalDefault === true);
      this.#default = marked.map(classOf).sort((a, b) => a.value - b.value)[0];
      this.#changes = changes;
    }
    return this.#default;
  }

  /** Those of the system are known before they are stored, and whoever serves them. @throws StatusError Forbidden */
  named(attributes: AdmissionAttributes, name: string): Class {
    const stored = this.#followed.get('', name);
    if (stored !== undefined) return classOf(stored);
    const value = SYSTEM_PRIORITIES.get(name);
    if (value === undefined) throw forbidden(attributes, `no PriorityClass with name ${name} was found`);
    return { name, value, preemption: DEFAULT_PREEMPTION };
  }
}

function resolve(attributes: AdmissionAttributes, { spec }: ApiObject, classes: Classes): void {
  const given: string = spec.priorityClassName ?? '';
  const { name, value, preemption } = given === '' ? (classes.default ?? NO_CLASS) : classes.named(attributes, given);
  if (spec.priority !== undefined && spec.priority !== value)
    throw forbidden(
      attributes,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  if (name !== given) spec.priorityClassName = name;
  spec.priority = value;
  if (preemption === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemption)
    throw forbidden(
      attributes,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemption} from the given PriorityClass name`,
    );
  spec.preemptionPolicy = preemption;
}

/** An update that leaves them out means those that the pod has. */
function keep(pod: ApiObject, old: ApiObject): void {
  if (pod.spec.priority === undefined && old.spec?.priority !== undefined) pod.spec.priority = old.spec.priority;
  if (pod.spec.preemptionPolicy === undefined && old.spec?.preemptionPolicy !== undefined)
    pod.spec.preemptionPolicy = old.spec.preemptionPolicy;
}
