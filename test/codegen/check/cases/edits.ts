/** Edits of the toy schemas, and where diagnostics find them. */
import * as assert from 'uvu/assert';
import type { DiagnosticCode } from '../../../../codegen/check/codes.ts';
import type { Json, SchemaFiles } from '../../tree.ts';

export type Row = [name: string, code: DiagnosticCode, file: string, path: string, edit: (files: SchemaFiles) => void];

export const V1 = 'schemas/toys/v1/openapi.yaml';
export const PROTO = 'schemas/toys/v1/types.proto';
export const SPEC = 'components.schemas.ToySpec';

export const schemas = (files: SchemaFiles): Json => files.openapi['toys/v1'].components.schemas;
export const spec = (files: SchemaFiles): Json => schemas(files).ToySpec.properties;
export const toys = (files: SchemaFiles): Json => files.openapi['toys/v1']['x-cluster-resources'][0];
export const proto = (files: SchemaFiles, from: string, to: string): void => {
  const before = files.proto['toys/v1'] ?? '';
  files.proto['toys/v1'] = before.replace(from, to);
  assert.is.not(files.proto['toys/v1'], before, `types.proto has ${from}`);
};

export const status = { name: 'status', kind: 'Toy', verbs: ['get'] };
export const table = (...paths: (string | undefined)[]): Json => ({
  columns: paths.map((path) => ({ name: 'Column', type: 'string', ...(path && { path }) })),
});
export const converted = (f: SchemaFiles): Json => f.openapi['toys/v1beta1'].components.schemas.Toy['x-cluster-conversion'];
export function mapOf(files: SchemaFiles, key: string): void {
  Object.assign(spec(files).parts, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });
}
