/** `types.ts` of a client: kinds and their parts, as they are read and written, and as field managers apply them where that is another form. */
import type { AppliedForms } from '../../model/client/applied.ts';
import type { ClientGroupVersion, ClientType, Shape } from '../../model/client/client-model.ts';
import { header, moduleAlias, propertyName, quote, relativeImport, render } from '../typescript.ts';
import { comment, documentationOf, fieldDocumentation } from './documentation.ts';
import { TypeTexts } from './type-texts.ts';
import type { Wording } from './wording.ts';

/** @param patches import path of the module that types lists with keys */
export function emitClientTypes(groupVersion: ClientGroupVersion, forms: AppliedForms, wording: Wording, patches: string): string {
  const { folder, sources, types } = groupVersion;
  const texts = new TypeTexts(folder, wording);
  const declarations = types.flatMap((type) => {
    const own = declaration(type, type.name, (shape) => texts.whole(shape), wording);
    if (!forms.has({ folder, name: type.name })) return [own];
    return [own, declaration(type, `${type.name}Apply`, (shape) => texts.applied(shape, forms), wording)];
  });
  const imports = [...texts.used]
    .sort()
    .map((used) => `import type * as ${moduleAlias(used)} from ${quote(relativeImport(folder, `${used}/types.ts`))};`);
  const listMap = texts.usesListMap ? [`import type { ListMap } from ${quote(patches)};`] : [];
  return render('client/types.ts.hbs', { header: header(...sources), imports: [...listMap, ...imports], declarations });
}

/** @param typeText of a shape. What is applied has members that may all be absent */
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
