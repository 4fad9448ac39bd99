/** The library for YAML, loaded with the first text in it: a server that meets JSON and protobuf alone does without it. */
import { createRequire } from 'node:module';

type YamlLibrary = typeof import('js-yaml');

let library: YamlLibrary | undefined;

export function yamlLibrary(): YamlLibrary {
  library ??= createRequire(import.meta.url)('js-yaml') as YamlLibrary;
  return library;
}

/** Loads it in a way that bundlers see, for programs that are bundles. */
export async function loadYamlLibrary(): Promise<void> {
  library ??= await import('js-yaml');
}
