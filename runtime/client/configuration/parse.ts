/** Parses the YAML or JSON of a configuration. The YAML parser is large, so it is loaded only for a text that is not JSON. */
import { parseNativeJson } from '../../schema/json/native-json.ts';
import { ConfigurationError } from './configuration.ts';

/** The most bytes of a text; no configuration is that long. */
const MAX_TEXT = 16 * 1024 * 1024;

/** @throws ConfigurationError for text that is neither */
export async function parseConfigurationText(text: string): Promise<unknown> {
  if (text.length > MAX_TEXT) throw new ConfigurationError(`it is longer than ${MAX_TEXT} bytes`);
  const json = parsedJson(text);
  if (json !== undefined) return json;
  const { parseYaml } = await import('../../schema/yaml/parse-yaml.ts');
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
    // YAML may begin like JSON
    return undefined;
  }
}
