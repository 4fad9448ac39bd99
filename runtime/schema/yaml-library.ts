/** The library for YAML, loaded with the first text in it: a server that meets JSON and protobuf alone does without its 72 modules. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function yamlLibrary(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml');
}
