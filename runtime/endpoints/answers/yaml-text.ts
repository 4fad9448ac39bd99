/** YAML answers. */
import { yamlText } from '../../go-yaml/yaml.ts';
import { newNotAcceptablePlain } from '../../status/status.ts';

/** @throws StatusError NotAcceptable for a value nested deeper than YAML can be written */
export function toYaml(value: object): string {
  try {
    return yamlText(value);
  } catch (error) {
    if (error instanceof RangeError) throw newNotAcceptablePlain(['application/json']);
    throw error;
  }
}
