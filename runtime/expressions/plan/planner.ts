/**
 * Compiles a checked expression into functions, once for all evaluations. Each charges what 1.32 charges for its node, because the language
 * definition has no costs; `test/expressions` checks the sums against upstream's tables.
 */
import type { CheckedExpression } from '../check/checked-expression.ts';
import type { CallNode, ComprehensionNode, IdentifierNode, ListNode, MapNode, Node, SelectNode, StructNode } from '../syntax/node.ts';
import {
  type Attribute,
  ComputedQualifier,
  ConditionalAttribute,
  ConstantQualifier,
  PresenceAttribute,
  PresenceQualifier,
  RelativeAttribute,
  VariableAttribute,
  wrongQualifier,
} from './attribute.ts';
import { planCall } from './calls.ts';
import { planComprehension } from './comprehensions.ts';
import { planList, planMap, planStruct } from './constructors.ts';
import type { Step } from './frame.ts';
import { planAnd, planOr } from './logic.ts';
import { planOptionalOr, planOptionalOrValue } from './optionals.ts';
import { constantPlan, failingPlan, InstantiationError, type Plan, type Planning } from './plan.ts';

/** A variable of a comprehension. */
interface Local {
  readonly name: string;
  readonly slot: number;
}

export class Planner implements Planning {
  readonly checked: CheckedExpression;
  readonly folds: boolean;
  /** variables of the environment, in the order of their slots */
  readonly variables: string[] = [];
  readonly #locals: Local[] = [];
  readonly #steps = new Map<Node, { readonly step: Step; readonly scope: Local | undefined }>();
  #localSlots = 0;

  constructor(checked: CheckedExpression, folds: boolean) {
    this.checked = checked;
    this.folds = folds;
    collectVariables(checked, this.variables);
  }

  /** number of slots of variables and comprehensions */
  get slots(): number {
    return this.variables.length + this.#localSlots;
  }

  /** Plans nodes that see a variable of a comprehension. @param plan gets the variable's slot */
  within<T>(name: string, plan: (slot: number) => T): T {
    const slot = this.variables.length + this.#localSlots++;
    this.#locals.push({ name, slot });
    const planned = plan(slot);
    this.#locals.pop();
    return planned;
  }

  plan(node: Node): Plan {
    switch (node.kind) {
      case 'literal':
        return constantPlan(node.value);
      case 'identifier':
        return this.#name(node);
      case 'select':
        return this.checked.nameOf(node) === undefined ? this.#select(node) : this.#name(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return planList(this, node as ListNode);
      case 'map':
        return planMap(this, node as MapNode);
      case 'struct':
        return planStruct(this, node as StructNode);
      case 'comprehension':
        return { step: planComprehension(this, node as ComprehensionNode) };
    }
  }

  /** A macro may have put the same node in two places of a scope, and such macros within each other would be planned twice as often with each of them. */
  step(node: Node): Step {
    const scope = this.#locals.at(-1);
    const known = this.#steps.get(node);
    if (known !== undefined && known.scope === scope) return known.step;
    const { step } = this.plan(node);
    this.#steps.set(node, { step, scope });
    return step;
  }

  #name(node: IdentifierNode | SelectNode): Plan {
    const reference = this.checked.nameOf(node);
    if (reference === undefined) return failingPlan(`undeclared reference to '${(node as IdentifierNode).name}'`);
    const { name, value } = reference;
    if (value !== undefined) return constantPlan(value);
    // 1.32 takes whatever has a type as its value for the name of a type
    if (this.checked.typeOf(node).kind === 'type') throw new InstantiationError(`reference to undefined type: ${name}`);
    const local = this.#locals.findLast((each) => each.name === name);
    return attributePlan(new VariableAttribute(local?.slot ?? this.variables.indexOf(name)));
  }

  #select({ operand, field, testOnly }: SelectNode): Plan {
    const attribute = this.#attributeOf(operand);
    if (!testOnly) {
      attribute.add(new ConstantQualifier(field, false));
      return attributePlan(attribute);
    }
    const presence = new PresenceAttribute(attribute);
    presence.add(new PresenceQualifier(field));
    return attributePlan(presence);
  }

  /** The attribute to which selections are added: a variable with its selections, or a computed value. */
  #attributeOf(node: Node): Attribute {
    const plan = this.plan(node);
    return plan.attribute ?? new RelativeAttribute(plan.step);
  }

  #call(node: CallNode): Plan {
    const [first, second, third] = node.args as [Node, Node, Node];
    switch (node.function) {
      case '_&&_':
        return { step: planAnd(this.step(first), this.step(second)) };
      case '_||_':
        return { step: planOr(this.step(first), this.step(second)) };
      case '_?_:_':
        return attributePlan(this.#conditional(first, second, third));
      case '_[_]':
        return attributePlan(this.#index(first, second, false));
      case '_[?_]':
      case '_?._':
        return attributePlan(this.#index(first, second, true));
      case 'or':
      case 'orValue':
        return this.#optionalCall(node);
      default:
        return planCall(this, node);
    }
  }

  /** Plans `or` and `orValue`, whose alternative is evaluated only if there is no value. */
  #optionalCall(node: CallNode): Plan {
    const [overload] = this.checked.callOf(node)?.overloads ?? [];
    const [target, alternative] = [node.target, node.args[0]];
    if (target === undefined || alternative === undefined) return planCall(this, node);
    if (overload?.id === 'optional_or_optional') return { step: planOptionalOr(this.step(target), this.step(alternative)) };
    if (overload?.id === 'optional_orValue_value') return { step: planOptionalOrValue(this.step(target), this.step(alternative)) };
    return planCall(this, node);
  }

  #conditional(condition: Node, then: Node, otherwise: Node): Attribute {
    return new ConditionalAttribute(this.step(condition), this.#attributeOf(then), this.#attributeOf(otherwise));
  }

  #index(operand: Node, index: Node, optional: boolean): Attribute {
    const attribute = this.#attributeOf(operand);
    const plan = this.plan(index);
    const wrong = plan.constant === undefined ? undefined : wrongQualifier(plan.constant);
    if (wrong !== undefined) throw new InstantiationError(wrong.message);
    attribute.add(
      plan.constant === undefined
        ? new ComputedQualifier(plan.attribute ?? new RelativeAttribute(plan.step), optional)
        : new ConstantQualifier(plan.constant, optional),
    );
    return attribute;
  }
}

function attributePlan(attribute: Attribute): Plan {
  const { units } = attribute;
  if (units === 0) return { attribute, step: (frame) => attribute.resolve(frame) };
  return {
    attribute,
    step: (frame) => {
      const value = attribute.resolve(frame);
      frame.charge(units);
      return value;
    },
  };
}

/** Collects the names of the environment's variables that an expression reads. */
function collectVariables(checked: CheckedExpression, variables: string[]): void {
  for (const { name, value } of checked.environmentNames()) if (value === undefined && !variables.includes(name)) variables.push(name);
}
