/** The constraints of structs as steps, from the marks of the schemas; see `runtime/contract/constraint.ts`. */
import type {
  CheckStep,
  FindingName,
  Limit,
  MemberStep,
  Shape,
  Step,
  Steps,
  StructConstraints,
  Test,
  UnionFinding,
} from '../../../runtime/contract/constraint.ts';
import { parseDuration } from '../../../runtime/schema/scalar/duration.ts';
import { membersOf, structOf, typeAtPath } from '../../check/members.ts';
import type { FieldModel, Model, StructModel, TypeUse } from '../model.ts';
import type { ConstraintEntry, Entry, UnionEntry } from './entries.ts';
import { fieldShape, shapeOf } from './shape.ts';
import { isUnchecked, statedEntries } from './stated-entries.ts';

/** When steps run: on every write, on updates besides, on updates of the status. */
export type Pass = 'object' | 'changes' | 'status';

/** The value that entries speak of. */
interface Subject {
  /** the struct that holds it, or the struct itself */
  readonly holder: StructModel;
  readonly use: TypeUse;
  readonly shape: Shape;
  /** of a list: members by which its elements are told apart */
  readonly mapKeys: readonly string[];
  readonly pass: Pass;
  /** for reports */
  readonly place: string;
}

type Tell = (place: string, problem: string) => void;

const UPDATE_TESTS = ['immutable', 'noSet', 'noUnset', 'noModify', 'noDecrease'] as const;

export class ConstraintReader {
  readonly #model: Model;
  readonly #tell: Tell;
  #uniques = 0;

  /** @param report of what does not fit, with the place inside of the document */
  constructor(model: Model, tell: (place: string, problem: string) => void = () => {}) {
    this.#model = model;
    this.#tell = tell;
  }

