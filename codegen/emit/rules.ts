/** Writes `rules.ts`: the modules of hand-written behaviour that schemas name for any release. */
import type { Model, StructModel } from '../model/model.ts';
import { RULES_FOLDER } from '../read/rule-files.ts';
import { header, quote, relativeImport, render } from './typescript.ts';

export function emitRules(model: Model): string {
  const structs = [...model.all.types.values()].filter((type): type is StructModel => type.kind === 'struct');
  return render('rules.ts.hbs', {
    header: header('schemas/*/*/openapi.yaml'),
    rules: modules(structs.map(({ rules }) => rules)),
    conversions: modules(structs.map(({ conversion }) => conversion?.function)),
    cells: modules(structs.flatMap(({ table }) => table?.columns.map((column) => column.function) ?? [])),
  });
}

function modules(names: readonly (string | undefined)[]): { name: string; file: string }[] {
  const each = new Set(names.filter((name) => name !== undefined));
  return [...each].sort().map((name) => ({ name: quote(name), file: quote(relativeImport('generated', `${RULES_FOLDER}/${name}.ts`)) }));
}
