/** Converts a Swagger 2.0 document to OpenAPI 3.0 as 1.32 does, for servers that have no v3 document. */
import { isMembers, type Members, type SwaggerDocument } from './remote-swagger.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
const ANY = ['*/*'];

export function upgradedSwagger({ info, paths, definitions, parameters }: SwaggerDocument): object {
  const convert = new Converter(parameters);
  return {
    openapi: '3.0.0',
    info,
    paths: mapped(paths, (item) => convert.pathItem(item)),
    components: { schemas: mapped(definitions, schema) },
  };
}

class Converter {
  readonly #parameters: Readonly<Record<string, Members>>;

  constructor(parameters: Readonly<Record<string, Members>>) {
    this.#parameters = parameters;
  }

  pathItem(item: Members): Members {
    const { parameters, ...others } = item;
    const converted: Record<string, unknown> = { ...others };
    for (const method of METHODS) if (isMembers(item[method])) converted[method] = this.#operation(item[method]);
    const [own] = this.#parametersOf(parameters, ANY);
    return { ...converted, ...(own.length > 0 && { parameters: own }) };
  }

  #operation({ consumes, produces, parameters, responses, schemes: _, ...others }: Members): Members {
    const [own, body] = this.#parametersOf(parameters, texts(consumes));
    const types = texts(produces);
    return {
      ...others,
      ...(own.length > 0 && { parameters: own }),
      ...(body !== undefined && { requestBody: body }),
      responses: mapped(isMembers(responses) ? responses : {}, (each) => response(each, types)),
    };
  }

  /** @returns the parameters without the body, and the request body */
  #parametersOf(parameters: unknown, types: readonly string[]): [Members[], Members | undefined] {
    const all = (Array.isArray(parameters) ? parameters : []).filter(isMembers).map((each) => this.#resolved(each));
    const body = all.find((each) => each.in === 'body');
    const others = all.filter((each) => each.in !== 'body' && each.in !== 'formData').map(parameter);
    if (body === undefined) return [others, undefined];
    const { description, required } = body;
    const content = contentOf(types, body.schema);
    return [others, { ...(description !== undefined && { description }), content, ...(required === true && { required }) }];
  }

  #resolved(parameter: Members): Members {
    const [, name = ''] = typeof parameter.$ref === 'string' ? (/^#\/parameters\/(.*)$/s.exec(parameter.$ref) ?? []) : [];
    return (Object.hasOwn(this.#parameters, name) && this.#parameters[name]) || parameter;
  }
}

/** Members of a parameter that do not describe its value. */
const PLACE: ReadonlySet<string> = new Set(['name', 'in', 'description', 'required', 'allowEmptyValue']);

function parameter(given: Members): Members {
  const place = Object.entries(given).filter(([key]) => PLACE.has(key) || key.startsWith('x-'));
  const values = Object.entries(given).filter(([key]) => !PLACE.has(key) && !key.startsWith('x-') && key !== 'collectionFormat');
  return { ...Object.fromEntries(place), schema: schema(Object.fromEntries(values)) };
}

function response(given: unknown, types: readonly string[]): unknown {
  if (!isMembers(given)) return given;
  const { schema: body, ...others } = given;
  return { ...others, ...(body !== undefined && { content: contentOf(types, body) }) };
}

function contentOf(types: readonly string[], body: unknown): Members {
  return Object.fromEntries((types.length > 0 ? types : ANY).map((type) => [type, { schema: schema(body) }]));
}

/** In 3.0, siblings of a reference only count if the reference is wrapped in `allOf`. */
function schema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schema);
  if (!isMembers(value)) return value;
  const { $ref, ...others } = value;
  const rest = mapped(others, schema);
  if (typeof $ref !== 'string') return rest;
  const target = { $ref: $ref.replace('#/definitions/', '#/components/schemas/') };
  return Object.keys(rest).length === 0 ? target : { ...rest, allOf: [target] };
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);

function mapped<T>(members: Readonly<Record<string, T>>, convert: (value: T) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, convert(value)]));
}
