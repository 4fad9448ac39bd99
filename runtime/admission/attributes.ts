export * from './request/attributes.ts';
