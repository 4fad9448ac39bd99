/** Checks the feature gates of fields, and what schemas say of how these drop a field. */
import type { FieldModel, Model, StructModel, TypeUse } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { defaultProblem } from './defaults.ts';
import { membersOf, structOf, typeAtPath } from './members.ts';
import { placeOf } from './places.ts';

type Tell = (code: Parameters<CheckContext['report']>[0], problem: string) => void;

export function checkGatedFields({ model, report }: CheckContext): void {
  const gates = new Set(model.featureGates.map((gate) => gate.name));
  for (const groupVersion of model.groupVersions)
    for (const type of groupVersion.types) {
      if (type.kind !== 'struct') continue;
      for (const field of type.fields) {
        const tell: Tell = (code, problem) => report(code, placeOf(groupVersion, type, field.name), problem);
        for (const gate of [field.featureGate, field.gating?.or])
          if (gate !== undefined && !gates.has(gate)) tell('CS053', `There is no feature gate ${gate}.`);
        checkWhileGated(model, field, tell);
        checkGating(model, type, field, tell);
      }
    }
}

function checkWhileGated(model: Model, { type, featureGate, whileGated }: FieldModel, tell: Tell): void {
  if (whileGated === undefined) return;
  if (featureGate === undefined) tell('CS053', 'x-cluster-while-gated has no meaning without x-cluster-feature-gate.');
  const problem = defaultProblem(model, type, whileGated);
  if (problem !== undefined) tell('CS019', problem);
}

function checkGating(model: Model, struct: StructModel, { featureGate, gating }: FieldModel, tell: Tell): void {
  if (gating === undefined) return;
  if (featureGate === undefined) tell('CS053', 'x-cluster-gated has no meaning without x-cluster-feature-gate.');
  const { within, with: other, element } = gating;
  const all = structsOf(model).flatMap(({ fields }) => fields);
  if (within !== undefined && !all.some(({ name }) => name === within)) tell('CS045', `No struct has a member ${within}.`);
  if (other !== undefined && !all.some((field) => field.name === other && field.featureGate === featureGate))
    tell('CS045', `No member ${other} is behind the feature gate ${featureGate}.`);
  if (element !== undefined) checkElement(model, struct, element.namedIn, tell);
}

/** @param struct has the field with which an element of a list goes. @param namedIn lists whose elements of the same name go too */
function checkElement(model: Model, struct: StructModel, namedIn: readonly string[], tell: Tell): void {
  for (const { owner, field } of holdersOf(model, struct)) {
    const where = `${owner.name}.${field.name}`;
    if (field.type.kind !== 'list') tell('CS023', `${where} is no list whose element could go.`);
    if (!hasName(model, partOf(field.type))) tell('CS045', `${where} has no member name, by which elements of other lists are found.`);
    for (const path of namedIn) {
      const list = typeAtPath(model, owner, path.replaceAll('.*', '[*]'));
      if (list === undefined || list === 'anything' || list.kind !== 'list' || !hasName(model, list.element))
        tell('CS045', `${owner.name} has at ${path} no list of elements with names.`);
    }
  }
}

function hasName(model: Model, use: TypeUse): boolean {
  const struct = structOf(model, use);
  return struct !== undefined && membersOf(model, struct).some(({ field }) => field.name === 'name');
}

const structsOf = (model: Model): StructModel[] => [...model.types.values()].filter((type) => type.kind === 'struct');

interface Holder {
  readonly owner: StructModel;
  readonly field: FieldModel;
}

/** The fields of structs whose values, elements or values of maps are of the struct, or of one that it is inline in. */
function holdersOf(model: Model, struct: StructModel): Holder[] {
  return structsOf(model).flatMap((owner) =>
    owner.fields.flatMap((field): Holder[] => {
      if (structOf(model, partOf(field.type)) !== struct) return [];
      return field.inline ? holdersOf(model, owner) : [{ owner, field }];
    }),
  );
}

const partOf = (use: TypeUse): TypeUse => (use.kind === 'list' ? use.element : use.kind === 'map' ? use.value : use);
