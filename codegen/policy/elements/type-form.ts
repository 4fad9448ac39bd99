/** Says what JSON and protobuf make of a type. Neither depends on the names of types. */
import type { ModelData, NamedType, TypeUse } from '../../model/model.ts';

/** The form of a type, for comparison and for people. */
export interface TypeForm {
  /** Such as `list of string` or `map of struct`; equal for two types if values of the one are values of the other. */
  readonly form: string;
  /** The form for people, such as `list of core/v1 Container`. */
  readonly text: string;
}

export function formOf(model: ModelData, use: TypeUse): TypeForm {
  if (use.kind === 'list' || use.kind === 'map') {
    const inner = formOf(model, use.kind === 'list' ? use.element : use.value);
    return { form: `${use.kind} of ${inner.form}`, text: `${use.kind} of ${inner.text}` };
  }
  if (use.kind === 'primitive') return scalarForm(use);
  const type = model.types.get(use.definition);
  if (type === undefined) return { form: use.definition, text: use.definition };
  if (type.kind === 'struct') return { form: 'struct', text: `${type.folder} ${type.name}` };
  const form = scalarForm(type);
  return { form: form.form, text: type.name };
}

function scalarForm({ scalar, type, format }: Pick<NamedType & { kind: 'scalar' }, 'scalar' | 'type' | 'format'>): TypeForm {
  const form = [scalar, type, format].filter((part) => part !== undefined).join(' ');
  return { form, text: format ?? (type === undefined ? 'any value' : scalar) };
}
