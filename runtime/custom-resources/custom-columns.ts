/**
 * The columns that tables of custom resources have without a definition that states them. They have a file of their own so that an idle server loads them
 * without the modules that make kinds. Their texts have placeholders for names of the dialect.
 */
import type { TableColumn, TableData } from '../contract/table.ts';

export const NAME: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://${labelDomain}/docs/concepts/overview/working-with-objects/names#names',
  path: '.metadata.name',
};
export const AGE: TableColumn = {
  name: 'Age',
  type: 'date',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.${groupDomain}/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  age: '.metadata.creationTimestamp',
  absent: null,
};

const replicas = (name: string, part: string, description: string): TableColumn => ({
  name,
  type: 'integer',
  description,
  jsonPath: `${part}.replicas`,
});

/** The table of the subresource `scale`. */
export const SCALE_TABLE: TableData = {
  columns: [
    NAME,
    replicas('Desired', '.spec', 'Number of desired replicas'),
    replicas('Available', '.status', 'Number of actual replicas'),
    AGE,
  ],
};
