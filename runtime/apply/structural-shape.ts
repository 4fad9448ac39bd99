/**
 * The shapes of structural types. The rules are those of Go types, but a value may have several forms, and undeclared values are owned by
 * their actual form.
 */
import { type CompiledStruct, compileType } from '../schema/compile.ts';
import { compareUtf8 } from '../schema/json/member.ts';
import { formsOf, type StructuralNode, structuralNode } from '../schema/structural/node.ts';
import { goShapeOf } from './go-shape.ts';
import { ANY_SCALAR, type AnyShape, ATOMIC, type ListShape, MapShape, SCALAR, SET, type Shape, StructShape, UNTYPED } from './shape.ts';

/** The shapes of one type and of all types within, each of which is made once. */
export class StructuralShapes {
  readonly #root: CompiledStruct;
  readonly #shapes: readonly WeakMap<StructuralNode, Shape>[] = [new WeakMap(), new WeakMap()];
  readonly #lists: readonly WeakMap<StructuralNode, ListShape>[] = [new WeakMap(), new WeakMap()];

  /** Callers must use `structuralShapesOf`, which returns one object for each type. */
  constructor(root: CompiledStruct) {
    this.#root = root;
  }

  get root(): StructShape {
    const node = structuralNode(this.#root.type);
    return this.#struct(node, node.preserves);
  }

  /** The type of metadata. */
  metadataOf(node: StructuralNode): CompiledStruct | undefined {
    return node.metadata && compileType(node.metadata, this.#root.identity);
  }

  /** @param preserves whether the node, or one around it, keeps unknown members */
  of(node: StructuralNode, preserves: boolean): Shape {
    const shapes = this.#shapes[preserves ? 1 : 0] as WeakMap<StructuralNode, Shape>;
    let shape = shapes.get(node);
    if (shape === undefined) {
      shape = this.#make(node, preserves);
      shapes.set(node, shape);
    }
    return shape;
  }

  /** The shape of values that are lists. It does not depend on what is around them. */
  listOf(node: StructuralNode, preserves: boolean): ListShape {
    const lists = this.#lists[preserves ? 1 : 0] as WeakMap<StructuralNode, ListShape>;
    let shape = lists.get(node);
    if (shape === undefined) {
      shape = this.#makeList(node, preserves);
      lists.set(node, shape);
    }
    return shape;
  }

  #make(node: StructuralNode, preserves: boolean): Shape {
    const { type } = node;
    switch (type.kind) {
      case 'scalar':
        return type.scalar === 'intOrString' ? ANY_SCALAR : SCALAR;
      case 'list':
        return this.listOf(node, preserves);
      case 'any':
        return type.object === undefined && type.list === undefined ? UNTYPED : this.#any(node, preserves);
      default:
        return this.#object(node, preserves);
    }
  }

  #any(node: StructuralNode, preserves: boolean): AnyShape {
    return { kind: 'any', object: this.#object(node, preserves), list: this.listOf(node, preserves) };
  }

  #object(node: StructuralNode, preserves: boolean): AnyShape['object'] {
    if (formsOf(node.type).object?.mapType === 'atomic') return ATOMIC;
    if (node.hasPlans) return this.#struct(node, preserves);
    return new MapShape(node.others === undefined ? UNTYPED : this.#below(node.others, preserves));
  }

  #struct(node: StructuralNode, preserves: boolean): StructShape {
    const others = node.others === undefined ? (preserves ? UNTYPED : undefined) : this.#below(node.others, preserves);
    return new StructShape({ members: () => this.#members(node, preserves), others, hasPlainNames: false });
  }

  #members(node: StructuralNode, preserves: boolean): { readonly name: string; readonly shape: Shape }[] {
    const metadata = this.metadataOf(node);
    const declared = [...node.members].map(([name, member]) => [name, this.#below(member, preserves)] as const);
    const ofApi =
      metadata === undefined
        ? []
        : ([
            ['apiVersion', SCALAR],
            ['kind', SCALAR],
            ['metadata', goShapeOf(metadata)],
          ] as const);
    return [...new Map<string, Shape>([...declared, ...ofApi])].map(([name, shape]) => ({ name, shape }));
  }

  #makeList(node: StructuralNode, preserves: boolean): ListShape {
    const { list } = formsOf(node.type);
    if (list?.listType === 'set') return SET;
    if (list?.listType !== 'map' || node.element === undefined) return ATOMIC;
    const { element } = node;
    const keys = [...(list.listMapKeys ?? [])].sort(compareUtf8);
    return {
      kind: 'keyed',
      keys,
      defaults: keys.map((key) => element.members.get(key)?.default),
      element: this.#below(element, preserves),
    };
  }

  #below(node: StructuralNode, preserves: boolean): Shape {
    return this.of(node, preserves || node.preserves);
  }
}
