/** Holds values that schemas state, such as defaults and examples, against the constraints that schemas state for their place. */
import type { Step, Steps, StructConstraints, Test, TypeStep } from '../../runtime/contract/constraint.ts';
import { createIdentity, type Identity } from '../../runtime/contract/identity.ts';
import type { RuleContext } from '../../runtime/contract/kind-rules.ts';
import { formatTableOf } from '../../runtime/validation/formats.ts';
import { Interpreter } from '../../runtime/validation/interpreter.ts';
import { ConstraintReader } from '../model/constraints/read-constraints.ts';
import type { FieldModel, Model, StructModel, TypeUse } from '../model/model.ts';
import { isObject } from '../read/sources.ts';
import { patternProblems } from './constraints.ts';
import { membersOf, structOf } from './members.ts';

/** `value` stands for the constraints to which a value alone can be held, `object` for all that need neither hand-written code nor a server. */
type Scope = 'value' | 'object';

/** Finds values that break the constraints of their place. It reads the constraints of each type once. */
export class ConstrainedValues {
  readonly #model: Model;
  /** Any dialect will do: it makes no difference to what is right. */
  readonly #identity: Identity;
  readonly #reader: ConstraintReader;
  readonly #stated = new Map<string, StructConstraints>();
  readonly #context: RuleContext;

  constructor(model: Model) {
    this.#model = model;
    this.#identity = createIdentity(model.identity, 'cluster');
    this.#reader = new ConstraintReader(model);
    // Only texts are filled in. Constraints that need more of the server's context are left out.
    this.#context = { text: this.#identity.text } as unknown as RuleContext;
  }

  /** @returns what is wrong with a value of the member, by the constraints that need no other member and no hand-written code; [] if nothing is */
  ofMember(struct: StructModel, field: FieldModel, value: unknown): string[] {
    const steps = this.#constraintsOf(struct.definition, 'value').object.filter(
      (step) => step.do === 'member' && step.path[0] === field.name,
    );
    return steps.length === 0 ? [] : this.#findings(struct, steps, 'value', { [field.name]: this.#complete(field.type, value) });
  }

  /** @returns what is wrong with an object of this type, by the constraints that need no feature gate and no hand-written code; [] if nothing is */
  ofStruct(struct: StructModel, value: unknown): string[] {
    const whole = this.#complete({ kind: 'named', definition: struct.definition }, value);
    return this.#findings(struct, this.#constraintsOf(struct.definition, 'object').object, 'object', whole);
  }

  #findings({ definition }: StructModel, steps: Steps, scope: Scope, value: unknown): string[] {
    const known = (name: string): StructConstraints => (name === definition ? onCreation(steps) : this.#constraintsOf(name, scope));
    const interpreter = new Interpreter({
      constraints: { get: known } as ReadonlyMap<string, StructConstraints>,
      rule: () => () => [],
      predicate: () => () => true,
      scope: () => () => undefined,
      pattern: (source) => new RegExp(`^(?:${source})$`),
    });
    const found: { field: string; message: string }[] = [];
    interpreter.validator(definition, 'object')?.(value, undefined, this.#context, undefined, found as never);
    return found.map(({ field, message }) => `${field.replace(/^\./, '')}: ${message}.`);
  }

  #constraintsOf(definition: string, scope: Scope): StructConstraints {
    const key = `${scope} ${definition}`;
    const known = this.#stated.get(key);
    if (known !== undefined) return known;
    const struct = this.#model.types.get(definition);
    const stated = onCreation(struct?.kind === 'struct' ? within(scope, this.#reader.read(struct, false).object) : []);
    this.#stated.set(key, stated);
    return stated;
  }

  /** @returns the value as a server validates it: with its defaults, and with the dialect's names in place of placeholders */
  #complete(use: TypeUse, value: unknown): unknown {
    if (typeof value === 'string') return this.#identity.text(value);
    if (use.kind === 'list') return Array.isArray(value) ? value.map((item) => this.#complete(use.element, item)) : value;
    if (!isObject(value)) return value;
    if (use.kind === 'map')
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [this.#identity.text(key), this.#complete(use.value, each)]));
    const struct = structOf(this.#model, use);
    if (struct === undefined) return value;
    const complete: Record<string, unknown> = { ...value };
    for (const { field } of membersOf(this.#model, struct)) {
      const member = value[field.name] ?? field.default ?? field.unpublishedDefault;
      if (member !== undefined) complete[field.name] = this.#complete(field.type, member);
    }
    return complete;
  }
}

function onCreation(object: Steps): StructConstraints {
  return { closed: false, object, changes: [], status: [] };
}

/** @returns the steps that a scope allows, with what they hold */
function within(scope: Scope, steps: Steps): Steps {
  return steps.flatMap((step): Step[] => {
    switch (step.do) {
      case 'rule':
        return [];
      case 'check':
        return isSound(step.test) && (scope === 'object' || isOfValue(step.test)) ? [step] : [];
      case 'when':
        if (scope === 'value' || step.gate !== undefined) return [];
        return [{ ...step, steps: within(scope, step.steps), otherwise: within(scope, step.otherwise) }];
      case 'union':
        if (scope === 'value') return [];
        return [{ ...step, members: step.members.map((member) => ({ ...member, steps: within(scope, member.steps) })) }];
      case 'member':
      case 'items':
      case 'within':
      case 'first':
        return [{ ...step, steps: within(scope, step.steps) }];
      case 'entries':
        return [{ ...step, keys: within(scope, step.keys), values: within(scope, step.values) }];
      case 'form':
        return [{ ...step, text: within(scope, step.text), number: within(scope, step.number) }];
      default:
        return [step satisfies TypeStep];
    }
  });
}

/** Whether a test can be run: others report unknown formats and malformed patterns, and hand-written functions are not run here. */
function isSound(test: Test): boolean {
  if (test.name === 'holds') return false;
  if (test.name === 'format') return test.formats.every((name) => formatTableOf(name) !== undefined);
  return test.name !== 'pattern' || patternProblems(test.pattern).length === 0;
}

function isOfValue(test: Test): boolean {
  return test.name !== 'required' && !('limit' in test && typeof test.limit === 'object');
}
