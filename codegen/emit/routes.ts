/** `routes.ts`: all that is known of a group version before one of its kinds is used. */
import type { GroupVersion, Model } from '../model/model.ts';
import { header, literal, render } from './typescript.ts';

export function emitRoutes(model: Model): string {
  return render('routes.ts.hbs', {
    header: header('schemas/*/*/openapi.yaml'),
    groupVersions: model.groupVersions.map(view),
  });
}

function view({ folder, source: _source, types: _types, package: _package, resources, ...data }: GroupVersion): object {
  const { group, version, ...rest } = data;
  return {
    data: Object.entries({ group, version, folder, ...rest }).map(([name, value]) => `${name}: ${literal(value)}`),
    resources: resources.map(literal),
    folder,
  };
}