  /** @param hasStatus the kind has a subresource `status`: its member of that name is only looked at there */
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
    const subject: Subject = { holder: struct, use, shape: { kind: 'struct', pointer: false }, mapKeys: [], pass, place };
    const stated = struct.validations ?? [];
    const named = new Set(stated.flatMap(namesIn));
    const rest = struct.fields.filter((field) => !named.has(field.name) && !field.typeMeta).map((field) => field.name);
    const at = stated.indexOf('...');
    const entries = at < 0 ? [...stated, ...rest] : [...stated.slice(0, at), ...rest, ...stated.slice(at + 1)];
    return entries.flatMap((entry, index) => {
      const within = { ...subject, place: `${place}.${index}` };
      return typeof entry === 'string' ? this.#field(entry, within, hasStatus) : this.#entry(entry, within);
    });
  }

  /** The constraints of one member of the struct at hand. */
  #field(name: string, subject: Subject, hasStatus = false): Steps {
    const field = subject.holder.fields.find((each) => each.name === name) ?? this.#inlined(subject.holder, name);
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

  #inlined(holder: StructModel, name: string): FieldModel | undefined {
    return membersOf(this.#model, holder).find(({ field }) => field.name === name)?.field;
  }

  #member(field: FieldModel, holder: Subject): Steps {
    const subject: Subject = {
      ...holder,
      use: field.type,
      shape: fieldShape(this.#model, field),
      mapKeys: field.listType === 'map' ? (field.listMapKeys ?? []) : [],
      place: `components.schemas.${holder.holder.name}.properties.${field.name}`,
    };
    const entries = statedEntries(field);
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

  /** `at` moves to a member further down, whose own constraints stay where they are. All that it leads to may be reported at another path. */
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
      shape: this.#shapeAt(subject.holder, names, use),
    });
    if (steps.length === 0) return [];
    const member: MemberStep = {
      do: 'member',
      path: names,
      ...(entry.all !== undefined && report !== undefined && { report }),
      shape: this.#shapeAt(subject.holder, names, use),
      steps,
      byHolder: true,
    };
    const condition: ConstraintEntry = { ...(when && { when }), ...(gate && { gate }), ...(on && { on }) };
    return isConditional(condition) ? [this.#when(condition, [member], [], subject)] : [member];
  }

  #shapeAt(struct: StructModel, path: readonly string[], use: TypeUse): Shape {
    const holder = path.length === 1 ? struct : this.#structAt(struct, path.slice(0, -1));
    const field = holder === undefined ? undefined : this.#inlined(holder, path.at(-1) as string);
    return field === undefined ? shapeOf(this.#model, use, true) : fieldShape(this.#model, field);
  }

  #structAt(struct: StructModel, path: readonly string[]): StructModel | undefined {
    const use = typeAtPath(this.#model, struct, path.join('.'));
    return use === undefined || use === 'anything' ? undefined : structOf(this.#model, use);
  }

  /** The constraints of the value's own type: of a struct, of elements, of values; a closed set of values among them. */
  #nested(subject: Subject): Steps {
    const { use, mapKeys } = subject;
    if (use.kind === 'list') {
      const shape = shapeOf(this.#model, use.element, true);
      const steps = this.#nested({ ...subject, use: use.element, shape, mapKeys: [] });
      return steps.length === 0 ? [] : [{ do: 'items', shape, mapKeys, steps }];
    }
    if (use.kind === 'map') {
      const shape = shapeOf(this.#model, use.value, true);
      const values = this.#nested({ ...subject, use: use.value, shape, mapKeys: [] });
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
    if (entry.union !== undefined) return this.#union(entry.union, subject);
    if (entry.oneOf !== undefined || entry.zeroOrOneOf !== undefined) return this.#oneOf(entry, subject);
    if (passOf(entry) !== subject.pass) return [];
    if (entry.nested === true) return this.#nested({ ...subject, pass: 'object' });
    if (entry.rule !== undefined) return [this.#rule(entry, entry.rule, subject.use)];
    const test = this.#test(entry, subject);
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
    const steps = this.#entries(entries, { ...subject, use: use.element, shape, mapKeys: [] });
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

  #union(entry: UnionEntry, subject: Subject): Steps {
    if (Array.isArray(entry.members)) return this.#plainUnion(entry, entry.members, subject);
    return Object.entries(entry.members as Readonly<Record<string, string | null>>).flatMap(([value, name]) =>
      name === null ? [] : this.#discriminated(entry, value, name, subject),
    );
  }

  #plainUnion(entry: UnionEntry, names: readonly string[], subject: Subject): Steps {
    const members = names.flatMap((name) => this.#memberOf(name, subject));
    if (subject.pass !== 'object') return members;
    return [
      {
        do: 'union',
        members,
        ...(entry.none !== undefined && { none: { as: entry.as ?? 'required', detail: entry.none } }),
        ...(entry.several !== undefined && {
          several: {
            as: entry.as ?? 'forbidden',
            detail: entry.several,
            at: 'member' as const,
            ...(entry.reported !== undefined && { reported: entry.reported }),
          },
        }),
      },
    ];
  }

  /** A member of the value with its steps, of which there may be none. */
  #memberOf(name: string, given: Subject): MemberStep[] {
    const subject = { ...given, holder: structOf(this.#model, given.use) ?? given.holder };
    const field = this.#inlined(subject.holder, name);
    if (field === undefined) {
      this.#tell(subject.place, `${subject.holder.name} has no member ${name}.`);
      return [];
    }
    const [member] = this.#member(field, subject) as MemberStep[];
    return [member ?? { do: 'member', path: [name], shape: fieldShape(this.#model, field), steps: [] }];
  }

  #discriminated(entry: UnionEntry, value: string, name: string, subject: Subject): Steps {
    const [member] = this.#memberOf(name, subject);
    if (member === undefined || entry.discriminator === undefined) return [];
    const when = { [entry.discriminator]: value };
    if (subject.pass !== 'object') return member.steps.length === 0 ? [] : [{ do: 'when', when, steps: [member], otherwise: [] }];
    const needed = entry.none === undefined ? [] : [check({ name: 'required' }, { message: entry.none, stop: true })];
    const unexpected =
      entry.several === undefined ? [] : [check({ name: 'forbidden' }, { message: entry.several, ...(entry.as && { as: entry.as }) })];
    const branch = (steps: Steps): Steps => (steps.length === 0 ? [] : [{ ...member, steps }]);
    return [{ do: 'when', when, steps: branch([...needed, ...member.steps]), otherwise: branch(unexpected) }];
  }

  #oneOf(entry: ConstraintEntry, subject: Subject): Steps {
    if (subject.pass !== 'object') return [];
    const names = entry.oneOf ?? entry.zeroOrOneOf ?? [];
    const members = names.flatMap((name) => this.#memberOf(name, subject)).map((member) => ({ ...member, steps: [] }));
    const finding = (detail: string): UnionFinding => ({
      as: entry.as ?? 'invalid',
      detail,
      ...(entry.path !== undefined && { path: entry.path }),
      ...('shown' in entry && { shown: { value: entry.shown } }),
    });
    const none = entry.oneOf === undefined ? undefined : (entry.none ?? entry.message ?? `must specify one of: ${quoted(names)}`);
    const several = entry.several ?? entry.message ?? `must specify at most one of: ${quoted(names)}`;
    return [
      {
        do: 'union',
        members,
        ...(none !== undefined && { none: finding(none) }),
        several: { ...finding(several), at: 'struct' },
      },
    ];
  }

  #test(entry: ConstraintEntry, subject: Subject): Test | undefined {
    if (entry.required === true) return { name: 'required' };
    if (entry.forbidden === true) return { name: 'forbidden' };
    if (entry.enum !== undefined) return { name: 'enum', values: entry.enum === true ? knownValues(subject.use) : entry.enum };
    if (entry.range !== undefined) return { name: 'range', lowest: entry.range[0], highest: entry.range[1] };
    if (entry.span !== undefined) return this.#span(entry.span, subject);
    if (entry.pattern !== undefined) return { name: 'pattern', pattern: entry.pattern };
    if (entry.format !== undefined) return { name: 'format', formats: [entry.format].flat() };
    if (entry.unique !== undefined) return this.#unique(entry, entry.unique);
    for (const name of ['minimum', 'maximum', 'above', 'below'] as const) {
      const limit = entry[name];
      if (limit !== undefined) return { name, limit: this.#limit(limit, subject) };
    }
    for (const name of ['minLength', 'maxLength', 'maxBytes', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const) {
      const limit = entry[name];
      if (limit !== undefined) return { name, limit };
    }
    for (const name of ['equals', 'neq'] as const) {
      const value = entry[name];
      if (value !== undefined) return { name, value };
    }
    if (entry.holds !== undefined) return this.#holds(entry, entry.holds, subject);
    const name = UPDATE_TESTS.find((each) => entry[each] === true);
    return name === undefined ? undefined : { name };
  }

  #span([shortest, longest]: NonNullable<ConstraintEntry['span']>, { place }: Subject): Test {
    const nanoseconds = (text: string): string => {
      const parsed = parseDuration(text);
      if (parsed === undefined) this.#tell(place, `${text} is no duration.`);
      return String(parsed ?? 0n);
    };
    return { name: 'span', shortest: nanoseconds(shortest), ...(longest !== undefined && { longest: nanoseconds(longest) }) };
  }

  #holds({ scoped = false }: ConstraintEntry, rule: string, { use, holder, pass }: Subject): Test {
    const definition = structOf(this.#model, use)?.definition;
    const comparing = pass !== 'object';
    return { name: 'holds', rule, scoped, comparing, holder: holder.definition, ...(definition !== undefined && { definition }) };
  }

  #unique(entry: ConstraintEntry, unique: NonNullable<ConstraintEntry['unique']>): Test {
    const keys = unique === true ? [] : [unique].flat().map(String);
    return { name: 'unique', keys, set: this.#uniques++, countsUnset: entry.countsUnset === true };
  }

  #limit(limit: number | string, subject: Subject): Limit {
    if (typeof limit === 'number') return limit;
    const use = typeAtPath(this.#model, subject.holder, limit);
    if (use === undefined || use === 'anything') {
      this.#tell(subject.place, `${subject.holder.name} has no member ${limit}.`);
      return 0;
    }
    const path = limit.split('.');
    return { path, zero: !this.#shapeAt(subject.holder, path, use).pointer };
  }
}

/** @param changes of a kind; what is found of the object comes once more before them, or last */
function twice({ definition, validatedTwice }: StructModel, changes: Steps): Steps {
  if (validatedTwice === undefined) return changes;
  const again: Step = { do: 'type', definition, changes: false };
  return validatedTwice === 'last' ? [...changes, again] : [again, ...changes];
}

/** The entry states the allowed values, or leads to one that does. */
function namesValues(entry: Entry): boolean {
  if (typeof entry === 'string') return false;
  const { else: otherwise, first, all } = entry;
  return entry.enum !== undefined || [otherwise, first, all].some((list) => list?.some(namesValues));
}

/** The entry, or one in it, is the place of what the value's own type constrains, or of members of it. */
function placesNested(entry: Entry): boolean {
  if (typeof entry === 'string') return entry === 'nested';
  const { all, first, items, values, within, else: otherwise } = entry;
  return (
    within?.some((each) => typeof each === 'string') === true ||
    [all, first, items, values, otherwise].some((list) => list?.some(placesNested)) ||
    [items, values].some((list) => list?.some(namesValues))
  );
}

/** An entry of a struct states the allowed values of this member, or leads to one that does. */
function namesValuesOf(entry: Entry, name: string): boolean {
  if (typeof entry === 'string') return false;
  if (entry.at === name) return namesValues(entry);
  const { all, first, else: otherwise } = entry;
  return [all, first, otherwise].some((list) => list?.some((each) => namesValuesOf(each, name)));
}

/** Members that an entry places. */
function namesIn(entry: Entry): string[] {
  if (typeof entry === 'string') return [entry];
  const { union, else: otherwise, first, all } = entry;
  const members = union === undefined ? [] : Object.values(union.members).filter((name) => name !== null);
  return [
    ...members.map(String),
    ...[otherwise, first, entry.at === undefined ? all : undefined].flatMap((list) => (list ?? []).flatMap(namesIn)),
  ];
}

function passOf(entry: ConstraintEntry): Pass {
  if (entry.on === 'status') return 'status';
  return entry.on === 'update' || UPDATE_TESTS.some((name) => entry[name] === true) ? 'changes' : 'object';
}

function check(
  test: Test,
  entry: Pick<ConstraintEntry, 'message' | 'as' | 'path' | 'shown' | 'limit' | 'of' | 'absent' | 'stop' | 'ratchet' | 'join'> = {},
): CheckStep {
  return {
    do: 'check',
    test,
    ...(entry.message !== undefined && { detail: entry.message }),
    ...(entry.join !== undefined && { join: entry.join }),
    ...(entry.as !== undefined && { as: entry.as satisfies FindingName }),
    ...(entry.path !== undefined && { path: entry.path }),
    ...('shown' in entry && { shown: { value: entry.shown } }),
    ...(entry.limit !== undefined && { limit: entry.limit }),
    ...('absent' in entry && { absent: { value: entry.absent } }),
    ofHolder: entry.of === 'holder',
    stop: entry.stop ?? test.name === 'required',
    ratchet: entry.ratchet === true,
  };
}

function knownValues(use: TypeUse): readonly string[] {
  return use.kind === 'primitive' ? (use.enum ?? use.constants ?? []) : [];
}

const isConditional = ({ when, gate, on }: ConstraintEntry): boolean => when !== undefined || gate !== undefined || on === 'create';

/** Holds other entries, each of which says for itself when it runs. */
function isComposed({ all, first, items, keys, values, text, number, within }: ConstraintEntry): boolean {
  return [all, first, items, keys, values, text, number, within].some((entries) => entries !== undefined);
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
