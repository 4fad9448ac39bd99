/** Reads the marks of the schemas that constrain structs, and makes the steps of them that `runtime/contract/constraint.ts` describes. */
import type { MemberStep, Step, Steps, StructConstraints } from '../../../runtime/contract/constraint.ts';
import { structOf, typeAtPath } from '../../check/members.ts';
import type { FieldModel, Model, StructModel, TypeUse } from '../model.ts';
import type { ConstraintEntry, Entry } from './entries.ts';
import { isComposed, isConditional, namesIn, namesValues, namesValuesOf, passOf, placesNested } from './entry-predicates.ts';
import { check, knownValues, TestReader } from './read-checks.ts';
import { UnionReader } from './read-unions.ts';
import { fieldShape, shapeOf } from './shape.ts';
import { isUnchecked, statedEntries } from './stated-entries.ts';
import { memberNamed, type Pass, type Subject, shapeAt, type Tell } from './subject.ts';

/** Reads the constraints of one struct after the other. */
export class ConstraintReader {
  readonly #model: Model;
  readonly #tell: Tell;
  readonly #tests: TestReader;
  readonly #unions: UnionReader;

  /** @param tell takes what does not fit the model, with its place inside of the document */
  constructor(model: Model, tell: Tell = () => {}) {
    this.#model = model;
    this.#tell = tell;
    this.#tests = new TestReader(model, tell);
    this.#unions = new UnionReader(model, tell, (field, holder) => this.#member(field, holder));
  }

  /** @param hasStatus whether the kind has a subresource `status`: the member of that name is then validated on updates of that alone */
  read(struct: StructModel, hasStatus: boolean): Omit<StructConstraints, 'closed'> {
    const read = (pass: Pass) => this.#struct(struct, pass, hasStatus);
    return {
      ...(struct.scope !== undefined && { scope: struct.scope }),
      object: read('object'),
      changes: twice(struct, read('changes')),
      status: struct.topLevel ? read('status') : [],
    };
  }

