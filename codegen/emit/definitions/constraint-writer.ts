/**
 * Writes the constraints of a kind into the schema of its CustomResourceDefinition: as keywords where a keyword says the same,
 * as expressions under `x-kubernetes-validations` otherwise. What neither can say is told to whoever exports the definition.
 */
import type {
  CheckStep,
  Limit,
  MemberStep,
  RuleStep,
  Shape,
  Step,
  Steps,
  UnionStep,
  WhenStep,
} from '../../../runtime/contract/constraint.ts';
import { detailOf, reasonOf } from '../../../runtime/validation/messages.ts';
import type { Constraints } from '../../model/constraints/constraints.ts';
import { access, conditionExpression, literal, present, testExpression } from './cel-text.ts';
import { passes, setKeywords } from './constraint-keywords.ts';
import { addRule, below, nodeAt, requireMember, type SchemaNode, type SchemaRule, type TellLoss } from './schema-node.ts';

/** The value that the steps at hand constrain, and where it stands in the schema. */
interface Place {
  readonly node: SchemaNode;
  /** the schema of the struct that conditions and neighbours are looked up in; absent within the elements of a list, from which no rule reaches it */
  readonly holder?: SchemaNode;
  /** the members that lead from the holder to the value; empty if the value is the holder itself */
  readonly way: readonly string[];
  /** where the value stands, as it is shown to people */
  readonly path: string;
  readonly shape?: Shape;
  /** whether the value is an element of a set or a map list, whose elements differ by the type of the list */
  readonly isToldApart?: boolean;
}

export interface ConstraintWriterParts {
  readonly constraints: Constraints;
  readonly text: (template: string) => string;
  readonly tell: TellLoss;
  /** whether a feature gate is on by default */
  readonly isOn: (gate: string) => boolean;
}

const REASONS: Readonly<Record<string, SchemaRule['reason']>> = {
  required: 'FieldValueRequired',
  forbidden: 'FieldValueForbidden',
  duplicate: 'FieldValueDuplicate',
};

export class ConstraintWriter {
  readonly #parts: ConstraintWriterParts;

  constructor(parts: ConstraintWriterParts) {
    this.#parts = parts;
  }

  /**
   * Writes the constraints of a struct.
   * @param definition the name of the struct
   * @param node the schema of the struct, which gains the keywords and rules
   * @param path where the struct stands in the kind, as it is shown to people
   * @param passes which constraints are written: those of an object, of a change, of a status
   */
  write(
    definition: string,
    node: SchemaNode,
    path = '',
    passes: readonly ('object' | 'changes' | 'status')[] = ['object', 'changes'],
  ): void {
    const constraints = this.#parts.constraints.get(definition);
    for (const pass of passes) this.#steps(constraints?.[pass] ?? [], { node, holder: node, way: [], path });
  }

