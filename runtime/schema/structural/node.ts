/**
 * Prepares structural types for decoding. A node does not check the form of a value: it says what happens to the members of an object and
 * to the elements of a list, and a value may be either. A node is made when it is first reached, because objects use few parts of large
 * definitions.
 */
import type { Field, ListType, MapType, StructType, Type } from '../../contract/descriptor.ts';
import { compareUtf8, type JsonObject } from '../json/member.ts';
import { MadeOfNames } from '../made-of-names.ts';

/** The members that all objects of the API have. */
export type TypeMember = 'apiVersion' | 'kind' | 'metadata';

/** One member of an object that is decoded. */
export interface StructuralStep {
  readonly name: string;
  /** undefined: the member is undeclared, and stays as it is */
  readonly node: StructuralNode | undefined;
  readonly isGiven: boolean;
  /** whether it is apiVersion, kind or metadata of an object of the API */
  readonly isOfApi: boolean;
}

/** How objects that have the same members in the same order are decoded. */
export interface StructuralPlan {
  /** the members that the decoded object can have, sorted by name */
  readonly steps: readonly StructuralStep[];
  /** number of undeclared members, which are dropped */
  readonly dropped: number;
  /** whether the input has exactly the members of `steps` in their order */
  readonly isInOrder: boolean;
}

interface Plans {
  readonly known: MadeOfNames<StructuralPlan>;
  readonly make: (names: readonly string[]) => StructuralPlan;
}

export class StructuralNode {
  readonly type: Type;
  readonly nullable: boolean;
  readonly preserves: boolean;
  /** undefined: there is none */
  readonly default: unknown;
  /** Go's struct of the metadata of objects here; undefined if they are no objects of the API */
  readonly metadata: StructType | undefined;
  /** node of undeclared members; undefined: they are unknown */
  readonly others: StructuralNode | undefined;
  /** node of elements; undefined: the type says nothing of them */
  readonly element: StructuralNode | undefined;
  readonly #fields: () => readonly Field[];
  readonly #plans: (Plans | undefined)[] = [];
  #members: ReadonlyMap<string, StructuralNode> | undefined;
  #defaultSize: number | undefined;

  /** Callers must use `structuralNode`, which returns one node for each type. */
  constructor(type: Type) {
    this.type = type;
    this.nullable = type.nullable === true;
    this.preserves = type.preservesUnknown === true;
    this.default = type.default ?? undefined;
    const { object, list } = formsOf(type);
    const others = object?.kind === 'map' ? object.value : object?.others;
    this.metadata = object?.kind === 'struct' ? object.metadata : undefined;
    this.others = others && structuralNode(others);
    this.element = list && structuralNode(list.element);
    this.#fields = () => (object?.kind === 'struct' ? object.fields : []);
  }

  /** declared members, sorted by name */
  get members(): ReadonlyMap<string, StructuralNode> {
    this.#members ??= new Map(
      this.#fields()
        .toSorted((a, b) => compareUtf8(a.name, b.name))
        .map(({ name, type }) => [name, structuralNode(type)]),
    );
    return this.#members;
  }

  /** JSON characters of the default; 0 if there is none */
  get defaultSize(): number {
    this.#defaultSize ??= this.default === undefined ? 0 : JSON.stringify(this.default).length;
    return this.#defaultSize;
  }

  /** Whether objects are decoded by plans, because some of their members are declared. */
  get hasPlans(): boolean {
    return this.members.size > 0 || this.metadata !== undefined;
  }

  /** @param keeps whether unknown members stay @param defaults whether defaults are set */
  planOf(object: JsonObject, keeps: boolean, defaults: boolean): StructuralPlan {
    const index = (keeps ? 1 : 0) + (defaults ? 2 : 0);
    let plans = this.#plans[index];
    if (plans === undefined) {
      plans = { known: new MadeOfNames(), make: (names) => this.#plan(names, keeps, defaults) };
      this.#plans[index] = plans;
    }
    return plans.known.of(object, plans.make);
  }

  #plan(names: readonly string[], keeps: boolean, defaults: boolean): StructuralPlan {
    const { members, others, metadata } = this;
    const given = new Set(names);
    const absent = [...members].filter(([name, { default: value }]) => defaults && value !== undefined && !given.has(name));
    const all = [...given, ...absent.map(([name]) => name)].sort(compareUtf8);
    const steps = all.flatMap((name): StructuralStep[] => {
      const node = members.get(name) ?? others;
      const isOfApi = metadata !== undefined && API_MEMBERS.has(name);
      return node === undefined && !isOfApi && !keeps ? [] : [{ name, node, isGiven: given.has(name), isOfApi }];
    });
    const isInOrder = steps.length === names.length && steps.every(({ name }, index) => name === names[index]);
    return { steps, dropped: all.length - steps.length, isInOrder };
  }
}

export const API_MEMBERS: ReadonlySet<string> = new Set<TypeMember>(['apiVersion', 'kind', 'metadata']);

/** What a type says of objects and of lists. */
export function formsOf(type: Type): { readonly object?: StructType | MapType; readonly list?: ListType } {
  switch (type.kind) {
    case 'any':
      return type;
    case 'list':
      return { list: type };
    case 'scalar':
      return {};
    default:
      return { object: type };
  }
}

const nodes = new WeakMap<Type, StructuralNode>();

/** The node of a type. Repeated calls return the same object. */
export function structuralNode(type: Type): StructuralNode {
  let node = nodes.get(type);
  if (node === undefined) {
    node = new StructuralNode(type);
    nodes.set(type, node);
  }
  return node;
}
