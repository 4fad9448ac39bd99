/** Makes the converter between the versions of a custom resource. */
import type { Converter } from '../../contract/converter.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Waiting } from '../../contract/request-context.ts';
import { newUnknown } from '../../status/status.ts';
import type { ConversionParts, ConvertedResource, CustomConversion } from './conversion-parts.ts';

/** @returns undefined if there is only one version, because its objects need no conversion */
export function converterOf(
  resource: ConvertedResource,
  conversion: CustomConversion | undefined,
  parts: ConversionParts,
): Converter | undefined {
  if (resource.versions.length < 2) return undefined;
  const known = (): readonly string[] => resource.versions.map((version) => `${resource.group}/${version}`);
  return new KnownVersions(known, conversion?.strategy === 'Webhook' ? new Webhook(resource, conversion, parts) : NONE);
}

/** @param apiVersions all that objects may be of */
export const renaming = (apiVersions: readonly string[]): Converter => new KnownVersions(() => apiVersions, NONE);

/** Strategy `None`: versions differ only in their names. */
const NONE: Converter = {
  convert(objects, apiVersion) {
    for (const object of objects) object.apiVersion = apiVersion;
    return objects;
  },
};

/** Passes to a converter only objects that need a conversion, and no objects of versions that the definition no longer has. */
class KnownVersions implements Converter {
  readonly #apiVersions: () => readonly string[];
  readonly #converter: Converter;
  /** of nearly all nothing is ever converted */
  #known: ReadonlySet<string> | undefined;

  constructor(apiVersions: () => readonly string[], converter: Converter) {
    this.#apiVersions = apiVersions;
    this.#converter = converter;
  }

  convert(objects: readonly ApiObject[], apiVersion: string, waiting?: Waiting): readonly ApiObject[] | Promise<readonly ApiObject[]> {
    this.#known ??= new Set(this.#apiVersions());
    for (const { apiVersion: from } of objects)
      if (!this.#known.has(from)) throw newUnknown(`request to convert CR from an invalid group/version: ${from}`);
    const others = objects.filter((object) => object.apiVersion !== apiVersion);
    if (others.length === 0) return objects;
    const converted = this.#converter.convert(others, apiVersion, waiting);
    return converted instanceof Promise
      ? converted.then((all) => inPlace(objects, apiVersion, all))
      : inPlace(objects, apiVersion, converted);
  }
}

/** @param converted those that were of another version, in their order */
function inPlace(objects: readonly ApiObject[], apiVersion: string, converted: readonly ApiObject[]): readonly ApiObject[] {
  if (objects.length === converted.length) return converted;
  let next = 0;
  return objects.map((object) => (object.apiVersion === apiVersion ? object : (converted[next++] as ApiObject)));
}

/** Loads the webhook client with the first conversion. */
class Webhook implements Converter {
  readonly #load: () => Promise<Converter>;
  #loading: Promise<Converter> | undefined;

  constructor(resource: ConvertedResource, conversion: CustomConversion, parts: ConversionParts) {
    this.#load = async () => {
      const { WebhookConverter } = await import('./webhook-converter.ts');
      return new WebhookConverter(resource, conversion, parts);
    };
  }

  async convert(objects: readonly ApiObject[], apiVersion: string, waiting?: Waiting): Promise<readonly ApiObject[]> {
    this.#loading ??= this.#load();
    return (await this.#loading).convert(objects, apiVersion, waiting);
  }
}