  #steps(steps: Steps, at: Place): void {
    for (const step of steps) this.#step(step, at);
  }

  #step(step: Step, at: Place): void {
    switch (step.do) {
      case 'check':
        return this.#check(step, at);
      case 'rule':
        return this.#handWritten(step, at);
      case 'type':
        return this.write(step.definition, at.node, at.path, [step.changes ? 'changes' : 'object']);
      case 'member':
        return this.#member(step, at);
      case 'items':
        return this.#inner(step.steps, at.node.items, {
          path: `${at.path}[]`,
          shape: step.shape,
          isToldApart: 'x-kubernetes-list-type' in at.node,
        });
      case 'entries':
        this.#keys(step.keys, at);
        return this.#inner(step.values, at.node.additionalProperties, { path: below(at.path, '*'), shape: step.shape });
      case 'within':
        return this.#steps(step.steps, { ...at, holder: at.node, way: [] });
      case 'when':
        return this.#when(step, at);
      case 'first':
        return this.#steps(step.steps, at);
      case 'union':
        return this.#union(step, at);
      default:
        return this.#parts.tell(at.path, 'is constrained as a text or as a number');
    }
  }

  #handWritten({ rule }: RuleStep, { path }: Place): void {
    this.#parts.tell(path, `runtime/kinds/${rule.replace('#', '.ts ')} says more of it`);
  }

  #member(step: MemberStep, at: Place): void {
    const node = nodeAt(at.node, step.path);
    // A member behind a feature gate that is off is not part of the schema.
    if (node === undefined) return;
    this.#steps(step.steps, { node, holder: at.node, way: step.path, path: below(at.path, step.path.join('.')), shape: step.shape });
  }

  /** Steps down to the elements of a list or the values of a map. Their rules do not see the struct around the list, so they have no holder. */
  #inner(steps: Steps, node: SchemaNode | undefined, of: Pick<Place, 'path' | 'shape' | 'isToldApart'>): void {
    if (node !== undefined) this.#steps(steps, { node, way: [], ...of });
  }

  #keys(steps: Steps, at: Place): void {
    for (const step of steps) {
      const test = step.do === 'check' ? testExpression(step.test, 'key', { type: 'string' }, numberOf) : undefined;
      if (step.do !== 'check' || test === undefined) this.#parts.tell(at.path, `has keys that are constrained (${nameOf(step)})`);
      else addRule(at.node, this.#rule(`self.all(key, ${test})`, step));
    }
  }

  #check(step: CheckStep, at: Place): void {
    const { test } = step;
    if (step.absent !== undefined) return this.#told(this.#absent(step, step.absent.value, at), step, at);
    if (test.name === 'required') return this.#required(step, at);
    if (setKeywords(test, at.node, this.#parts.text) || (test.name === 'unique' && at.isToldApart === true)) return;
    this.#told(COMPARING.has(test.name) ? this.#comparing(step, at) : this.#tested(step, at), step, at);
  }

  #told(isSaid: boolean, step: Step, { path }: Place): void {
    if (!isSaid) this.#parts.tell(path, `is constrained by what a definition does not say (${nameOf(step)})`);
  }

  /** Requires that the value is present, and that it is not zero where the server takes zero for absent. */
  #required(step: CheckStep, at: Place): void {
    const [name] = at.way;
    if (at.holder !== undefined && at.way.length === 1 && name !== undefined) requireMember(at.holder, name);
    const { kind, pointer } = at.shape ?? { kind: 'any', pointer: true };
    if (pointer || kind === 'struct' || kind === 'any') return;
    if (kind === 'boolean') return this.#told(false, step, at);
    const isSet = kind === 'text' ? "self != ''" : kind === 'number' ? 'self != 0' : 'size(self) > 0';
    addRule(at.node, this.#rule(isSet, step));
  }

  #tested(step: CheckStep, at: Place): boolean {
    const { test } = step;
    if (test.name === 'forbidden') {
      const there = at.holder === undefined || access(at.way) === undefined ? '' : present(at.way);
      if (there === '' || at.holder === undefined) return false;
      addRule(at.holder, this.#rule(`!(${there})`, step, at.way));
      return true;
    }
    const own = testExpression(test, 'self', at.node, numberOf);
    if (own !== undefined) addRule(at.node, this.#rule(own, step));
    if (own !== undefined || at.holder === undefined || at.way.length === 0) return own !== undefined;
    const beside = this.#besideNeighbour(step, at.holder, at);
    if (beside !== undefined) addRule(at.holder, this.#rule(beside, step, at.way));
    return beside !== undefined;
  }

  /** @returns the test as a rule of the holder, for limits that are other members of it; undefined if the test cannot be put so */
  #besideNeighbour(step: CheckStep, holder: SchemaNode, { way, node }: Place): string | undefined {
    const value = access(way);
    const needed: string[] = [present(way)];
    const limitOf = (limit: Limit): string | undefined => {
      if (typeof limit === 'number') return String(limit);
      const neighbour = access(limit.path);
      if (neighbour === undefined || nodeAt(holder, limit.path) === undefined) return undefined;
      if (limit.zero) return `(${present(limit.path)} ? ${neighbour} : 0)`;
      needed.push(present(limit.path));
      return neighbour;
    };
    const test = value === undefined ? undefined : testExpression(step.test, value, node, limitOf);
    return test === undefined ? undefined : `!(${needed.join(' && ')}) || ${parenthesized(test)}`;
  }

  /** Writes a test that compares a value with what it was before an update. */
  #comparing(step: CheckStep, { node, holder, way }: Place): boolean {
    const value = access(way);
    const old = access(way, 'oldSelf');
    if (way.length === 0 || holder === undefined || value === undefined || old === undefined) {
      if (step.test.name !== 'immutable' || way.length > 0) return false;
      addRule(node, this.#rule('self == oldSelf', step));
      return true;
    }
    const [is, was] = [present(way), present(way, 'oldSelf')];
    const rules: Readonly<Record<string, string>> = {
      immutable: `${both(is)} == ${both(was)} && (!(${is}) || ${value} == ${old})`,
      noSet: `${both(was)} || !(${is})`,
      noUnset: `!(${was}) || ${both(is)}`,
      noModify: `!(${was}) || !(${is}) || ${value} == ${old}`,
      noDecrease: `!(${was}) || !(${is}) || ${value} >= ${old}`,
    };
    addRule(holder, this.#rule(rules[step.test.name] as string, step, way));
    return true;
  }

  /**
   * Writes a test that holds for absent values too, which count as a certain value.
   * @param counts what an absent value counts as
   */
  #absent(step: CheckStep, counts: unknown, at: Place): boolean {
    const { node, holder, way } = at;
    const { absent: _, ...ofPresent } = step;
    const isAllowed = passes(step.test, counts, node) ?? (node.default === counts ? true : undefined);
    if (isAllowed === true) {
      this.#check(ofPresent, at);
      return true;
    }
    if (isAllowed === false && holder !== undefined && way.length > 0 && access(way) !== undefined) {
      if (node.default === counts) delete node.default;
      this.#check(ofPresent, at);
      addRule(holder, this.#rule(present(way), step, way));
      return true;
    }
    const value = access(way);
    const isPlain = typeof counts === 'string' || typeof counts === 'number' || typeof counts === 'boolean';
    if (holder === undefined || way.length === 0 || value === undefined || !isPlain) return false;
    const test = testExpression(step.test, `(${present(way)} ? ${value} : ${literal(counts)})`, node, numberOf);
    if (test !== undefined) addRule(holder, this.#rule(test, step, way));
    return test !== undefined;
  }

  #when(step: WhenStep, at: Place): void {
    if (step.gate !== undefined) {
      const isOn = step.gate.startsWith('!') ? !this.#parts.isOn(step.gate.slice(1)) : this.#parts.isOn(step.gate);
      this.#parts.tell(at.path, `is constrained otherwise where the feature gate ${step.gate.replace('!', '')} is set`);
      const { gate: _, ...rest } = step;
      if (!isOn) return this.#steps(step.otherwise, at);
      return this.#step(rest.when === undefined && rest.creating === undefined ? { ...rest, otherwise: [] } : rest, at);
    }
    if (step.when === undefined && step.otherwise.length === 0) {
      // Keywords hold on every write, so a constraint of creation alone becomes one of updates too, and this is told.
      if (step.creating === true) this.#parts.tell(at.path, 'is constrained on updates too, not when it is created alone');
      return this.#steps(step.steps, at);
    }
    const condition = step.when === undefined ? 'true' : at.holder && conditionExpression(step.when, at.holder);
    const isSaid =
      condition !== undefined &&
      at.holder !== undefined &&
      this.#under(condition, step.creating === true, step.steps, at) &&
      (step.creating !== true || step.otherwise.length === 0) &&
      this.#under(`!(${condition})`, false, step.otherwise, at);
    if (!isSaid) this.#parts.tell(at.path, 'is constrained under a condition that a definition does not say');
  }

  /** @returns whether rules of the holder say all of the steps */
  #under(condition: string, creating: boolean, steps: Steps, at: Place): boolean {
    return steps.map((step) => this.#conditional(condition, creating, step, at)).every(Boolean);
  }

  #conditional(condition: string, creating: boolean, step: Step, at: Place): boolean {
    const { holder, way } = at;
    if (holder === undefined) return false;
    if (step.do === 'member') {
      const node = nodeAt(at.node, step.path);
      if (node === undefined) return true;
      return this.#under(condition, creating, step.steps, { ...at, node, way: [...way, ...step.path], shape: step.shape });
    }
    // The constraints of the value's own type hold whether or not the condition does, and are written where the type is.
    if (step.do === 'type') return at.node.properties === undefined || this.#parts.constraints.get(step.definition) === undefined;
    if (step.do === 'first') return this.#under(condition, creating, step.steps, at);
    if (step.do === 'rule') {
      this.#handWritten(step, at);
      return true;
    }
    if (step.do !== 'check') return false;
    const test = this.#expression(step, at);
    if (test === undefined) return false;
    const rule = condition === 'true' ? test : `!(${condition}) || ${parenthesized(test)}`;
    const made = this.#rule(creating ? `oldSelf.hasValue() || ${parenthesized(rule)}` : rule, step, way);
    addRule(holder, creating ? { ...made, optionalOldSelf: true } : made);
    return true;
  }

  /** @returns an expression of the holder that is true if the value passes the test; undefined if there is none */
  #expression(step: CheckStep, { holder, node, way, shape }: Place): string | undefined {
    const value = access(way);
    if (value === undefined || way.length === 0 || holder === undefined) return undefined;
    const there = present(way);
    if (step.test.name === 'forbidden') return `!(${there})`;
    if (step.test.name === 'required') {
      const { kind, pointer } = shape ?? { kind: 'any', pointer: true };
      if (pointer || kind === 'struct' || kind === 'any') return there;
      if (kind === 'boolean') return `${there} && ${value}`;
      return `${there} && ${kind === 'text' ? `${value} != ''` : kind === 'number' ? `${value} != 0` : `size(${value}) > 0`}`;
    }
    return step.absent === undefined ? this.#besideNeighbour(step, holder, { node, way, path: '' }) : undefined;
  }

  #union({ members, none, several }: UnionStep, at: Place): void {
    const known = members.filter(({ path }) => nodeAt(at.node, path) !== undefined && access(path) !== undefined);
    const there = known.map(({ path }) => present(path));
    const [first] = there;
    if (none !== undefined && first !== undefined) addRule(at.node, this.#finding(there.map(both).join(' || '), none.detail, none.as));
    if (several !== undefined)
      for (const [index, { path }] of known.entries()) {
        const others = there.slice(0, index);
        if (others.length === 0 || several.beside?.includes(path.join('.')) === true) continue;
        const rule = `!(${there[index]}) || !(${others.map(both).join(' || ')})`;
        const where = several.at === 'member' ? path : undefined;
        addRule(at.node, this.#finding(rule, several.detail, several.as, where));
      }
    for (const member of known) this.#member(member, at);
  }

  #rule(rule: string, step: CheckStep, way?: readonly string[]): SchemaRule {
    const { test } = step;
    const detail = test.name === 'format' ? `must have the format ${test.formats.join(', ')}` : detailOf(test);
    return this.#finding(rule, step.detail ?? detail, step.as ?? reasonOf(test), way);
  }

  #finding(rule: string, detail: string, reason: string, way: readonly string[] = []): SchemaRule {
    const message = this.#parts.text(detail).replaceAll(/\s+/g, ' ').trim();
    const as = REASONS[reason];
    return {
      rule,
      ...(message !== '' && { message }),
      ...(as !== undefined && { reason: as }),
      ...(way.length > 0 && { fieldPath: way.map((name) => `.${name}`).join('') }),
    };
  }
}

const COMPARING = new Set(['immutable', 'noSet', 'noUnset', 'noModify', 'noDecrease']);

const both = (text: string): string => (text.includes(' && ') ? `(${text})` : text);
const parenthesized = (text: string): string => `(${text})`;
const numberOf = (limit: Limit): string | undefined => (typeof limit === 'number' ? String(limit) : undefined);

/** @returns the name of a step as schemas write it, for messages */
function nameOf(step: Step): string {
  if (step.do !== 'check') return step.do;
  const { test } = step;
  if (test.name === 'format') return test.formats.join(', ');
  return test.name === 'holds' ? `runtime/kinds/${test.rule.replace('#', '.ts ')}` : test.name;
}
