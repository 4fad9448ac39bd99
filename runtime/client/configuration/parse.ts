/** Text of a configuration, in YAML or JSON, to JSON values. What reads YAML is large, so it is loaded with the first text that is no JSON. */
import { parseNativeJson } from '../../schema/native-json.ts';
import { ConfigurationError } from './configuration.ts';

/** Bytes; far more than a configuration has. */
const MAX_TEXT = 16 * 1024 * 1024;

/** @throws ConfigurationError for what is neither */
export async function parseConfigurationText(text: string): Promise<unknown> {
  if (text.length > MAX_TEXT) throw new ConfigurationError(`it is longer than ${MAX_TEXT} bytes`);
  const json = parsedJson(text);
  if (json !== undefined) return json;
  const { parseYaml } = await import('../../schema/parse-yaml.ts');
  const { loadYamlLibrary } = await import('../../schema/yaml-library.ts');
  await loadYamlLibrary();
  try {
    return parseYaml(text).value;
  } catch (error) {
    throw new ConfigurationError(`error converting YAML to JSON: ${(error as Error).message}`, { cause: error });
  }
}

function parsedJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return parseNativeJson(text);
  } catch {
    // YAML may begin like that as well
    return undefined;
  }
}
