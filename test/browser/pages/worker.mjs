// The same in a web worker.
import { runJobs } from './run.mjs';

self.onmessage = async ({ data }) => {
  const failed = (error) => ({ elements: 0, wrong: [`worker: ${error.stack ?? error}`] });
  self.postMessage(await runJobs(data).catch(failed));
};
