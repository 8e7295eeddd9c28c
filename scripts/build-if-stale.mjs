// The global set-up of the test projects that spawn the built command.
export { buildIfStale as setup } from './build.mjs';
