/** Checks defaults, required members and merge markers of fields. */
import type { FieldModel, Model, StructModel, TypeUse } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { defaultProblem } from './defaults.ts';
import { membersOf, structOf } from './members.ts';
import { placeOf } from './places.ts';

type Tell = (code: Parameters<CheckContext['report']>[0], problem: string) => void;

export function checkFields({ model, report }: CheckContext): void {
  for (const groupVersion of model.groupVersions)
    for (const type of groupVersion.types) {
      if (type.kind !== 'struct') continue;
      checkRequired(type, (code, problem) => report(code, placeOf(groupVersion, type), problem));
      for (const field of type.fields) {
        const tell: Tell = (code, problem) => report(code, placeOf(groupVersion, type, field.name), problem);
        checkDefault(model, field, tell);
        checkOwnership(model, field.type, tell);
        checkPatchMarkers(model, field, tell);
        for (const name of [field.go?.after, field.go?.in])
          if (name !== undefined && !type.fields.some((each) => each.name === name)) tell('CS045', `${type.name} has no property ${name}.`);
      }
    }
}

function checkRequired(struct: StructModel, tell: Tell): void {
  const names = new Set(struct.fields.filter((field) => !field.inline).map((field) => field.name));
  for (const name of struct.required) if (!names.has(name)) tell('CS020', `${struct.name} has no property ${name}.`);
}

function checkDefault(model: Model, field: FieldModel, tell: Tell): void {
  if (field.default !== undefined && field.unpublishedDefault !== undefined)
    tell('CS019', 'There is a default and an x-cluster-default: one of them would never be used.');
  for (const value of [field.default, field.unpublishedDefault]) {
    const problem = value === undefined ? undefined : defaultProblem(model, field.type, value);
    if (problem !== undefined) tell('CS019', problem);
  }
}

/** @param isElement whether the value is an element of a list or a value of a map, which is never marked as one value */
function checkOwnership(model: Model, type: TypeUse, tell: Tell, isElement = false): void {
  const { listType, listMapKeys, mapType } = type.ownership ?? {};
  // A struct or bytes may be marked as one value, as a list may.
  const isBytes = type.kind === 'primitive' && type.scalar === 'bytes';
  const replacedWhole = !isElement && listType === 'atomic' && (isBytes || structOf(model, type) !== undefined);
  if (listType !== undefined && type.kind !== 'list' && !replacedWhole) tell('CS023', 'A list type stands on a value that is no list.');
  if (mapType !== undefined && type.kind !== 'map' && structOf(model, type) === undefined)
    tell('CS023', 'A map type stands on a value that is neither a map nor a struct.');
  if (listMapKeys !== undefined && listType !== 'map') tell('CS021', 'There are map keys, but the list type is not map.');
  if (listType === 'map' && type.kind === 'list' && !isUnknown(type.element)) checkMapKeys(model, type.element, listMapKeys, tell);
  // Elements of a set are compared as a whole, so no manager could own a part of one.
  if (listType === 'set' && type.kind === 'list' && structOf(model, type.element) !== undefined)
    tell('CS023', 'Elements of a list of type set are no structs.');
  if (type.kind === 'list') checkOwnership(model, type.element, tell, true);
  if (type.kind === 'map') checkOwnership(model, type.value, tell, true);
}

function checkMapKeys(model: Model, use: TypeUse, keys: readonly string[] | undefined, tell: Tell): void {
  const element = structOf(model, use);
  if (element === undefined) tell('CS021', 'Elements of a list of type map are structs.');
  else if (keys === undefined || keys.length === 0) tell('CS021', 'A list of type map has x-kubernetes-list-map-keys.');
  else for (const key of keys) checkMapKey(model, element, key, tell);
}

/** An element without a key could not be told from another, so a key is required, or has a default. */
function checkMapKey(model: Model, element: StructModel, key: string, tell: Tell): void {
  const member = membersOf(model, element).find(({ field }) => field.name === key);
  if (member === undefined) return tell('CS021', `${element.name} has no member ${key}.`);
  const { field } = member;
  if (field.type.kind === 'list' || field.type.kind === 'map' || structOf(model, field.type) !== undefined)
    return tell('CS021', `${element.name}.${key} is no single value.`);
  const hasDefault = field.default !== undefined || field.unpublishedDefault !== undefined;
  if (!field.required && !hasDefault && field.pointer)
    tell('CS021', `${element.name}.${key} may be absent: it is neither required nor has it a default.`);
}

function checkPatchMarkers(model: Model, field: FieldModel, tell: Tell): void {
  const { type, patchMergeKey, patchStrategies } = field;
  if (patchStrategies !== undefined && isSingle(model, type)) tell('CS023', 'A patch strategy stands on a field of a single value.');
  if (patchMergeKey === undefined || (type.kind === 'list' && isUnknown(type.element))) return;
  const element = type.kind === 'list' ? structOf(model, type.element) : undefined;
  if (element === undefined) tell('CS023', 'A merge key stands on a field that is no list of structs.');
  else if (!membersOf(model, element).some(({ field: { name } }) => name === patchMergeKey))
    tell('CS022', `${element.name} has no member ${patchMergeKey}.`);
}

function isSingle(model: Model, use: TypeUse): boolean {
  return use.kind === 'primitive' || (use.kind === 'named' && model.types.get(use.definition)?.kind === 'scalar');
}

/** Whether the type stands for a broken reference, which has been reported already. */
function isUnknown(use: TypeUse): boolean {
  return use.kind === 'primitive' && use.scalar === 'json';
}
