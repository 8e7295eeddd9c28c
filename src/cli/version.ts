export { readVersion } from '../compose/read-version.ts';
