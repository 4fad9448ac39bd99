/** Writes `conversion-notices.ts`: what schemas tell people whose objects are converted from an older version. */
import type { ConversionNotice } from '../../runtime/contract/conversion-notice.ts';
import type { Model, StructModel, TypeUse } from '../model/model.ts';
import { header, literal, quote, render } from './typescript.ts';

/** Lists the notices of all releases, by kind and path. */
export function emitConversionNotices(model: Model): string {
  const kinds = model.all.groupVersions.flatMap(({ folder, types }) => {
    const structs = types.filter((type): type is StructModel => type.kind === 'struct' && type.topLevel);
    // The objects of a list are converted one by one.
    const lists = new Set(structs.map(({ list }) => list));
    return structs.flatMap((type) => {
      if (lists.has(type.name)) return [];
      const notices = noticesOf(type, model);
      return notices.length === 0 ? [] : [{ name: quote(`${folder} ${type.name}`), notices: notices.map(literal) }];
    });
  });
  return render('conversion-notices.ts.hbs', { header: header('schemas/*/*/openapi.yaml'), kinds });
}

function noticesOf(kind: StructModel, model: Model): ConversionNotice[] {
  const own = kind.conversionNotice === undefined ? [] : [{ path: '', text: kind.conversionNotice }];
  return [...own, ...noticesBelow(kind, '', [], model)];
}

/** @param within definitions of the types on the way to this one; a type that holds itself is left out below itself */
function noticesBelow(struct: StructModel, prefix: string, within: readonly string[], model: Model): ConversionNotice[] {
  if (within.includes(struct.definition)) return [];
  return struct.fields.flatMap((field) => {
    const path = field.inline ? prefix : `${prefix}${prefix === '' ? '' : '.'}${field.name}`;
    const own = field.conversionNotice === undefined ? [] : [{ path, ...field.conversionNotice }];
    const { definition, suffix } = targetOf(field.type, '');
    const type = definition === undefined ? undefined : model.all.types.get(definition);
    if (type?.kind !== 'struct') return own;
    return [...own, ...noticesBelow(type, `${path}${suffix}`, [...within, struct.definition], model)];
  });
}

/** @returns the named type to which a use leads, and what a path has behind it for the lists and maps on the way */
function targetOf(type: TypeUse, suffix: string): { definition: string | undefined; suffix: string } {
  if (type.kind === 'list') return targetOf(type.element, `${suffix}[]`);
  if (type.kind === 'map') return targetOf(type.value, `${suffix}[]`);
  return { definition: type.kind === 'named' ? type.definition : undefined, suffix };
}
