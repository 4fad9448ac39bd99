/** Checks the names of hand-written code: each that a schema gives leads to an export, and each export for schemas is named by one. */
import { handlerNames } from '../../runtime/contract/handlers.ts';
import type { StructModel } from '../model/model.ts';
import { HOOKS, type Hook, RULES_FOLDER } from '../read/rule-files.ts';
import type { CheckContext } from './check-context.ts';
import { placeOf, resourcePlace } from './places.ts';

interface Place {
  readonly file: string;
  readonly path: string;
}

/** Checks hand-written code for all releases, because removed kinds may be served in an emulation. */
export function checkHandWritten(context: CheckContext): void {
  const named = new Set<string>();
  for (const groupVersion of context.model.all.groupVersions) {
    for (const type of groupVersion.types)
      if (type.kind === 'struct')
        for (const [hook, name, path] of namesOf(type)) {
          const place = placeOf(groupVersion, type);
          checkName(name, hook, { file: place.file, path: `${place.path}.${path}` }, context);
          named.add(`${name} ${hook}`);
        }
    for (const { name, handler, subresources } of groupVersion.resources) {
      checkHandler(handler, resourcePlace(groupVersion, name), context);
      for (const subresource of subresources)
        checkHandler(subresource.handler, resourcePlace(groupVersion, name, subresource.name), context);
    }
  }
  for (const [name, exported] of context.sources.ruleFiles)
    for (const hook of HOOKS)
      if (exported.has(hook) && !named.has(`${name} ${hook}`))
        context.report('CS071', { file: `${RULES_FOLDER}/${name}.ts`, path: hook }, `No schema names the ${hook} ${name}.`);
}

function namesOf({ rules, conversion, table }: StructModel): [hook: Hook, name: string, path: string][] {
  const all: [Hook, string | undefined, string][] = [
    ['rules', rules, 'x-cluster-rules'],
    ['conversion', conversion?.function, 'x-cluster-conversion.function'],
    ...(table?.columns ?? []).map((column): [Hook, string | undefined, string] => ['cell', column.function, 'x-cluster-table']),
  ];
  return all.filter((each): each is [Hook, string, string] => each[1] !== undefined);
}

/** A name is a path below the folder of hand-written code, without extension. */
function checkName(name: string, hook: Hook, at: Place, { sources, report }: CheckContext): void {
  if (!/^[a-z][a-z0-9-]*(\/[a-z][a-z0-9-]*)*$/.test(name)) return report('CS048', at, `${JSON.stringify(name)} names no file.`);
  const exported = sources.ruleFiles.get(name);
  const file = `${RULES_FOLDER}/${name}.ts`;
  if (exported === undefined) report('CS070', at, `There is no file ${file}.`);
  else if (!exported.has(hook)) report('CS070', at, `${file} exports no ${hook}.`);
}

const HANDLERS: ReadonlySet<string> = new Set(handlerNames);

function checkHandler(name: string | undefined, at: Place, { report }: CheckContext): void {
  if (name === undefined || HANDLERS.has(name)) return;
  report('CS070', at, `There is no handler ${JSON.stringify(name)}.`, 'Use a name of runtime/contract/handlers.ts, or add the handler.');
}
