/** `validators.ts`: the constraints of a group version's types as functions, one for each type and occasion. */
import type { Steps, StructConstraints } from '../../../runtime/contract/constraint.ts';
import type { Constraints } from '../../model/constraints/constraints.ts';
import type { GroupVersion, Model, StructModel } from '../../model/model.ts';
import { byName, header, relativeImport, render } from '../typescript.ts';
import { FunctionWriter } from './function-writer.ts';
import { ModuleWriter, type ValidatorHistory } from './module-writer.ts';

/**
 * @param history absent: the functions are of today
 * @returns undefined where the group version has no constraint
 */
export function emitValidators(
  model: Model,
  groupVersion: GroupVersion,
  constraints: Constraints,
  history?: ValidatorHistory,
): string | undefined {
  const structs = groupVersion.types
    .filter((type): type is StructModel => type.kind === 'struct' && constraints.has(type.definition))
    .sort(byName);
  if (structs.length === 0) return undefined;
  const module = new ModuleWriter(model, constraints, groupVersion.folder, history);
  const functions = structs.flatMap((struct) => functionsOf(struct, constraints.get(struct.definition) as StructConstraints, module));
  const kinds = structs
    .filter(({ topLevel }) => topLevel)
    .map((struct) => kindOf(struct, constraints.get(struct.definition) as StructConstraints));
  const own = `generated/${groupVersion.folder}`;
  return render('validators.ts.hbs', {
    header: header(`schemas/${groupVersion.folder}/openapi.yaml`),
    fieldError: relativeImport(own, 'runtime/contract/field-error.ts'),
    contract: relativeImport(own, 'runtime/contract/kind.ts'),
    rules: relativeImport(own, 'runtime/contract/kind-rules.ts'),
    types: module.typeImports(),
    ruleTypes: module.ruleTypes(),
    imports: module.imports(),
    constants: module.constants(),
    functions,
    kinds,
  });
}

function functionsOf(struct: StructModel, constraints: StructConstraints, module: ModuleWriter): { name: string; body: string }[] {
  const occasions: readonly [string, Steps][] = [
    ['validate', constraints.object],
    ['validateChangesOf', constraints.changes],
    ['validateStatusOf', constraints.status],
  ];
  return occasions.flatMap(([prefix, steps]) =>
    steps.length === 0 ? [] : [{ name: `${prefix}${struct.name}`, body: bodyOf(steps, constraints.scope, module) }],
  );
}

function bodyOf(steps: Steps, scope: string | undefined, module: ModuleWriter): string {
  const body = new FunctionWriter(module).write(steps);
  if (scope === undefined) return body;
  return `  scope = ${module.scopeCall(scope)};\n${body}`;
}

function kindOf({ name }: StructModel, { object, changes, status }: StructConstraints): { name: string; members: string[] } {
  return {
    name,
    members: [
      ...(object.length === 0 ? [] : [`object: validate${name}`]),
      ...(changes.length === 0 ? [] : [`changes: validateChangesOf${name}`]),
      ...(status.length === 0 ? [] : [`status: validateStatusOf${name}`]),
    ],
  };
}
