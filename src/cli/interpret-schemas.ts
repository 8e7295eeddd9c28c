// A process that ends soon loses by zod's compiling each schema at its first use; interpreted, they are no slower for
// the events of a log. Comes before every schema.
import { config } from 'zod';

config({ jitless: true });
