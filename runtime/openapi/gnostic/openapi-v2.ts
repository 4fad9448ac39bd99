/** The messages of Swagger 2.0 documents, `openapi.v2.Document`, with the field numbers of github.com/google/gnostic-models. */
import { field, fields, isObject, type MessageShape, type MessageTable, orReference } from './message.ts';

/** The members that parameters, their items and headers have in common. @param first number of the first one; the others follow it */
function constraints(first: number): Record<string, string> {
  const members = [
    ['type', 'string'],
    ['format', 'string'],
    ['items', 'PrimitivesItems'],
    ['collectionFormat', 'string'],
    ['default', 'any'],
    ['maximum', 'double'],
    ['exclusiveMaximum', 'boolean'],
    ['minimum', 'double'],
    ['exclusiveMinimum', 'boolean'],
    ['maxLength', 'integer'],
    ['minLength', 'integer'],
    ['pattern', 'string'],
    ['maxItems', 'integer'],
    ['minItems', 'integer'],
    ['uniqueItems', 'boolean'],
    ['enum', 'any[]'],
    ['multipleOf', 'double'],
  ];
  return Object.fromEntries(members.map(([name, type], index) => [name, `${first + index} ${type}`]));
}

const PLACE = { required: '1 boolean', in: '2 string', description: '3 string', name: '4 string' };
const plainParameter: MessageShape = { fields: fields({ ...PLACE, ...constraints(5) }), extensions: 22 };
const parameterWithEmptyValue: MessageShape = {
  fields: fields({ ...PLACE, allowEmptyValue: '5 boolean', ...constraints(6) }),
  extensions: 23,
};

const PARAMETER_KINDS: Readonly<Record<string, ReturnType<typeof field>>> = {
  header: field('1 HeaderParameterSubSchema'),
  formData: field('2 FormDataParameterSubSchema'),
  query: field('3 QueryParameterSubSchema'),
  path: field('4 PathParameterSubSchema'),
};

const BODY_PARAMETER = field('1 BodyParameter');
const OTHER_PARAMETER = field('2 NonBodyParameter');
const API_KEY = field('2 ApiKeySecurity');
const SCHEMA = field('1 Schema');
const BOOLEAN = field('2 boolean');

export const openapiV2: MessageTable = {
  Document: {
    fields: fields({
      swagger: '1 string',
      info: '2 Info',
      host: '3 string',
      basePath: '4 string',
      schemes: '5 string[]',
      consumes: '6 string[]',
      produces: '7 string[]',
      paths: '8 Paths',
      definitions: '9 Definitions',
      parameters: '10 ParameterDefinitions',
      security: '12 SecurityRequirement[]',
      securityDefinitions: '13 SecurityDefinitions',
      externalDocs: '15 ExternalDocs',
    }),
    extensions: 16,
    large: true,
  },
  Info: { fields: fields({ title: '1 string', version: '2 string', description: '3 string' }), extensions: 7 },
  ExternalDocs: { fields: fields({ description: '1 string', url: '2 string' }), extensions: 3 },
  Paths: { entries: field('2 PathItem[]'), large: true },
  PathItem: {
    fields: fields({
      $ref: '1 string',
      get: '2 Operation',
      put: '3 Operation',
      post: '4 Operation',
      delete: '5 Operation',
      options: '6 Operation',
      head: '7 Operation',
      patch: '8 Operation',
      parameters: '9 ParametersItem[]',
    }),
    extensions: 10,
  },
  Operation: {
    fields: fields({
      tags: '1 string[]',
      summary: '2 string',
      description: '3 string',
      externalDocs: '4 ExternalDocs',
      operationId: '5 string',
      produces: '6 string[]',
      consumes: '7 string[]',
      parameters: '8 ParametersItem[]',
      responses: '9 Responses',
      schemes: '10 string[]',
      deprecated: '11 boolean',
      security: '12 SecurityRequirement[]',
    }),
    extensions: 13,
  },
  ParameterDefinitions: { entries: field('1 Parameter[]'), large: true },
  ParametersItem: orReference('1 Parameter', '2 JsonReference'),
  JsonReference: { fields: fields({ $ref: '1 string', description: '2 string' }) },
  Parameter: { choose: (value) => (isObject(value) && value.in === 'body' ? BODY_PARAMETER : OTHER_PARAMETER) },
  BodyParameter: {
    fields: fields({ description: '1 string', name: '2 string', in: '3 string', required: '4 boolean', schema: '5 Schema' }),
    extensions: 6,
  },
  NonBodyParameter: { choose: (value) => (isObject(value) ? PARAMETER_KINDS[String(value.in)] : undefined) },
  HeaderParameterSubSchema: plainParameter,
  PathParameterSubSchema: plainParameter,
  FormDataParameterSubSchema: parameterWithEmptyValue,
  QueryParameterSubSchema: parameterWithEmptyValue,
  PrimitivesItems: { fields: fields(constraints(1)), extensions: 18 },
  Responses: { entries: field('1 ResponseValue[]'), extensions: 2 },
  ResponseValue: orReference('1 Response', '2 JsonReference'),
  Response: { fields: fields({ description: '1 string', schema: '2 SchemaItem', headers: '3 Headers' }), extensions: 5 },
  SchemaItem: { whole: SCHEMA },
  Headers: { entries: field('1 Header[]') },
  Header: { fields: fields({ ...constraints(1), description: '18 string' }), extensions: 19 },
  Definitions: { entries: field('1 Schema[]'), large: true },
  Properties: { entries: field('1 Schema[]') },
  Schema: {
    fields: fields({
      $ref: '1 string',
      format: '2 string',
      title: '3 string',
      description: '4 string',
      default: '5 any',
      multipleOf: '6 double',
      maximum: '7 double',
      exclusiveMaximum: '8 boolean',
      minimum: '9 double',
      exclusiveMinimum: '10 boolean',
      maxLength: '11 integer',
      minLength: '12 integer',
      pattern: '13 string',
      maxItems: '14 integer',
      minItems: '15 integer',
      uniqueItems: '16 boolean',
      maxProperties: '17 integer',
      minProperties: '18 integer',
      required: '19 string[]',
      enum: '20 any[]',
      additionalProperties: '21 AdditionalPropertiesItem',
      type: '22 TypeItem',
      items: '23 ItemsItem',
      allOf: '24 Schema[]',
      properties: '25 Properties',
      discriminator: '26 string',
      readOnly: '27 boolean',
      externalDocs: '29 ExternalDocs',
      example: '30 any',
    }),
    extensions: 31,
  },
  AdditionalPropertiesItem: { choose: (value) => (typeof value === 'boolean' ? BOOLEAN : SCHEMA) },
  TypeItem: { whole: field('1 string[]') },
  ItemsItem: { whole: field('1 Schema[]') },
  SecurityRequirement: { entries: field('1 StringArray[]') },
  StringArray: { whole: field('1 string[]') },
  SecurityDefinitions: { entries: field('1 SecurityDefinitionsItem[]') },
  SecurityDefinitionsItem: { choose: (value) => (isObject(value) && value.type === 'apiKey' ? API_KEY : undefined) },
  ApiKeySecurity: { fields: fields({ type: '1 string', name: '2 string', in: '3 string', description: '4 string' }), extensions: 5 },
};
