/** Reads entries that say how many of several members of a struct may be set. */
import type { MemberStep, Steps, UnionFinding } from '../../../runtime/contract/constraint.ts';
import { structOf, typeAtPath } from '../../check/members.ts';
import type { FieldModel, Model } from '../model.ts';
import type { ConstraintEntry, UnionEntry } from './entries.ts';
import { check } from './read-checks.ts';
import { fieldShape } from './shape.ts';
import { memberNamed, type Subject, type Tell } from './subject.ts';

/** Reads unions, with and without a discriminator, and sets of members of which exactly one or at most one may be set. */
export class UnionReader {
  readonly #model: Model;
  readonly #tell: Tell;
  readonly #steps: (field: FieldModel, holder: Subject) => Steps;

  /** @param steps gives the constraints of a member, as one member step or none */
  constructor(model: Model, tell: Tell, steps: (field: FieldModel, holder: Subject) => Steps) {
    this.#model = model;
    this.#tell = tell;
    this.#steps = steps;
  }

  union(entry: UnionEntry, subject: Subject): Steps {
    if (Array.isArray(entry.members)) return this.#plainUnion(entry, entry.members, subject);
    this.#checkDiscriminator(entry, subject);
    return Object.entries(entry.members as Readonly<Record<string, string | null>>).flatMap(([value, name]) =>
      name === null ? [] : this.#discriminated(entry, value, name, subject),
    );
  }

  #checkDiscriminator({ discriminator: name }: UnionEntry, { place, use, holder }: Subject): void {
    const struct = structOf(this.#model, use) ?? holder;
    if (name !== undefined && typeAtPath(this.#model, struct, name) === undefined)
      this.#tell(place, `${struct.name} has no member ${name}.`);
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
            ...(entry.beside !== undefined && { beside: entry.beside }),
            ...(entry.reported !== undefined && { reported: entry.reported }),
          },
        }),
      },
    ];
  }

  /** @returns one step for the member, which may be without steps of its own; [] after a report if there is no such member */
  #memberOf(name: string, given: Subject): MemberStep[] {
    const subject = { ...given, holder: structOf(this.#model, given.use) ?? given.holder };
    const field = memberNamed(this.#model, subject.holder, name);
    if (field === undefined) {
      this.#tell(subject.place, `${subject.holder.name} has no member ${name}.`);
      return [];
    }
    const [member] = this.#steps(field, subject) as MemberStep[];
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

  oneOf(entry: ConstraintEntry, subject: Subject): Steps {
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
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
