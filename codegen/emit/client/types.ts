/** Writes `types.ts` of a client: kinds and their parts as they are read and written, and as field managers apply them where that is another form. */
import type { AppliedForms } from '../../model/client/applied.ts';
import type { ClientGroupVersion, ClientType, Shape } from '../../model/client/client-model.ts';
import { UniqueNames } from '../../model/client/type-names.ts';
import { header, propertyName, quote, render } from '../typescript.ts';
import { comment, documentationOf, fieldDocumentation } from './documentation.ts';
import { ModuleAliases } from './module-aliases.ts';
import { TypeTexts } from './type-texts.ts';
import type { Wording } from './wording.ts';

/** @param patches import path of the module that types lists with keys */
export function emitClientTypes(groupVersion: ClientGroupVersion, forms: AppliedForms, wording: Wording, patches: string): string {
  const { folder, sources, types } = groupVersion;
  const nameOfForm = (name: string): string => forms.nameOf({ folder, name });
  const names = new UniqueNames(types.flatMap(({ name }) => [name, nameOfForm(name)]));
  const listMap = names.claim(LIST_MAP);
  const aliases = new ModuleAliases(folder, names);
  const texts = new TypeTexts(aliases, wording, listMap);
  const declarations = types.flatMap((type) => {
    const own = declaration(type, type.name, (shape) => texts.whole(shape), wording);
    if (!forms.has({ folder, name: type.name })) return [own];
    return [own, declaration(type, nameOfForm(type.name), (shape) => texts.applied(shape, forms), wording)];
  });
  const imported = listMap === LIST_MAP ? LIST_MAP : `${LIST_MAP} as ${listMap}`;
  const lists = texts.usesListMap ? [`import type { ${imported} } from ${quote(patches)};`] : [];
  return render('client/types.ts.hbs', { header: header(...sources), imports: [...lists, ...aliases.imports], declarations });
}

/** Name of the type of lists whose elements have keys. */
const LIST_MAP = 'ListMap';

/**
 * @param name that of the type, or of its form for applying: in that form all members may be absent
 * @param typeText gives the text of a shape
 */
function declaration(type: ClientType, name: string, typeText: (shape: Shape) => string, wording: Wording): string {
  const head = comment(documentationOf(type, wording));
  if (type.kind === 'alias') return `${head}export type ${name} = ${typeText(type.shape)};`;
  const isApplied = name !== type.name;
  const members = type.fields.map((field) => {
    const mark = field.required && !isApplied ? '' : '?';
    return `${comment(fieldDocumentation(field, wording), '  ')}  ${propertyName(field.name)}${mark}: ${typeText(field.shape)};\n`;
  });
  const others = type.others === undefined ? '' : `  [member: string]: ${typeText(type.others)};\n`;
  return `${head}export interface ${name} {\n${members.join('')}${others}}`;
}
