/** A small type with every way of owning, and objects of it that managers write as the server does. */
import { conflictCauses } from '../../runtime/apply/conflict-text.ts';
import type { FieldSet } from '../../runtime/apply/field-set.ts';
import { type Managers, managedFieldsOf, managerKey } from '../../runtime/apply/managers.ts';
import { shapeOf } from '../../runtime/apply/object-shape.ts';
import { ApplyConflicts, applyIntent, updateManagers } from '../../runtime/apply/ownership.ts';
import type { OwnedVersion, Versions } from '../../runtime/apply/versions.ts';
import * as d from '../../runtime/contract/descriptor.ts';
import { type CompiledStruct, compileType, decode } from '../../runtime/schema/codec/codec.ts';
import { identity } from '../schema/types.ts';

const Meta = d.struct('owned.v1.ObjectMeta', () => [
  { name: 'name', type: d.string },
  { name: 'labels', type: d.map(d.string) },
  { name: 'finalizers', type: d.set(d.string) },
]);

const Part = d.struct('owned.v1.Part', () => [
  { name: 'color', type: d.string },
  { name: 'size', type: d.int32, go: { pointer: true } },
]);

const Label = d.struct('owned.v1.Label', () => [{ name: 'name', type: d.string }], { mapType: 'atomic' });

const Port = d.struct('owned.v1.Port', () => [
  { name: 'port', type: d.int32, go: { always: true } },
  { name: 'protocol', type: d.string, default: 'TCP' },
  { name: 'name', type: d.string },
]);

const Item = d.struct('owned.v1.Item', () => [
  { name: 'name', type: d.string, go: { always: true } },
  { name: 'value', type: d.string },
  { name: 'ports', type: d.keyedList(Port, ['port', 'protocol']) },
]);

const Spec = d.struct('owned.v1.Spec', () => [
  { name: 'count', type: d.int32, default: 1, go: { pointer: true } },
  { name: 'text', type: d.string },
  { name: 'part', type: Part, go: { pointer: true } },
  { name: 'whole', type: d.atomic(Part), go: { pointer: true } },
  { name: 'map', type: d.map(d.string) },
  { name: 'wholeMap', type: d.atomicMap(d.string) },
  { name: 'parts', type: d.map(Part) },
  { name: 'sets', type: d.map(d.set(d.string)) },
  { name: 'groups', type: d.map(d.keyedList(Item, ['name'])) },
  { name: 'wider', type: d.granular(Label), go: { pointer: true } },
  { name: 'list', type: d.list(d.string) },
  { name: 'set', type: d.set(d.string) },
  { name: 'numbers', type: d.set(d.int64) },
  { name: 'items', type: d.keyedList(Item, ['name']) },
  { name: 'labels', type: d.keyedList(Label, ['name']) },
  { name: 'raw', type: d.fieldsV1, go: { pointer: true } },
  { name: 'extension', type: d.rawExtension, go: { pointer: true } },
]);

export const Widget = compileType(
  d.struct('owned.v1.Widget', () => [
    { name: 'kind', type: d.string },
    { name: 'apiVersion', type: d.string },
    { name: 'metadata', type: Meta },
    { name: 'spec', type: Spec },
    { name: 'status', type: Part },
  ]),
  identity,
);

export const shape = shapeOf(Widget);
export const zero = decode(Widget, {}, { defaults: false }).object;

/** An object with its owners, written to as the server writes; writes are numbered seconds. */
export class Owned {
  object: object | undefined;
  managers: Managers = new Map();
  #seconds = 0;
  readonly #version: OwnedVersion;
  readonly #zero: object;
  readonly #versions: Versions = {
    find: (apiVersion) => (apiVersion === 'v1' ? this.#version : undefined),
    convert: (object) => object,
  };

  constructor(type: CompiledStruct = Widget) {
    this.#version = { apiVersion: 'v1', type, shape: shapeOf(type), resets: { 'f:status': {} } };
    this.#zero = decode(type, {}, { defaults: false }).object;
  }

  /** @returns the fields in conflict, as `manager: path`; nothing was applied then */
  apply(name: string, intent: object, force = false): string[] {
    const writer = { name, subresource: '', version: this.#version };
    try {
      const applied = applyIntent(this.#versions, this.object ?? this.#zero, intent, this.managers, writer, { force, now: this.#now() });
      this.object = decode(this.#version.type, applied.object, { defaults: true }).object;
      this.managers = applied.managers;
      return [];
    } catch (error) {
      if (!(error instanceof ApplyConflicts)) throw error;
      const causes = conflictCauses(error.conflicts);
      return error.conflicts.map(({ manager }, index) => `${manager.name}: ${causes[index]?.field}`);
    }
  }

  update(name: string, object: object): void {
    const decoded = decode(this.#version.type, object, { defaults: true }).object;
    const writer = { name, subresource: '', version: this.#version };
    this.managers = updateManagers(this.#versions, this.object ?? this.#zero, decoded, this.managers, writer, this.#now());
    this.object = decoded;
  }

  fields(name: string, operation: 'Apply' | 'Update' = 'Apply'): FieldSet | undefined {
    return this.managers.get(managerKey({ name, operation, apiVersion: 'v1', subresource: '' }))?.fields;
  }

  get managedFields(): object[] {
    return managedFieldsOf(this.managers) ?? [];
  }

  #now(): string {
    return new Date(Date.UTC(2030, 0, 1) + 1000 * this.#seconds++).toISOString().replace('.000', '');
  }
}