  #struct(struct: StructModel, pass: Pass, hasStatus: boolean): Steps {
    const use: TypeUse = { kind: 'named', definition: struct.definition };
    const place = `components.schemas.${struct.name}.x-cluster-validations`;
    const subject: Subject = {
      holder: struct,
      use,
      shape: { kind: 'struct', pointer: false },
      mapKeys: [],
      inElements: false,
      pass,
      place,
    };
    const stated = struct.validations ?? [];
    const named = new Set(stated.flatMap(namesIn));
    const rest = struct.fields.filter((field) => !named.has(field.name) && !field.typeMeta).map((field) => field.name);
    const at = stated.indexOf('...');
    const entries = at < 0 ? [...stated, ...rest] : [...stated.slice(0, at), ...rest, ...stated.slice(at + 1)];
    return entries.flatMap((entry, index) => {
      const within = { ...subject, place: `${place}.${index}` };
      if (!struct.topLevel) this.#refuseStatus(entry, within);
      return typeof entry === 'string' ? this.#field(entry, within, hasStatus) : this.#entry(entry, within);
    });
  }

  /** The constraints of one member of the holder. */
  #field(name: string, subject: Subject, hasStatus = false): Steps {
    const field = subject.holder.fields.find((each) => each.name === name) ?? memberNamed(this.#model, subject.holder, name);
    if (field === undefined) {
      this.#tell(subject.place, `${subject.holder.name} has no member ${name}.`);
      return [];
    }
    if (field.inline) return this.#nested({ ...subject, use: field.type });
    const isStatus = hasStatus && name === 'status';
    if (subject.pass === 'status') {
      if (!isStatus) return [];
      const steps = (['object', 'changes'] as const).flatMap((pass) => this.#member(field, { ...subject, pass }));
      return steps;
    }
    return isStatus ? [] : this.#member(field, subject);
  }

  /** Reports an entry about updates of the status that is not one of a kind: validation of such an update begins at the kind. */
  #refuseStatus(entry: Entry, { place }: Subject): void {
    if (typeof entry !== 'string' && entry.on === 'status') this.#tell(place, 'Only entries of a kind can be about updates of the status.');
  }

  #member(field: FieldModel, holder: Subject): Steps {
    const subject: Subject = {
      ...holder,
      use: field.type,
      shape: fieldShape(this.#model, field),
      mapKeys: mapKeysOf(field.type),
      place: `components.schemas.${holder.holder.name}.properties.${field.name}`,
    };
    const entries = statedEntries(field);
    for (const entry of entries) this.#refuseStatus(entry, subject);
    const namedByHolder = (holder.holder.validations ?? []).some((entry) => namesValuesOf(entry, field.name));
    const named = field.type.kind === 'primitive' && (namedByHolder || entries.some(namesValues));
    const placed = isUnchecked(field) || named || entries.some(placesNested);
    const steps = [...entries, ...(placed ? [] : ['nested'])].flatMap((entry) => this.#entry(entry, subject));
    if (steps.length === 0) return [];
    return [
      { do: 'member', path: [field.name], ...(field.reported !== undefined && { report: field.reported }), shape: subject.shape, steps },
    ];
  }

  #entries(entries: readonly Entry[] | undefined, subject: Subject): Steps {
    return (entries ?? []).flatMap((entry) => this.#entry(entry, subject));
  }

  #entry(entry: Entry, subject: Subject): Steps {
    if (entry === 'nested') return this.#nested(subject);
    if (typeof entry === 'string') return this.#field(entry, subject);
    if ((entry.on === 'status') !== (subject.pass === 'status') && !isComposed(entry)) return [];
    if (entry.at !== undefined) return this.#below(entry, entry.at, subject);
    const steps = isConditional(entry) && entry.all !== undefined ? this.#entries(entry.all, subject) : this.#constraint(entry, subject);
    const otherwise = this.#entries(entry.else, subject);
    if (steps.length + otherwise.length === 0 || !isConditional(entry)) return steps;
    return [this.#when(entry, steps, otherwise, subject)];
  }

  #when(entry: ConstraintEntry, steps: Steps, otherwise: Steps, subject: Subject): Step {
    for (const path of [entry.when ?? {}].flat().flatMap(Object.keys))
      if (typeAtPath(this.#model, subject.holder, path) === undefined)
        this.#tell(subject.place, `${subject.holder.name} has no member ${path}.`);
    return {
      do: 'when',
      ...(entry.when !== undefined && { when: entry.when }),
      ...(entry.gate !== undefined && { gate: entry.gate }),
      ...(entry.on === 'create' && { creating: true }),
      steps,
      otherwise,
    };
  }

  /**
   * Reads an entry with `at`, which is about a member further down. The member's own constraints stay where they are. What the entry finds may be reported
   * at another path.
   */
  #below({ at: _at, when, gate, ...entry }: ConstraintEntry, path: string, subject: Subject): Steps {
    const { on, path: report } = entry;
    const use = typeAtPath(this.#model, subject.holder, path);
    if (use === undefined || use === 'anything') {
      this.#tell(subject.place, `${subject.holder.name} has no member ${path}.`);
      return [];
    }
    const names = path.split('.');
    const steps = this.#entries(entry.all ?? [{ ...entry, stop: entry.stop ?? false }], {
      ...subject,
      use,
      shape: shapeAt(this.#model, subject.holder, names, use),
    });
    if (steps.length === 0) return [];
    const member: MemberStep = {
      do: 'member',
      path: names,
      ...(entry.all !== undefined && report !== undefined && { report }),
      shape: shapeAt(this.#model, subject.holder, names, use),
      steps,
      byHolder: true,
    };
    const condition: ConstraintEntry = { ...(when && { when }), ...(gate && { gate }), ...(on && { on }) };
    return isConditional(condition) ? [this.#when(condition, [member], [], subject)] : [member];
  }

  /** The constraints of the value's own type: those of a struct, of the elements of a list, of the values of a map, or of a closed set of values. */
  #nested(subject: Subject): Steps {
    const { use, mapKeys } = subject;
    if (use.kind === 'list') {
      const shape = shapeOf(this.#model, use.element, true);
      const steps = this.#nested({ ...subject, use: use.element, shape, mapKeys: mapKeysOf(use.element) });
      return steps.length === 0 ? [] : [{ do: 'items', shape, mapKeys, steps }];
    }
    if (use.kind === 'map') {
      const shape = shapeOf(this.#model, use.value, true);
      const values = this.#nested({ ...subject, use: use.value, shape, mapKeys: mapKeysOf(use.value) });
      return values.length === 0 ? [] : [{ do: 'entries', keys: [], shape, values }];
    }
    if (use.kind === 'primitive')
      return use.closed === true && subject.pass === 'object' ? [check({ name: 'enum', values: knownValues(use) })] : [];
    return structOf(this.#model, use) === undefined
      ? []
      : [{ do: 'type', definition: use.definition, changes: subject.pass === 'changes' }];
  }

  #constraint(entry: ConstraintEntry, subject: Subject): Steps {
    if (entry.all !== undefined) return this.#composed(entry.all, subject, (steps) => ({ do: 'when', steps, otherwise: [] }));
    if (entry.first !== undefined) return this.#composed(entry.first, subject, (steps) => ({ do: 'first', steps }));
    if (entry.within !== undefined) return this.#within(entry.within, subject);
    if (entry.items !== undefined) return this.#items(entry.items, subject, entry.path);
    if (entry.keys !== undefined || entry.values !== undefined) return this.#mapEntries(entry, subject);
    if (entry.text !== undefined || entry.number !== undefined) return this.#form(entry, subject);
    if (entry.union !== undefined) return this.#unions.union(entry.union, subject);
    if (entry.oneOf !== undefined || entry.zeroOrOneOf !== undefined) return this.#unions.oneOf(entry, subject);
    if (passOf(entry) !== subject.pass) return [];
    if (entry.nested === true) return this.#nested({ ...subject, pass: 'object' });
    if (entry.rule !== undefined) return [this.#rule(entry, entry.rule, subject.use)];
    const test = this.#tests.test(entry, subject);
    if (test === undefined) {
      this.#tell(subject.place, 'The entry says nothing.');
      return [];
    }
    return [check(test, entry)];
  }

  #rule({ scoped = false, stop = false }: ConstraintEntry, rule: string, use: TypeUse): Step {
    const definition = structOf(this.#model, use)?.definition;
    return { do: 'rule', rule, scoped, stop, ...(definition !== undefined && { definition }) };
  }

  #composed(entries: readonly Entry[], subject: Subject, make: (steps: Steps) => Step): Steps {
    const steps = this.#entries(entries, subject);
    return steps.length === 0 ? [] : [make(steps)];
  }

  #within(entries: readonly Entry[], subject: Subject): Steps {
    const struct = structOf(this.#model, subject.use);
    if (struct !== undefined) return this.#composed(entries, { ...subject, holder: struct }, (steps) => ({ do: 'within', steps }));
    this.#tell(subject.place, 'Entries within stand on a value that is no struct.');
    return [];
  }

  #items(entries: readonly Entry[], subject: Subject, report?: string): Steps {
    const { use, mapKeys } = subject;
    if (use.kind !== 'list') {
      this.#tell(subject.place, 'Items stand on a value that is no list.');
      return [];
    }
    const shape = shapeOf(this.#model, use.element, true);
    const steps = this.#entries(entries, { ...subject, use: use.element, shape, mapKeys: mapKeysOf(use.element), inElements: true });
    return steps.length === 0 ? [] : [{ do: 'items', shape, mapKeys, ...(report !== undefined && { report }), steps }];
  }

  #mapEntries({ keys, values, keyLength }: ConstraintEntry, subject: Subject): Steps {
    const { use } = subject;
    if (use.kind !== 'map') {
      this.#tell(subject.place, 'Keys and values stand on a value that is no map.');
      return [];
    }
    const text: TypeUse = { kind: 'primitive', scalar: 'string' };
    const shape = shapeOf(this.#model, use.value, true);
    const ofKeys = this.#entries(keys, { ...subject, use: text, shape: { kind: 'text', pointer: true }, mapKeys: [] });
    const ofValues = this.#entries(values, { ...subject, use: use.value, shape, mapKeys: [] });
    if (ofKeys.length + ofValues.length === 0) return [];
    return [{ do: 'entries', keys: ofKeys, shape, values: ofValues, ...(keyLength !== undefined && { keyLength }) }];
  }

  #form({ text, number }: ConstraintEntry, subject: Subject): Steps {
    const ofText = this.#entries(text, { ...subject, shape: { kind: 'text', pointer: true } });
    const ofNumber = this.#entries(number, { ...subject, shape: { kind: 'number', pointer: true } });
    return ofText.length + ofNumber.length === 0 ? [] : [{ do: 'form', text: ofText, number: ofNumber }];
  }
}

/**
 * @param changes the steps that run on updates besides those of the object
 * @returns these steps, with those of the object once more before or behind them if the kind reports what it finds twice
 */
function twice({ definition, validatedTwice }: StructModel, changes: Steps): Steps {
  if (validatedTwice === undefined) return changes;
  const again: Step = { do: 'type', definition, changes: false };
  return validatedTwice === 'last' ? [...changes, again] : [again, ...changes];
}

/** @returns the members that tell elements of the list apart; [] if none do */
function mapKeysOf({ ownership }: TypeUse): readonly string[] {
  return ownership?.listType === 'map' ? (ownership.listMapKeys ?? []) : [];
}
