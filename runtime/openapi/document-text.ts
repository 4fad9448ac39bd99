import type { OpenapiDocument } from './document.ts';

/** Writes JSON with one line for each schema and operation, so that differences are readable. `hidden-paths.ts` relies on it. */
export function documentText(document: OpenapiDocument): string {
  const { schemas, ...others } = document.components;
  const paths = Object.entries(document.paths).map(([path, item]) => `${JSON.stringify(path)}:{\n${lines(item)}}`);
  return [
    `{"openapi":${JSON.stringify(document.openapi)},"info":${JSON.stringify(document.info)},"paths":{\n${paths.join(',\n')}},`,
    `"components":{${Object.entries(others).map(member).join(',')},"schemas":{\n${lines(schemas)}}}}\n`,
  ].join('\n');
}

function lines(members: object): string {
  return Object.entries(members).map(member).join(',\n');
}

function member([name, value]: [string, unknown]): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}
